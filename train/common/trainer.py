"""The common part of all training runs: steps whose results are stored, then the final match and the report."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from warlight_env import bounded_io
from warlight_env.agents.records.value_record import digest
from warlight_env.arena.backends.backend import Backend, make_backend
from warlight_env.arena.contests.contest_runner import check_jobs
from warlight_env.train.common.journal import SETTINGS, Journal, JournalError
from warlight_env.train.common.matches import Pair, holdout_seed, play_pairs
from warlight_env.train.common.report import Report, percent
from warlight_env.train.common.settings import RunSettings

S = TypeVar("S", bound=RunSettings)
#: The type of the result of a run.
F = TypeVar("F")

#: A function that is called with the journal entry of each step.
Say = Callable[[dict[str, Any]], None]


class Trainer(ABC, Generic[S, F]):
    """A training run, which continues after the last step in its journal (log), and writes its result and a report.

    Args:
        settings: settings of the run.
        journal: the open journal in the folder of the run.
        jobs: number of games or threads that run at once; the result does not depend on this number.
        backend: the backend (processes or a cluster) for games that compiled functions cannot play, see
            `play_contests`.
        say: a function that is called with the journal entry of each new step.

    Raises:
        InputError: `jobs` is below 1, or the backend does not exist or needs a missing package.
        JournalError: the journal belongs to another run. The methods of the class also raise `JournalError`.
    """

    #: The subcommand of ``warlight train``, and the name of the file with the result.
    command: ClassVar[str]
    artifact_name: ClassVar[str]
    #: For the progress display: the name of the run, the name of its steps, and the event in the journal that counts as
    #: a step. None: all events count.
    progress_name: ClassVar[str]
    unit: ClassVar[str]
    unit_event: ClassVar[str | None] = None
    #: The title of the report.
    title: str

    def __init__(
        self, settings: S, journal: Journal, jobs: int = 1, backend: str | Backend = "local",
        say: Say = lambda entry: None,
    ) -> None:  # fmt: skip
        check_jobs(jobs)
        make_backend(backend)
        journal.check()
        self.settings, self.journal, self._jobs, self._backend, self._say = settings, journal, jobs, backend, say
        self._entries = iter(list(journal.entries))
        self._prepare()

    # Methods that subclasses define

    def _prepare(self) -> None:
        """Check the settings, and make the attributes of a subclass. The constructor calls this method.

        A subclass whose constructor has more arguments does this in its constructor.
        """

    @staticmethod
    @abstractmethod
    def total(settings: S) -> int:
        """Return the number of steps of a whole run, as the progress display counts them."""

    @staticmethod
    @abstractmethod
    def progress(entry: dict[str, Any]) -> str:
        """Return the text of the progress display after the step with this journal entry."""

    @abstractmethod
    def run(self) -> F:
        """Continue the run to its end, and return the result.

        Raises:
            RunError: a value is not a finite number, games could not be played, or the folder cannot be written. The
                finished steps remain stored, so another call can continue the run.
            JournalError: the journal and its files belong to another run.
            KeyboardInterrupt: the user stopped the run.
        """

    @abstractmethod
    def pairs(self, artifact: F) -> list[Pair]:
        """Return the pairs of players of the final match."""

    @abstractmethod
    def content(self, artifact: F, result: dict[str, Any]) -> str | bytes:
        """Return the content of the file that stores the result of the run, such as a network.

        `finish` calls this method once before and once after the final match. Before the match, `result` contains
        neither `facts` nor `holdout`.
        """

    @abstractmethod
    def facts(self, artifact: F) -> dict[str, Any]:
        """Return the entries of result.json that depend on the training method; one of these entries is `player`."""

    @abstractmethod
    def summary(self, result: dict[str, Any]) -> str:
        """Return the first paragraph of the report."""

    @abstractmethod
    def describe(self, report: Report, artifact: F, result: dict[str, Any]) -> None:
        """Add the sections that follow the final match to the report."""

    # Methods of all runs

    @classmethod
    def is_unit(cls, entry: dict[str, Any]) -> bool:
        """Return whether an entry of the journal counts as a step in the progress display."""
        return cls.unit_event in (None, entry.get("event"))

    def once(self, step: dict[str, Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the journal entry of a step of the training.

        If the journal has no entry for the step, compute the step and write the entry.
        """
        stored = next(self._entries, None)
        if stored is not None:
            if {key: stored.get(key) for key in step} != step:
                raise JournalError(
                    f"{self.journal.folder}: the journal has the event {stored.get('event')!r} in the place of {step}"
                )
            return stored
        start = time.perf_counter()
        entry = {**step, **compute(), "seconds": round(time.perf_counter() - start, 3)}
        self.journal.append(entry)
        self._say(entry)
        return self.journal.entries[-1]

    def once_as_file(self, step: dict[str, Any], compute: Callable[[], tuple[bytes, dict[str, Any]]]) -> bytes:
        """Return the content of the file of a step; if there is no file, compute the step and write the file.

        Args:
            step: the fields that identify the step: the name of the event, and numbers such as the iteration.
            compute: returns the content of the file, and further fields of the journal entry.
        """
        contents: list[bytes] = []

        def write() -> dict[str, Any]:
            content, fields = compute()
            self.journal.write(_file_name(step), content)
            contents.append(content)
            return {"digest": digest(content), **fields}

        entry = self.once(step, write)
        return contents[0] if contents else self.file_of(entry)

    def file_of(self, entry: dict[str, Any]) -> bytes:
        """Return the content of the file of a step. entry: the journal entry of the step."""
        path = self.journal.folder / _file_name(entry)
        content = bounded_io.read_bytes(path, bounded_io.ARRAYS_BYTES, JournalError, "file of this run")
        if digest(content) != entry["digest"]:
            raise JournalError(f"{path}: the file has changed since the run wrote it")
        return content

    def games(self) -> int:
        """Return the number of games that the run has played so far."""
        return sum(entry.get("games", 0) for entry in self.journal.entries)

    def finish(self, artifact: F, advance: Callable[[int, str], None] = lambda count, label: None) -> dict[str, Any]:
        """Play the final match, and write the file with the result, result.json and the report.

        Args:
            artifact: the result of `run`.
            advance: a function that is called with the number of finished games, and the name of the pair of players.

        Returns:
            The result as plain data: the kind of the run, the numbers of games and seconds of the training, the entries
            of `facts`, and `holdout`, which contains the dictionaries from `play_pairs`.
        """
        s, entries = self.settings, self.journal.entries
        seconds = sum(entry["seconds"] for entry in entries)
        result: dict[str, Any] = {"kind": self.command, "games": self.games(), "seconds": seconds}
        self.journal.write(self.artifact_name, self.content(artifact, result))  # written before the match
        result |= self.facts(artifact)
        result["holdout"] = rows = play_pairs(
            self.pairs(artifact), s.holdout_pairs, s.conditions, holdout_seed(s.seed), self.journal.folder / "holdout",
            jobs=self._jobs, backend=self._backend, advance=advance,
        )  # fmt: skip
        self.journal.write(self.artifact_name, self.content(artifact, result))
        report = Report(self.title)
        report.text(self.summary(result))
        _tabulate(report, rows)
        self.describe(report, artifact, result)
        self._write(report, result)
        return result

    def _write(self, report: Report, result: dict[str, Any]) -> None:
        """Add settings, machine and command to the report; write the report, the figures and the result to files."""
        journal = self.journal
        report.heading("Settings")
        report.code((journal.folder / SETTINGS).read_text(encoding="utf-8").rstrip())
        report.heading("Machine")
        report.machine()
        report.heading("Again")
        report.code(f"warlight train {self.command} {SETTINGS} --out again")
        for i, figure in enumerate(report.figures, 1):
            journal.write(f"curve-{i}.svg", figure)
        journal.write("report.md", report.to_markdown())
        journal.write("report.html", report.to_html())
        journal.write("result.json", json.dumps(result, indent=2) + "\n")


def _file_name(step: dict[str, Any]) -> str:
    """Return the name of the file that stores a step's result: a network, or a part of the games or labels."""
    number = step["iteration"] + 1
    if step["event"] == "fit":
        return f"network-{number}.npz"
    return f"{step['event']}/{number}-{step['part'] + 1}.npz"


def _tabulate(report: Report, rows: Sequence[dict[str, Any]]) -> None:
    """Add the table of the final match to the report. rows: the result of `play_pairs`."""
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
