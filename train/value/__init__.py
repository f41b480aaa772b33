"""The value network by expert iteration.

This package is imported by `cli`. It imports `train.common`.
"""
