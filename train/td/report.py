"""The course of a run of TD learning, for its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.td.settings import TdSettings


def describe_course(
    report: Report, settings: TdSettings, entries: Sequence[dict[str, Any]], calibration: Sequence[dict[str, float]]
) -> None:
    """Add curves of scores and losses, by the journal's entries, and how far the chances that were learned hold."""
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
