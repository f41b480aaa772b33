"""Code that all trainers share: settings, journal, steps, matches and reports.

Imported by all packages of `train`. Imports none of them.
"""
