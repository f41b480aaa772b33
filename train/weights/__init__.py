"""Code that trainers of weights share: genes, compiled games, and the final match.

Imported by `train.evolution` and `train.td`.
"""
