"""Code that all trainers share: settings, the journal (log) of a training run, matches and reports.

All packages of `train` import this package; this package imports no other package of `train`.
"""
