"""What the fault bench hurts: runs of the command line that write a folder and go on from it, and what they come to."""

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

#: Of a result, what depends on the machine and the moment: none of it is compared.
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
    """A run that can be hurt.

    Args:
        name: of it.
        words: of its command line; "{settings}" and "{out}" stand for paths.
        settings: of the run, if it takes a file of them, whose name is `file`.
        files: patterns of the files that are its result.
        prints: whether its standard output is part of the result.
        jobs: whether it has worker processes.
        program: what Python is given before the words.
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
        """The command line of a run whose folder is `folder`/out."""
        paths = {"settings": str(folder / self.file), "out": str(folder / "out")}
        return [sys.executable, *self.program, *(word.format(**paths) for word in self.words)]

    def result(self, folder: Path) -> dict[str, Any]:
        """All that a finished run has come to, without times."""
        found: dict[str, Any] = {}
        for pattern in self.files:
            for path in sorted((folder / "out").glob(pattern)):
                found[str(path.relative_to(folder))] = _content(path, folder)
        if self.prints:
            found["printed"] = untimed(json.loads((folder / "stdout").read_text()))
        return found


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
    """Plain data without what depends on the machine and the moment."""
    if isinstance(value, dict):
        return {key: untimed(item) for key, item in value.items() if key not in TIMES and "second" not in key}
    return [untimed(item) for item in value] if isinstance(value, list) else value


def _content(path: Path, folder: Path) -> Any:
    """What is in a file of a run, wherever that run lies."""
    if path.suffix not in (".json", ".jsonl"):
        return path.read_bytes()
    text = path.read_text().replace(str(folder), "FOLDER")
    if path.suffix == ".json":
        return untimed(json.loads(text))
    lines = [untimed(json.loads(line)) for line in text.splitlines()]
    # Games stand in the order in which workers ended them; entries of a journal have none but their own.
    return sorted(lines, key=lambda line: (line["contest"], line["number"])) if "number" in lines[0] else lines


class Run:
    """A process of a subject, in a group of its own, with what it says in files beside its folder.

    Args:
        subject: what runs.
        folder: the run writes `folder`/out.
        environment: of the process, beside ours.
        prepare: called in the process before the command.
    """

    def __init__(
        self, subject: Subject, folder: Path, environment: Mapping[str, str] | None = None, prepare: Any = None
    ) -> None:
        if subject.settings is not None and not (settings := folder / subject.file).exists():
            toml = "".join(f"{key} = {json.dumps(value)}\n" for key, value in subject.settings.items())
            settings.write_text(toml if settings.suffix == ".toml" else json.dumps(subject.settings))
        self.out, self._folder = folder / "out", folder
        self.began = time.monotonic()
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            self.process = subprocess.Popen(
                subject.command(folder), stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                env={**os.environ, **(environment or {})}, preexec_fn=prepare,
            )  # fmt: skip

    @property
    def alive(self) -> bool:
        """Whether its main process has not ended."""
        return self.process.poll() is None

    @property
    def said(self) -> str:
        """Its standard error."""
        return (self._folder / "stderr").read_text(errors="replace")

    def wait(self, seconds: float = 600.0) -> int:
        """Its exit status, and the group is gone."""
        code = self.process.wait(seconds)
        self.empty()
        return code

    def signal(self, number: int, group: bool = True) -> None:
        """Send a signal to all of its processes or to the main one."""
        try:
            if group:
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)
        except ProcessLookupError:
            pass

    def members(self) -> list[int]:
        """The other processes of its group that live, workers and their helpers."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            if int(fields[2]) == self.process.pid != int(folder.name) and fields[0] != "Z":
                found.append(int(folder.name))
        return sorted(found)

    def empty(self, seconds: float = 30.0) -> bool:
        """Wait until no process of the group is left; whether that came to be."""
        until = time.monotonic() + seconds
        while self.members():
            if time.monotonic() > until:
                self.signal(signal.SIGKILL)
                return False
            time.sleep(0.01)
        return True

    def changes(self) -> Iterator[int]:
        """How many times its folder was seen to have grown or changed, again and again while the process lives."""
        seen, count = _sizes(self.out), 0
        while self.alive:
            now = _sizes(self.out)
            count += now != seen
            seen = now
            yield count
            time.sleep(0.0005)


def _sizes(folder: Path) -> tuple[tuple[str, int], ...]:
    """The files of a folder with their sizes."""
    try:
        return tuple(sorted((entry.name, entry.stat().st_size) for entry in os.scandir(folder)))
    except OSError:  # not there yet, or a file that has just been renamed
        return ()
