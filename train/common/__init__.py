"""Code that all trainers share: settings, journal, steps, matches and reports.

This package is imported by all packages of `train`. It imports none of them.
"""
