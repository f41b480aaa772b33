"""Tournaments: settings files, the matches of all pairs of agents, ratings, and reports.

Imported by `cli`, `train` and `web`.
"""
