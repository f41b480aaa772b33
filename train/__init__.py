"""Trainers: the home of what tunes evaluations and trains policies."""
