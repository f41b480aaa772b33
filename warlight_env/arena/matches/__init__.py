"""Matches: many games between the same agents, what they came to, and when that is enough."""
