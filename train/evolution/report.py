"""The end of a run of evolution: the final match, and the report."""

from __future__ import annotations

from typing import Any

from warlight_env.arena.backends.backend import Backend
from warlight_env.train.common.finish import write_report
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.evolution.run import EvolveSettings
from warlight_env.train.weights.genes import Variant
from warlight_env.train.weights.report import FOUND, Advance, play_holdout, summarize, tabulate


def finish_evolution(
    settings: EvolveSettings, journal: Journal, start: Variant, found: Variant, *, jobs: int,
    backend: str | Backend, advance: Advance,
) -> dict[str, Any]:  # fmt: skip
    """Play the final match, and write found.json, result.json and the report; returns the result as plain data."""
    spec = settings.stages[-1].player
    journal.write(FOUND, found.weights.to_json())
    rows = play_holdout(
        spec, found, start, settings.holdout, settings.holdout_units, settings.conditions, settings.seed,
        journal.folder / "holdout", jobs=jobs, backend=backend, advance=advance,
    )  # fmt: skip
    entries = journal.entries
    generations = [e for e in entries if e["event"] == "generation"]
    reviews = [e for e in entries if e["event"] == "review"]
    seconds, games = sum(e["seconds"] for e in entries), sum(e["games"] for e in entries)
    report = Report("Evolution of the evaluation")
    summarize(report, spec, rows, games, seconds)
    report.heading("How it went")
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
    tabulate(report, start.weights, found.weights)
    if found.search:
        report.table(["search", "value"], [[k, f"{v:g}"] for k, v in found.search.items()])
    result = {
        "kind": "evolve", "player": spec, "found": found.to_dict(), "holdout": rows, "games": games, "seconds": seconds,
    }  # fmt: skip
    write_report(report, journal, "evolve", result)
    return result
