"""Benchmark suites for policies: fixed games, and score cards that are comparable.

Imported by `cli`. A suite never changes; add a new one with a new version.
"""

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
    "score_of",
    "suite_names",
]
