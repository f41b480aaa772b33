"""Evaluations: estimates of the players' shares of a position, and terms that the thesis does not have.

This package is imported by the other packages of `agents` and by `train`. To add a term, give it a coefficient in
`agents.weights`, and compute it here.
"""
