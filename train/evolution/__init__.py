"""Weights of the evaluation by CMA-ES.

This package is imported by `cli`. It imports `train.weights` and `train.common`.
"""
