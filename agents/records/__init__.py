"""Records that kernels of agents read and write: force tables, turns, networks and search results.

Imported by all packages of `agents`, `envs` and `train`. Imports no other package of `agents`. Add a record that
kernels of several packages use.
"""
