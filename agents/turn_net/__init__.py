"""The turn network: it plays complete turns on any map with any number of players.

Searches, players, `arena.policies` and `train` import this package. To add an input, add a feature to
`features.definitions`.
"""
