"""Local search: small changes to a turn, tried in scenarios with common random numbers.

This package is imported by searches. To add a kind of change, extend `neighborhood`.
"""
