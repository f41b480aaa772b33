"""Code that trainers of weights share: genes, compiled games, and the final match.

The packages `train.evolution` and `train.td` import this package.
"""
