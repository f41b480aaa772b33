"""Contests: sets of many games, which a backend plays.

A run folder stores finished games, so that a run can continue after a crash.
"""
