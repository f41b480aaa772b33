"""Backends run the games of matches in this process, in several processes, or on a Ray cluster.

The package `arena.contests` and the commands import this package. To add a backend, implement `backend.Backend` and add
its name to `backend.BACKENDS`.
"""
