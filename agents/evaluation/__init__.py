"""Evaluations: estimates of the players' shares of a position, and terms beyond the thesis's.

Imported by the other packages of `agents` and by `train`. To add a term, give it a coefficient in `agents.weights`,
and compute it here.
"""
