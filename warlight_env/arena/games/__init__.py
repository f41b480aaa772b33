"""Modules that play one game between agents: seats, calls of the agents, clocks, and observers of the game.

The other packages of `arena` import this package. Code for events of a single game belongs in this package.
"""
