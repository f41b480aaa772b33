"""Equilibrium search: the players' turns of a round as a game in normal form, solved for mixed strategies.

The registry and `train.value` import it. To recognise another kind of opponent, extend `recognized_bots` or
`opponent_types`.
"""
