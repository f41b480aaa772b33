"""Local search: it tries small changes to a turn in scenarios with common random numbers.

Searches import this package. To add a type of change, extend `neighborhood`.
"""
