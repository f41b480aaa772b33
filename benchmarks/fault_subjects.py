"""Subjects of the fault injection: commands that write a folder and can be continued, and their results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

#: Keys of results that depend on the machine or the time; they are not compared.
TIMES: Final = ("time", "times", "use", "jobs", "games_found")

SMALL: Final = {"map": "small", "max_rounds": 60}
EVOLVE: Final = {
    "stages": [
        {
            "player": "one_ply:samples=1",
            "generations": 8,
            "population": 4,
            "pairs": 6,
            "eval_interval": 2,
            "eval_pairs": 8,
        }
    ],
    "conditions": SMALL,
    "holdout_pairs": 2,
    "seed": 3,
}
TD: Final = {"batches": 12, "games": 30, "samples": 1, "eval_pairs": 8, "conditions": SMALL, "holdout_pairs": 2}
PPO: Final = {
    "iterations": 6, "n_envs": 8, "n_steps": 32, "batch_size": 64, "n_epochs": 2, "width": 8, "hidden": 8,
    "snapshot_interval": 1, "max_snapshots": 2, "eval_interval": 2, "eval_pairs": 1, "holdout_pairs": 1,
    "eval_opponents": ["random"], "conditions": SMALL,
}  # fmt: skip
TOURNAMENT: Final = {"agents": ["random", "smart_random", "aggressive"], "games": 60, "maps": ["small"]}


@dataclass(frozen=True)
class Subject:
    """A command into which faults can be injected.

    Args:
        name: name of the subject.
        words: arguments of the command line; "{settings}" and "{out}" are replaced by paths.
        settings: contents of the settings file, if the command needs one; `file` is its name.
        files: glob patterns of the result files.
        prints: whether standard output is part of the result.
        jobs: whether the run has worker processes.
        program: arguments of Python before `words`.
    """

    name: str
    words: tuple[str, ...]
    files: tuple[str, ...]
    settings: Mapping[str, Any] | None = None
    prints: bool = False
    jobs: bool = True
    program: tuple[str, ...] = ("-m", "warlight_env")
    file: str = "settings.json"

    def command(self, folder: Path) -> list[str]:
        """Return the command line of a run that writes `folder`/out."""
        paths = {"settings": str(folder / self.file), "out": str(folder / "out")}
        return [sys.executable, *self.program, *(word.format(**paths) for word in self.words)]

    def result(self, folder: Path) -> dict[str, Any]:
        """Return the contents of all result files of a complete run, without times."""
        contents: dict[str, Any] = {}
        for pattern in self.files:
            for path in sorted((folder / "out").glob(pattern)):
                contents[str(path.relative_to(folder))] = _content(path, folder)
        if self.prints:
            contents["printed"] = untimed(json.loads((folder / "stdout").read_text()))
        return contents


SUBJECTS: Final = {
    subject.name: subject
    for subject in (
        Subject(
            "match",
            ("match", "smart_random", "aggressive", "-n", "600", "--map", "small", "--paired", "-q", "--json",
             "--jobs", "2", "--out", "{out}"),
            ("games.jsonl", "run.json"),
            prints=True,
        ),
        Subject(
            "tournament",
            ("tournament", "{settings}", "--quiet", "--jobs", "2", "--out", "{out}"),
            ("games.jsonl", "run.json", "tournament.json"),
            TOURNAMENT,
            file="cup.toml",
        ),
        Subject(
            "evolve",
            ("train", "evolve", "{settings}", "-q", "--out", "{out}"),
            ("journal.jsonl", "result.json", "found.json", "settings.json", "*.svg"),
            EVOLVE,
            jobs=False,
        ),
        Subject(
            "td",
            ("train", "td", "{settings}", "-q", "--out", "{out}"),
            ("journal.jsonl", "result.json", "found.json", "settings.json", "*.svg"),
            TD,
            jobs=False,
        ),
        Subject(
            "ppo",
            ("train", "ppo", "{settings}", "-q", "--out", "{out}"),
            ("journal.jsonl", "result.json", "settings.json", "policy.npz", "policies/*.npz"),
            PPO,
            jobs=False,
        ),
    )
}  # fmt: skip


def untimed(value: Any) -> Any:
    """Remove the keys that depend on the machine or the time from plain data."""
    if isinstance(value, dict):
        return {key: untimed(item) for key, item in value.items() if key not in TIMES and "second" not in key}
    return [untimed(item) for item in value] if isinstance(value, list) else value


def _content(path: Path, folder: Path) -> Any:
    """Return the content of a file of a run, without the path of the run's folder."""
    if path.suffix not in (".json", ".jsonl"):
        return path.read_bytes()
    text = path.read_text().replace(str(folder), "FOLDER")
    if path.suffix == ".json":
        return untimed(json.loads(text))
    lines = [untimed(json.loads(line)) for line in text.splitlines()]
    # Games are in the order in which workers completed them, so sort them. Journal entries keep their order.
    return sorted(lines, key=lambda line: (line["contest"], line["number"])) if "number" in lines[0] else lines


