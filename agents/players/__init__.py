"""The bots.

The registry, `train` and the layers above `agents` import them. Add a bot as a module or a package here, and an entry
to `agents/built_in.py`. A bot that consists only of kernels also gets an entry in `compiled`.
"""
