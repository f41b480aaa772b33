"""The end of a run: the final match, and the report that proves or refutes what the run claims."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from warlight_env.agents.weights import Weights
from warlight_env.arena.backends.backend import Backend
from warlight_env.train.evolve import EvolveSettings
from warlight_env.train.genes import Variant
from warlight_env.train.holdout import play_holdout
from warlight_env.train.journal import SETTINGS, Journal
from warlight_env.train.report import Line, Report, percent
from warlight_env.train.td import TdSettings

#: What was found, as `Weights.load` reads it.
FOUND = "found.json"
Advance = Callable[[int, str], None]


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
    _summary(report, spec, rows, games, seconds)
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
    _weights(report, start.weights, found.weights)
    if found.search:
        report.table(["search", "value"], [[k, f"{v:g}"] for k, v in found.search.items()])
    result = {
        "kind": "evolve", "player": spec, "found": found.to_dict(), "holdout": rows, "games": games, "seconds": seconds,
    }  # fmt: skip
    write_report(report, journal, "evolve", result)
    return result


def finish_td(
    settings: TdSettings, journal: Journal, start: Weights, found: Weights, calibration: Sequence[dict[str, float]], *,
    jobs: int, backend: str | Backend, advance: Advance,
) -> dict[str, Any]:  # fmt: skip
    """As `finish_evolution`, with the calibration."""
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
    _summary(report, spec, rows, games, seconds)
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
    _weights(report, start, found)
    result = {
        "kind": "td", "player": spec, "found": Variant(found).to_dict(), "holdout": rows, "games": games,
        "seconds": seconds, "calibration": list(calibration),
    }  # fmt: skip
    write_report(report, journal, "td", result)
    return result


def _summary(report: Report, spec: str, rows: Sequence[dict[str, Any]], games: int, seconds: float) -> None:
    first = rows[0]
    report.text(
        f"{spec} with what was found scores {percent(first['score'], first['interval'])} against itself with what the "
        f"run began with, in {first['games']} games with seeds that training never used. Training took {games:,} games "
        f"and {seconds / 60:.1f} minutes."
    )
    final_match(report, rows)
    report.text("Opponents but for the first were kept out of training. Games are paired: each seed in both seats.")


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


def _weights(report: Report, start: Weights, found: Weights) -> None:
    report.heading("What was found")
    rows = [[name, f"{getattr(start, name):g}", f"{getattr(found, name):.4g}"] for name in Weights._fields]
    report.table(["weight", "start", "found"], rows)


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
