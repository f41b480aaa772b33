"""Matches: many games between the same agents, their results, and rules that end a match early.

Imported by `arena.tournaments`, `train`, `experiments` and `cli`.
"""
