"""A trainer of the turn network by expert iteration.

The package `cli` imports this package; this package imports `train.turn_net` and `train.common`.
"""
