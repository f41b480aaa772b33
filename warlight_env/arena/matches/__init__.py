"""Matches: many games between the same agents, their results, and rules that end a match early.

The packages `arena.tournaments`, `train`, `experiments` and `cli` import this package.
"""
