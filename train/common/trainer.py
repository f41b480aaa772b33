"""The skeleton of every run: steps that are done once and kept, then the final match and the report."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from warlight_env import bounded
from warlight_env.agents.records.value_record import digest
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.resumable import check_jobs
from warlight_env.train.common.journal import SETTINGS, Journal, JournalError
from warlight_env.train.common.matches import Pair, holdout_seed, play_pairs
from warlight_env.train.common.report import Report, percent
from warlight_env.train.common.settings import RunSettings

S = TypeVar("S", bound=RunSettings)
#: What a run finds.
F = TypeVar("F")

#: Told of every step.
Say = Callable[[dict[str, Any]], None]


class Trainer(ABC, Generic[S, F]):
    """A run: it goes on where its journal ends, and reports what it has found.

    Args:
        settings: what decides it.
        journal: of its folder, open.
        jobs: games, or threads of games, side by side; what is found does not depend on them.
        backend: that plays games which are not compiled, see `play_contests`.
        say: told of every step that is done now.

    Raises:
        InputError: there are no jobs.
        JournalError: the journal is not of this run; so do the methods.
    """

    #: The command of ``warlight train``, and the file of what is found.
    command: ClassVar[str]
    found_name: ClassVar[str]
    #: What the progress is called, what it counts, and the event of the journal that is one; None: all are.
    progress_name: ClassVar[str]
    unit: ClassVar[str]
    unit_event: ClassVar[str | None] = None
    #: Of the report.
    title: str

    def __init__(
        self, settings: S, journal: Journal, jobs: int = 1, backend: str | Backend = "local",
        say: Say = lambda entry: None,
    ) -> None:  # fmt: skip
        check_jobs(jobs)
        journal.check()
        self.settings, self.journal, self._jobs, self._backend, self._say = settings, journal, jobs, backend, say
        self._known = iter(list(journal.entries))

    # What methods do in their own way

    @staticmethod
    @abstractmethod
    def total(settings: S) -> int:
        """How many of its units a whole run has."""

    @staticmethod
    @abstractmethod
    def progress(entry: dict[str, Any]) -> str:
        """What a line of the journal that is a unit says of the progress."""

    @abstractmethod
    def run(self) -> F:
        """Go on to the end; returns what is found.

        Raises:
            RunError: a number is no longer one, games could not be played, or the folder cannot be written; the same
                run goes on from there.
            JournalError: the journal and its files are not of this run.
            KeyboardInterrupt: stopped early.
        """

    @abstractmethod
    def pairs(self, found: F) -> list[Pair]:
        """Who meets whom in the final match."""

    @abstractmethod
    def content(self, found: F, result: dict[str, Any]) -> str | bytes:
        """The file of what is found. The result has neither `facts` nor `holdout` when the file is first written."""

    @abstractmethod
    def facts(self, found: F) -> dict[str, Any]:
        """The result's own entries, `player` among them, which say more of what is found."""

    @abstractmethod
    def summary(self, result: dict[str, Any]) -> str:
        """The report's first paragraph."""

    @abstractmethod
    def describe(self, report: Report, found: F, result: dict[str, Any]) -> None:
        """Add to the report what follows the final match."""

    # What all do

    @classmethod
    def is_unit(cls, entry: dict[str, Any]) -> bool:
        """Whether the progress counts a line of the journal."""
        return cls.unit_event in (None, entry.get("event"))

    def once(self, what: dict[str, Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What the journal says of a step, or what is computed now and written there."""
        known = next(self._known, None)
        if known is not None:
            if {key: known.get(key) for key in what} != what:
                raise JournalError(
                    f"{self.journal.folder}: the journal has {known.get('event')!r} where {what} belongs"
                )
            return known
        began = time.perf_counter()
        entry = {**what, **compute(), "seconds": round(time.perf_counter() - began, 3)}
        self.journal.append(entry)
        self._say(entry)
        return self.journal.entries[-1]

    def once_as_file(self, what: dict[str, Any], compute: Callable[[], tuple[bytes, dict[str, Any]]]) -> bytes:
        """The file of a step, which is made now or was before; beside it `compute` tells what the journal says."""
        made: list[bytes] = []

        def write() -> dict[str, Any]:
            content, told = compute()
            self.journal.write(_file_name(what), content)
            made.append(content)
            return {"digest": digest(content), **told}

        entry = self.once(what, write)
        return made[0] if made else self.file_of(entry)

    def file_of(self, entry: dict[str, Any]) -> bytes:
        """The file of a step that the journal knows."""
        path = self.journal.folder / _file_name(entry)
        content = bounded.read_bytes(path, bounded.ARRAYS_BYTES, JournalError, "file of this run")
        if digest(content) != entry["digest"]:
            raise JournalError(f"{path}: not what the run has written there")
        return content

    def games(self) -> int:
        """How many games the run has played so far."""
        return sum(entry.get("games", 0) for entry in self.journal.entries)

    def finish(self, found: F, advance: Callable[[int, str], None] = lambda count, label: None) -> dict[str, Any]:
        """Play the final match, and write the file of what is found, result.json and the report.

        Args:
            advance: told of the match's games: how many have ended, of which pair.

        Returns:
            The result as plain data: kind, games and seconds of the training, `facts`, and holdout, the rows of
            `play_pairs`.
        """
        s, entries = self.settings, self.journal.entries
        seconds = sum(entry["seconds"] for entry in entries)
        result: dict[str, Any] = {"kind": self.command, "games": self.games(), "seconds": seconds}
        self.journal.write(self.found_name, self.content(found, result))  # is there if the rest is interrupted
        result |= self.facts(found)
        result["holdout"] = rows = play_pairs(
            self.pairs(found), s.holdout_units, s.conditions, holdout_seed(s.seed), self.journal.folder / "holdout",
            jobs=self._jobs, backend=self._backend, advance=advance,
        )  # fmt: skip
        self.journal.write(self.found_name, self.content(found, result))
        report = Report(self.title)
        report.text(self.summary(result))
        _tabulate(report, rows)
        self.describe(report, found, result)
        self._write(report, result)
        return result

    def _write(self, report: Report, result: dict[str, Any]) -> None:
        """Add settings, machine and command, and write the report, its curves and the result."""
        journal = self.journal
        report.heading("Settings")
        report.code((journal.folder / SETTINGS).read_text(encoding="utf-8").rstrip())
        report.heading("Machine")
        report.machine()
        report.heading("Again")
        report.code(f"warlight train {self.command} {SETTINGS} --out again")
        for i, figure in enumerate(report.figures(), 1):
            journal.write(f"curve-{i}.svg", figure)
        journal.write("report.md", report.to_markdown())
        journal.write("report.html", report.to_html())
        journal.write("result.json", json.dumps(result, indent=2) + "\n")


def _file_name(what: dict[str, Any]) -> str:
    """The file of a step: of a fit's network, or of a part of something."""
    number = what["iteration"] + 1
    if what["event"] == "fit":
        return f"network-{number}.npz"
    return f"{what['event']}/{number}-{what['part'] + 1}.npz"


def _tabulate(report: Report, rows: Sequence[dict[str, Any]]) -> None:
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


__all__ = ["Say", "Trainer"]
