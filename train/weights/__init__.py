"""Code that trainers of weights share: genes, compiled games, and the final match.

This package is imported by `train.evolution` and `train.td`.
"""
