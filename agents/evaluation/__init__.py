"""Evaluation functions: they estimate each player's share of the value of a position.

The functions compute the terms of the thesis and additional terms. The other packages of `agents` and `train` import
this package. To add a term of the evaluation, add its coefficient to `agents.weights`, and the code that computes the
term to this package.
"""
