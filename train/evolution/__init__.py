"""Weights of the evaluation by CMA-ES.

Imported by `cli`. Imports `train.weights` and `train.common`.
"""
