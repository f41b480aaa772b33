"""The course of a run of evolution, for its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warlight_env.train.common.report import Line, Report, percent


def describe_course(report: Report, entries: Sequence[dict[str, Any]]) -> None:
    """Add curves of generations and reviews, and the table of reviews, by the journal's entries."""
    generations = [e for e in entries if e["event"] == "generation"]
    reviews = [e for e in entries if e["event"] == "review"]
    done, at = 0, []
    for entry in entries:
        done += entry["games"]
        if entry["event"] == "review":
            at.append(done)
    against = [e["against_start_interval"] for e in reviews]
    mean = Line("mean of the distribution", at, [e["against_start"] for e in reviews], *zip(*against, strict=True))
    report.curves([mean], "games played", "score against the start", mark=0.5)
    of_generations = range(1, len(generations) + 1)
    best = Line("best of the generation", of_generations, [max(e["scores"]) for e in generations])
    middle = Line("mean of the generation", of_generations, [sum(e["scores"]) / len(e["scores"]) for e in generations])
    report.curves([best, middle], "generation", "score against the rivals", mark=0.5)
    trust = Line("trust in ranks", of_generations, [e["trust"] for e in generations])
    report.curves([trust], "generation", "rank correlation")
    report.table(
        ["stage", "generation", "score against the champion", "against the start", "champion"],
        [
            [
                str(e["stage"] + 1), str(e["generation"] + 1), percent(e["score"], e["interval"]),
                percent(e["against_start"], e["against_start_interval"]), "new" if e["promoted"] else "stays",
            ]
            for e in reviews
        ],
    )  # fmt: skip
