"""Backends run the games of matches in this process, in several processes, or on a Ray cluster.

Imported by `arena.contests` and by commands. To add a backend, implement `backend.Backend` and add its name to
`backend.BACKENDS`.
"""
