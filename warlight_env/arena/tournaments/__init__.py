"""Tournaments: many matches, from a file to a report."""
