"""Weights of the evaluation by TD(λ) in self-play.

This package is imported by `cli`. It imports `train.weights` and `train.common`.
"""
