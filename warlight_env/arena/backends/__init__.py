"""Backends that play games: this process, several processes, or a Ray cluster.

Imported by `arena.contests` and by commands. To add a backend, implement `backend.Backend` and add its name to
`backend.BACKENDS`.
"""