class Run:
    """A process of a subject in a separate process group; its output is in files in `folder`.

    Args:
        subject: the command to run.
        folder: the run writes `folder`/out.
        environment: additional environment variables of the process.
        prepare: called in the new process before the command.
    """

    def __init__(
        self, subject: Subject, folder: Path, environment: Mapping[str, str] | None = None, prepare: Any = None
    ) -> None:
        if subject.settings is not None and not (settings := folder / subject.file).exists():
            toml = "".join(f"{key} = {json.dumps(value)}\n" for key, value in subject.settings.items())
            settings.write_text(toml if settings.suffix == ".toml" else json.dumps(subject.settings))
        self.out, self._folder = folder / "out", folder
        self.start = time.monotonic()
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            self.process = subprocess.Popen(
                subject.command(folder), stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                env={**os.environ, **(environment or {})}, preexec_fn=prepare,
            )  # fmt: skip

    @property
    def alive(self) -> bool:
        """Whether the main process is running."""
        return self.process.poll() is None

    @property
    def error_output(self) -> str:
        """The text of standard error."""
        return (self._folder / "stderr").read_text(errors="replace")

    def wait(self, seconds: float = 600.0) -> int:
        """Wait until the main process and its group have ended; return the exit status."""
        code = self.process.wait(seconds)
        self.empty()
        return code

    def signal(self, number: int, group: bool = True) -> None:
        """Send a signal to the process group, or only to the main process."""
        try:
            if group:
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)
        except ProcessLookupError:
            pass

    def members(self) -> list[int]:
        """Return the running processes of the group except the main one: workers and helpers."""
        pids = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # the process has just ended
            if int(fields[2]) == self.process.pid != int(folder.name) and fields[0] != "Z":
                pids.append(int(folder.name))
        return sorted(pids)

    def empty(self, seconds: float = 30.0) -> bool:
        """Wait until no other process of the group remains; after `seconds` seconds, kill them and return False."""
        deadline = time.monotonic() + seconds
        while self.members():
            if time.monotonic() > deadline:
                self.signal(signal.SIGKILL)
                return False
            time.sleep(0.01)
        return True

    def changes(self) -> Iterator[int]:
        """While the process runs, yield the number of observed changes of its folder."""
        sizes, count = _sizes(self.out), 0
        while self.alive:
            new_sizes = _sizes(self.out)
            count += new_sizes != sizes
            sizes = new_sizes
            yield count
            time.sleep(0.0005)


def _sizes(folder: Path) -> tuple[tuple[str, int], ...]:
    """Return the names and sizes of the files in a folder."""
    try:
        return tuple(sorted((entry.name, entry.stat().st_size) for entry in os.scandir(folder)))
    except OSError:  # the folder does not exist yet, or a file was renamed during the scan
        return ()
