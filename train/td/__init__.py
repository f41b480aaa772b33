"""Weights of the evaluation by TD(λ) in self-play.

The package `cli` imports this package; this package imports `train.weights` and `train.common`.
"""
