"""Code that trainers of evaluation weights share: the search space, compiled games, and the final match.

The packages `train.evolution` and `train.td` import this package.
"""
