"""Plans: turns made of goals, with the value of each goal and the armies that it needs.

This package is imported by `agents.players`. To add a kind of goal, write its value in `goals` and its army
requirements in `turn`.
"""
