"""A fixed benchmark for policies, with one score card that can be compared."""

from warlight_env.bench.card import ScoreCard, make_card, score_of
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
