"""Functions that users can pass to agents: signatures, compilation, and checks of the results.

Searches, players and `envs` import this package. To add a kind of function, add its signature to `functions`, and a
check of its results to `guarded`.
"""
