"""Code that all trainers share: settings, the journal of a run, its steps, matches and reports.

All packages of `train` import this package; this package imports no other package of `train`.
"""
