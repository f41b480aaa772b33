"""Weights of the evaluation by TD(λ) in self-play.

Imported by `cli`. Imports `train.weights` and `train.common`.
"""
