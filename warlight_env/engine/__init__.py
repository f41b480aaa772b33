"""The rules of the game as kernels (compiled functions) on arrays, for one game or a batch of games.

Every other part of the package may import the engine. The engine imports only NumPy, Numba, platformdirs and small
shared modules. To add a rule, add a field to `rules.Rules` and use it in `round` or `setup`.
"""
