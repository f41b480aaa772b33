"""Trainers of evaluation weights, networks and policies.

Only the package `cli` imports this package. To add a training method, write a subpackage with the modules `settings`
and `run`, and a command in `cli.train`.
"""
