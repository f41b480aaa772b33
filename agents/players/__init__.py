"""All bots: a module or a package for each bot.

The registry, `train` and the packages above `agents` import this package. To add a bot, write a module or a package
here, and add an entry to `agents/built_in.py`. A bot that consists only of kernels also gets an entry in `compiled`.
"""
