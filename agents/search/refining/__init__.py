"""Turns improved by local search: small changes, tried in the same imagined rounds as the turn before them."""
