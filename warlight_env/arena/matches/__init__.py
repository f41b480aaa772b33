"""Matches: many games between the same agents, their results, and rules that stop them.

Imported by `arena.tournaments`, `train`, `experiments` and `cli`.
"""
