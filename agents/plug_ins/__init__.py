"""Users' functions for agents: their signatures, compilation, and checks of their results.

Imported by searches, players and `envs`. To add a kind of function, give it a signature in `functions` and a check in
`guarded`.
"""
