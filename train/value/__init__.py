"""The value network by expert iteration.

Imported by `cli`. Imports `train.common`.
"""
