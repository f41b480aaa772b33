"""The end of a run: the table of the final match, and the report's files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from warlight_env.train.common.journal import SETTINGS, Journal
from warlight_env.train.common.report import Report, percent


def final_match(report: Report, rows: Sequence[dict[str, Any]]) -> None:
    """The table of the final match; rows as `play_pairs` gives them."""
    report.heading("The final match")
    report.table(
        ["player", "opponent", "games", "wins", "draws", "score (95 % interval)"],
        [
            [
                row["player"], row["opponent"], str(row["games"]), str(row["wins"]), str(row["draws"]),
                percent(row["score"], row["interval"]),
            ]
            for row in rows
        ],
    )  # fmt: skip


def write_report(report: Report, journal: Journal, command: str, result: dict[str, Any]) -> None:
    """Add settings, machine and command, and write the report, its curves and the result."""
    report.heading("Settings")
    report.code((journal.folder / SETTINGS).read_text(encoding="utf-8").rstrip())
    report.heading("Machine")
    report.machine()
    report.heading("Again")
    report.code(f"warlight train {command} {SETTINGS} --out again")
    for i, figure in enumerate(report.figures(), 1):
        journal.write(f"curve-{i}.svg", figure)
    journal.write("report.md", report.to_markdown())
    journal.write("report.html", report.to_html())
    journal.write("result.json", json.dumps(result, indent=2) + "\n")
