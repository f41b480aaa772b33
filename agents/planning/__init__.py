"""Plans: turns made of goals, with the value of each goal and the armies that it needs.

Imported by `agents.players`. To add a kind of goal, write its worth in `goals` and its army requirements in `turn`.
"""
