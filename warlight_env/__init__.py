"""Warlight: a game of simultaneous orders, as engine, environments, bots and arena."""

__version__ = "0.1.0"
