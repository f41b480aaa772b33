"""The value network: features of a position, and a small network that estimates each player's win probability.

Evaluations, players and `train.value` import this package. To add an input, add a feature to `features.definitions`.
"""
