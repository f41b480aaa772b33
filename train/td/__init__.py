"""A trainer that learns weights of the evaluation with TD(λ) in self-play.

The package `cli` imports this package; this package imports `train.weights` and `train.common`.
"""
