"""Records that agent kernels read and write: army requirements, turns, networks and search results.

Imported by all packages of `agents`, `envs` and `train`. Imports no other package of `agents`. Add a record here if
kernels of several packages use it.
"""
