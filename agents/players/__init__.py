"""The bots.

Imported by the registry, `train` and the layers above `agents`. Add a bot as a module or a package here, and an entry
to the registry. A bot that is only kernels also gets an entry in `compiled`.
"""
