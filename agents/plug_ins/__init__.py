"""Users' functions for agents: their signatures, compilation, and checks of their results.

Searches, players and `envs` import this package. To add a kind of function, give it a signature in `functions` and a
check in `guarded`.
"""
