"""Runs of experiments in folders, with results as JSON and Markdown."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from warlight_env import bounded_io
from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.arena.contests.provenance import collect_provenance, format_provenance
from warlight_env.errors import RunError
from warlight_env.experiments.base import BudgetType, Experiment, ExperimentSettings, OnProgress
from warlight_env.experiments.players import ExperimentError
from warlight_env.experiments.rows import Row
from warlight_env.folder_lock import FolderLock
from warlight_env.output import write_errors, write_file
from warlight_env.tables import counted

#: Version of the format of result files.
FORMAT: Final = 1
RESULT: Final = "result.json"

_VERDICTS = {
    "within": "in the interval",
    "above": "below the interval",
    "below": "above the interval",
    "no figure": "",
}

#: The publication whose numbers the rows are compared with.
Source: TypeAlias = Literal["thesis", "authors"]
POSSESSIVES: Final[dict[Source, str]] = {"thesis": "the thesis's", "authors": "the authors'"}


@dataclass(frozen=True)
class ExperimentResult:
    """The result of an experiment for one agent."""

    experiment: str
    settings: ExperimentSettings
    rows: tuple[Row, ...]
    interrupted: bool
    seconds: float
    provenance: dict[str, Any]

    @property
    def command(self) -> str:
        """The command that reproduces the result."""
        s = self.settings
        parts = ["warlight experiment run", self.experiment]
        if s.agent:
            parts.append(f"--agent {shlex.quote(s.agent)}")
        if s.budget_type != "simulations":
            parts.append(f"--budget-type {s.budget_type}")
        if s.seed != 1:
            parts.append(f"--seed {s.seed}")
        if s.games is not None:
            parts.append(f"--games {s.games}")
        return " ".join([*parts, "--quick"] if s.quick else parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as data for JSON."""
        return {
            "format": FORMAT,
            "experiment": self.experiment,
            "settings": {
                "agent": self.settings.agent,
                "by": self.settings.budget_type,
                "quick": self.settings.quick,
                "seed": self.settings.seed,
                **({} if self.settings.games is None else {"games": self.settings.games}),
            },
            "rows": [row.to_dict() for row in self.rows],
            "interrupted": self.interrupted,
            "command": self.command,
            "seconds": self.seconds,
            "facts": self.provenance,
        }

    @classmethod
    def load(cls, path: Path) -> ExperimentResult:
        """Return the result that `run_experiment` wrote.

        Raises:
            ExperimentError: the file cannot be read, or is not a result.
        """
        text = bounded_io.read_text(path, bounded_io.RESULT_BYTES, ExperimentError, "experiment's result")
        data = bounded_io.parse_json(text, str(path), ExperimentError)
        try:
            if data["format"] != FORMAT:
                raise ValueError(f"the file has format {data['format']!r}, not {FORMAT}")
            if not isinstance(data["seconds"], int | float) or not isinstance(data["facts"], dict):
                raise TypeError("'seconds' must be a number, and 'facts' must be an object")
            return cls(
                experiment=data["experiment"],
                settings=_read_settings(**data["settings"]),
                rows=tuple(Row.from_dict(row) for row in data["rows"]),
                interrupted=data["interrupted"],
                seconds=data["seconds"],
                provenance=data["facts"],
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExperimentError(f"{path}: not an experiment's result ({error})") from None


def _read_settings(agent: str, by: BudgetType, quick: bool, seed: int, games: int | None = None) -> ExperimentSettings:
    return ExperimentSettings(agent, by, quick, seed, games=games)


def folder_name(name: str, settings: ExperimentSettings) -> str:
    """Return the name of a run's folder, from the experiment, the agent and the budgets."""
    agent = re.sub(r"[^A-Za-z0-9_=.]+", "-", settings.agent)
    parts = [
        name,
        agent,
        "" if settings.budget_type == "simulations" else settings.budget_type,
        "quick" if settings.quick else "",
        "" if settings.games is None else f"{settings.games}-games",
    ]
    return "-".join(part for part in parts if part)


def run_experiment(
    experiment: Experiment, settings: ExperimentSettings, folder: Path, advance: OnProgress
) -> ExperimentResult:
    """Run an experiment, or continue a run in the folder, and write result.json and result.md there.

    Raises:
        RunFolderError: the folder contains another run, or another process writes to it.
        RunError: the folder cannot be written; the finished games are kept.
    """
    with FolderLock(folder, in_use=RunFolderError) as lock:
        outcome = experiment.run(settings, lock, advance)
        provenance = collect_provenance()
        result = ExperimentResult(
            experiment.name, settings, tuple(outcome.rows), outcome.interrupted, outcome.seconds, provenance
        )
        with write_errors(f"to {folder}", RunError):
            write_file(folder / RESULT, json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n")
            write_file(folder / "result.md", to_markdown(experiment, [result]))
    return result


def to_markdown(experiment: Experiment, results: Sequence[ExperimentResult], level: int = 1) -> str:
    """Return the experiment as a section: a table of all results, and the commands that reproduce them."""
    lines = [f"{'#' * level} {_heading(experiment)}", "", _wrapped(experiment.setting), ""]
    if any(result.settings.quick for result in results):
        lines += ["**A quick run, which only tests that everything works: its figures mean nothing.**", ""]
    for games in sorted({result.settings.games for result in results if result.settings.games is not None}):
        lines += [f"**A run with {counted(games, 'game')} or measurements for each row.**", ""]
    if any(result.interrupted for result in results):
        lines += ["**Interrupted: the figures are of the finished games.**", ""]
    source: Source = "authors" if experiment.finding else "thesis"
    headings = [source, f"{POSSESSIVES[source]} figure is"]
    rows = [
        ["", "bot", "ours", "95 % interval", "sample", *headings],
        ["---"] * 2 + ["---:"] * 4 + ["---"],
        *_table(results),
    ]
    if not any(row.thesis is not None for result in results for row in result.rows) and not experiment.finding:
        rows = [row[:5] for row in rows]  # there are no published numbers
    if not any(result.settings.agent for result in results):
        rows = [[row[0], *row[2:]] for row in rows]  # the results do not depend on an agent
    lines += [f"| {' | '.join(row)} |" for row in rows]
    if experiment.finding:
        lines += ["", _wrapped(f"What the authors found: {experiment.finding}")]
    for result in (result for result in results if not result.settings.quick):
        conclusion = conclusions(result.rows, source)
        bot = f"{_bot(result.settings)}: " if len(results) > 1 and result.settings.agent else ""
        lines += ["", _wrapped(bot + conclusion)] if conclusion else []
    lines += ["", *(f"    {result.command}" for result in results), ""]
    lines += [*_run_facts(results), ""]
    return "\n".join(lines)


def _heading(experiment: Experiment) -> str:
    table = re.fullmatch(r"thesis-(\d\.\d+)", experiment.name)
    return f"Table {table[1]}: {experiment.title}" if table else experiment.title


def _table(results: Sequence[ExperimentResult]) -> list[list[str]]:
    """Return the lines of the table: for each label of rows, one line for each agent."""
    lines = []
    for label in dict.fromkeys(row.label for result in results for row in result.rows):
        named = label
        for result in results:
            for row in (row for row in result.rows if row.label == label):
                lines.append([named, _bot(result.settings), *_row_cells(row)])
                named = ""
    return lines


def _bot(settings: ExperimentSettings) -> str:
    budget = "" if settings.budget_type == "simulations" else f", {settings.budget_type}"
    return f"`{settings.agent}`{budget}" if settings.agent else ""


def _thesis(row: Row) -> str:
    if row.thesis is None:
        return ""
    figure = row.shown(row.thesis)
    return f"{figure} ({row.thesis_sample})" if row.thesis_sample else figure


def _row_cells(row: Row) -> list[str]:
    interval = "exact" if row.low == row.high == row.value else f"{row.shown(row.low)} – {row.shown(row.high)}"
    verdict = _VERDICTS[row.verdict]
    if row.difference is not None and row.verdict != "within":
        low, high = (100 * end for end in row.difference)
        verdict += f"; difference (ours minus theirs): {low:+.1f} to {high:+.1f} points".replace("-", "−")
    return [f"**{row.shown(row.value)}**", interval, row.sample, _thesis(row), verdict]


def _run_facts(results: Sequence[ExperimentResult]) -> list[str]:
    """Return the playing times and other facts about the runs, in a line for each machine and package version."""
    times: dict[str, list[str]] = {}
    for result in results:
        hours, minutes = divmod(round(result.seconds / 60), 60)
        play_time = f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{result.seconds:.1f} s"
        times.setdefault(format_provenance(result.provenance), []).append(play_time)
    return [f"*{' and '.join(play_time)} of play, on one core at a time; {line}.*" for line, play_time in times.items()]


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 115, break_long_words=False, break_on_hyphens=False))


