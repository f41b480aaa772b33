"""The turn network by expert iteration.

This package is imported by `cli`. It imports `train.turn_net` and `train.common`.
"""
