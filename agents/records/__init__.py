"""Records that agent kernels read and write: army requirements, turns, networks and search results.

This package is imported by all packages of `agents`, `envs` and `train`. It imports no other package of `agents`. Add a
record here if kernels of several packages use it.
"""
