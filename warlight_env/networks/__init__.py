"""Trained networks that play games: forward passes in NumPy, and network files.

The packages `agents`, `arena.policies` and `train` import this package, which does not need PyTorch.
"""