def conclusions(rows: Sequence[Row], source: Source = "thesis") -> str:
    """Return sentences that compare the rows with the published numbers and with equally strong players.

    Args:
        rows: rows of one result.
        source: the publication whose numbers the rows are compared with.
    """
    return " ".join([*_published(rows, source), *_strength(rows)])


def _published(rows: Sequence[Row], source: Source) -> list[str]:
    """Return sentences that compare the rows with the published numbers."""
    compared = [row for row in rows if row.verdict != "no figure"]
    if not compared:
        return []
    owner = POSSESSIVES[source]
    n_within = sum(row.verdict == "within" for row in compared)
    sentences = [f"{owner.capitalize()} figure is within our 95 % interval in {n_within} of {len(compared)} rows."]
    outside = [row for row in compared if row.verdict != "within"]
    clear = [row for row in outside if not _may_be_chance(row)]
    sentences += _sentence("Chance may explain the difference in", [row for row in outside if _may_be_chance(row)])
    sentences += _sentence(f"Our figure is higher than {owner} in", [row for row in clear if row.verdict == "above"])
    sentences += _sentence(f"Our figure is lower than {owner} in", [row for row in clear if row.verdict == "below"])
    return sentences


def _strength(rows: Sequence[Row]) -> list[str]:
    """Return sentences that compare the shares of games won with the shares that equally strong players would win."""
    shares = [(row, row.even) for row in rows if row.even is not None]
    above = [row for row, even in shares if row.low > even]
    below = [row for row, even in shares if row.high < even]
    equal = [row for row, even in shares if row.low <= even <= row.high]
    return [
        *_sentence("Significantly more wins than between equal players:", above),
        *_sentence("Significantly fewer wins than between equal players:", below),
        *_sentence("No significant difference from equal players:", equal),
    ]


def _may_be_chance(row: Row) -> bool:
    return row.difference is not None and row.difference.low <= 0 <= row.difference.high


def _sentence(words: str, rows: Sequence[Row]) -> list[str]:
    """Return a list with one sentence that names the rows; an empty list if there are no rows."""
    return [f"{words} {', '.join(f'“{row.label}”' for row in rows)}."] if rows else []
