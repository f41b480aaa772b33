"""Trained networks for play: forward passes in NumPy, and network files.

Imported by `agents`, `arena.policies` and `train`. Needs no PyTorch.
"""
