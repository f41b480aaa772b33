"""The end of a run of TD learning: the final match, and the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warlight_env.agents.weights import Weights
from warlight_env.arena.backends.backend import Backend
from warlight_env.train.common.finish import write_report
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.td.run import TdSettings
from warlight_env.train.weights.genes import Variant
from warlight_env.train.weights.report import FOUND, Advance, play_holdout, summarize, tabulate


def finish_td(
    settings: TdSettings, journal: Journal, start: Weights, found: Weights, calibration: Sequence[dict[str, float]], *,
    jobs: int, backend: str | Backend, advance: Advance,
) -> dict[str, Any]:  # fmt: skip
    """Play the final match, and write found.json, result.json and the report; returns the result as plain data."""
    journal.write(FOUND, found.to_json())
    spec = f"one_ply:samples={settings.samples}"
    rows = play_holdout(
        spec, Variant(found), Variant(start), settings.holdout, settings.holdout_units, settings.conditions,
        settings.seed, journal.folder / "holdout", jobs=jobs, backend=backend, advance=advance,
    )  # fmt: skip
    entries = journal.entries
    seconds = sum(e["seconds"] for e in entries)
    games = sum(e["games"] for e in entries)
    report = Report("TD(λ) by self-play")
    summarize(report, spec, rows, games, seconds)
    report.heading("How it went")
    reviews = [e for e in entries if "against_start" in e]
    at = [(e["batch"] + 1) * settings.games for e in reviews]
    ends = zip(*(e["interval"] for e in reviews), strict=True)
    report.curves(
        [Line("one-ply", at, [e["against_start"] for e in reviews], *ends)], "games played", "score", mark=0.5
    )
    loss = Line("cross-entropy of the outcome", [e["batch"] + 1 for e in entries], [e["loss"] for e in entries])
    report.curves([loss], "batch", "loss")
    report.heading("Calibration")
    report.text("In games of their own: how often a position was won, by the chance that the model gave it.")
    won = Line("won", [row["predicted"] for row in calibration], [row["won"] for row in calibration])
    report.curves([won], "predicted chance", "share won", diagonal=True)
    report.table(
        ["predicted", "won", "positions"],
        [[percent(row["predicted"]), percent(row["won"]), f"{row['positions']:.0f}"] for row in calibration],
    )
    tabulate(report, start, found)
    result = {
        "kind": "td", "player": spec, "found": Variant(found).to_dict(), "holdout": rows, "games": games,
        "seconds": seconds, "calibration": list(calibration),
    }  # fmt: skip
    write_report(report, journal, "td", result)
    return result
