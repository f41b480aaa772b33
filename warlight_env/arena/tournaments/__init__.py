"""Tournaments: many matches, from a settings file to a report.

Imported by `cli`, `train` and `web`.
"""
