"""Weights of the evaluation by TD(λ) in self-play."""
