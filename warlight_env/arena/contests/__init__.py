"""Contests: many games on a backend. A run folder stores finished games, so that a run can continue after a crash."""
