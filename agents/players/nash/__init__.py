"""Equilibrium search: the players' turns of a round as a game in normal form, solved for mixtures of turns."""
