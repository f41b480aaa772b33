"""The turn network: it plays complete turns on any map with any number of players.

Imported by searches, players, `arena.policies` and `train`. To add an input, add a feature to `features.definitions`.
"""
