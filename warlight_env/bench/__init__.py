"""Benchmarks for policies: suites of fixed games, and score cards with which policies can be compared.

Imported by `cli`. A suite never changes; to change the games, add a new suite with a new version number.
"""

from warlight_env.bench.benchmark import run
from warlight_env.bench.score_card import ScoreCard, make_card, score_of
from warlight_env.bench.subject import CheckpointSource, check_subject, make_subject
from warlight_env.bench.suite import BenchError, Suite, SuiteRow, suite_names

__all__ = [
    "BenchError",
    "CheckpointSource",
    "ScoreCard",
    "Suite",
    "SuiteRow",
    "check_subject",
    "make_card",
    "make_subject",
    "run",
    "score_of",
    "suite_names",
]
