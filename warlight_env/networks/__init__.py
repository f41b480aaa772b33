"""Trained networks for play: their pass over a position in NumPy, and the archives that hold them."""
