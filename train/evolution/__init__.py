"""Weights of the evaluation by CMA-ES."""
