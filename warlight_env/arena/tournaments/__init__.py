"""Tournaments: settings files, the matches of all pairs of agents, ratings, and reports.

The packages `cli`, `train` and `web` import this package.
"""
