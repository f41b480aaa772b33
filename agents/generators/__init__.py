"""Generators: functions that propose a few sensible picks, deploys, attacks or turns for a position.

The kernels in the modules of this package work on arrays. Searches, players and `train` import this package. To add a
method, write its kernel and add it to `turns`.
"""
