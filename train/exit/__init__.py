"""The turn network by expert iteration.

Imported by `cli`. Imports `train.turn_net` and `train.common`.
"""
