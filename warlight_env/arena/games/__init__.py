"""Modules that play one game between agents: seats, calls of the agents, clocks, and observers of the game.

Imported by the other packages of `arena`. Add code for events of a single game here.
"""
