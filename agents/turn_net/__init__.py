"""The turn network: it plays complete turns on any map with any number of players.

This package is imported by searches, players, `arena.policies` and `train`. To add an input, add a feature to
`features.definitions`.
"""
