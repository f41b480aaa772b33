"""Trainers of evaluations, networks and policies.

This package is imported by `cli` only. To add a method, write a subpackage with `settings` and `run`, and a command in
`cli.train`.
"""
