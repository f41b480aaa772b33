"""NamedTuples of arrays that agents' kernels read and write: army requirements, turns, networks and search results.

All packages of `agents`, `envs` and `train` import this package. The package imports no other package of `agents`. A
NamedTuple that kernels of several packages use belongs in this package.
"""
