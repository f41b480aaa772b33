"""A trainer of the value network by expert iteration.

The package `cli` imports this package; this package imports `train.common`.
"""
