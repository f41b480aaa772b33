"""Equilibrium search: the players' turns of a round as a game in normal form, solved for mixed strategies.

The registry and `train.value` import this package. To recognise another type of opponent, extend `recognized_bots` or
`opponent_types`.
"""
