"""The value network: features of a position, and a small network that estimates the winner.

This package is imported by evaluations, players and `train.value`. To add an input, add a feature to
`features.definitions`.
"""
