"""Equilibrium search: the players' turns of a round as a game in normal form, solved for mixed strategies.

Imported by the registry and by `train.value`. To recognise another kind of opponent, extend `simple_bots` or
`opponents`.
"""
