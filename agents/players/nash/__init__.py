"""Equilibrium search: it models a round as a game in normal form, and computes mixed strategies of all players.

The registry and `train.value` import this package. To recognise another type of opponent, extend `recognized_bots` or
`opponent_types`.
"""
