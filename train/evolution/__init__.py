"""A trainer that finds weights of the evaluation with CMA-ES, an evolution strategy.

The package `cli` imports this package; this package imports `train.weights` and `train.common`.
"""
