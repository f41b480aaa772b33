"""The faults that are injected into runs. Each checks that the run's final result is the same as without faults."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from fault_subjects import Run, Subject

#: Largest number of kills in one run, so that the run ends and its result can be checked.
KILLS_PER_RUN: Final = 20
#: Number of runs per strike that may end before the strike.
MISSES: Final = 10
#: Seconds after which a run counts as hanging.
PATIENCE: Final = 300.0
#: Exit status of a run after SIGINT or SIGTERM.
INTERRUPTED: Final = 130
ALWAYS_OVER: Final = "it is always over before it is struck"
LIBRARIES: Final = ("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1")


@dataclass
class Score:
    """The results of one fault for one subject.

    tried: number of strikes. survived: number of strikes after which the final result was the same. refused: number of
    strikes after which the run ended with an error message before it was continued. lost: one line for each lost
    result, with the reason.
    """

    tried: int = 0
    survived: int = 0
    refused: int = 0
    lost: list[str] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)
    skipped: str | None = None  #: why the fault was not tried on this machine

    def note(self, event: str, times: int = 1) -> None:
        """Count an event for the table."""
        self.notes[event] = self.notes.get(event, 0) + times


class FaultTarget:
    """A subject, and the result of a run without faults.

    Args:
        subject: the command to run.
        work: folder for the runs.
        seed: seed of the random faults.
    """

    def __init__(self, subject: Subject, work: Path, seed: int) -> None:
        self.subject, self.work = subject, work
        self.rng = random.Random(f"{seed}/{subject.name}")
        self._expected: dict[str, Any] | None = None
        self.seconds = 0.0  #: seconds of a run without faults

    def prepare(self) -> None:
        """Run the subject twice without faults: the first run may compile kernels, the second one is timed."""
        results = []
        for _ in range(2):
            with self.folder() as folder:
                run = Run(self.subject, folder)
                if run.wait(PATIENCE) != 0:
                    raise SystemExit(f"{self.subject.name} fails where nothing hurts it: {run.error_output}")
                self.seconds = time.monotonic() - run.start
                results.append(self.subject.result(folder))
        if results[0] != results[1]:
            raise SystemExit(f"{self.subject.name}: two runs that nothing hurt differ: {difference(*results)}")
        self._expected = results[0]

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """Create a folder for a run; delete it at the end."""
        path = Path(tempfile.mkdtemp(prefix=f"{self.subject.name}-", dir=self.work))
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def judge(self, score: Score, folder: Path, strikes: int) -> None:
        """Check the result of a complete run after `strikes` strikes."""
        assert self._expected is not None
        try:
            change = difference(self._expected, self.subject.result(folder))
        except (OSError, ValueError, KeyError, IndexError) as error:
            change = f"the result cannot be read: {error}"
        if change is None:
            score.survived += strikes
        else:
            score.lost.append(f"after {strikes} strikes: {change}")

    def finish(self, score: Score, folder: Path, strikes: int) -> None:
        """Continue the run until its end, and check its result."""
        run = Run(self.subject, folder)
        if run.wait(PATIENCE) != 0:
            score.lost.append(f"after {strikes} strikes it does not go on: {last_line(run.error_output)}")
        else:
            self.judge(score, folder, strikes)


def difference(expected: Any, actual: Any, path: str = "") -> str | None:
    """Return the first difference between two results, or None."""
    if type(expected) is type(actual) and isinstance(expected, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            if key not in actual or key not in expected:
                return f"{path}/{key} is only in {'one' if key in expected else 'the other'}"
            if (inner := difference(expected[key], actual[key], f"{path}/{key}")) is not None:
                return inner
        return None
    if type(expected) is type(actual) and isinstance(expected, list) and len(expected) == len(actual):
        inners = (difference(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(expected, actual, strict=True)))
        return next((inner for inner in inners if inner is not None), None)
    return None if expected == actual else f"{path}: {str(expected)[:80]} became {str(actual)[:80]}"


def last_line(text: str) -> str:
    """Return the last line of an error text."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "nothing was said")[:300]


def in_words(run: Run) -> bool:
    """Whether the run's standard error contains no traceback."""
    return "Traceback" not in run.error_output


# Kills


def kills(target: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGKILL at random times, to all processes at once, or only to the main one, whose workers must then end.

    Half of the times are uniform over the duration of a run, half are directly after a write.
    """
    score = Score()
    while score.tried < times:
        with target.folder() as folder:
            strikes, ended = 0, False
            while not ended and score.tried < times and strikes < KILLS_PER_RUN:
                ended = not _kill_once(target, folder, score)
                strikes += not ended
                yield score
            if ended:
                target.judge(score, folder, strikes)
            else:
                target.finish(score, folder, strikes)
        yield score


def _kill_once(target: FaultTarget, folder: Path, score: Score) -> bool:
    """Start the run again and kill it; return False if it ended before the kill."""
    rng, run = target.rng, Run(target.subject, folder)
    at_write, whole_group = rng.random() < 0.5, rng.random() < 0.6
    deadline = run.start + rng.uniform(0, target.seconds) if not at_write else run.start + PATIENCE
    writes, delay = rng.randrange(1, 12), rng.choice([0.0, rng.uniform(0, 0.004), rng.uniform(0, 0.05)])
    n_changes = 0
    for n_changes in run.changes():
        if time.monotonic() >= deadline or (at_write and n_changes >= writes):
            break
    if at_write:
        time.sleep(delay)
    if not run.alive:
        if run.wait() != 0:
            score.lost.append(f"it does not go on: {last_line(run.error_output)}")
        return False
    score.tried += 1
    score.note("before the first write" if not n_changes else "right after a write" if at_write else "between writes")
    run.signal(signal.SIGKILL, group=whole_group)
    run.process.wait()
    if not run.empty():
        score.lost.append("its workers did not end with it")
    return True


def interrupts(target: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGINT or SIGTERM at random times, sometimes twice: status 130, no traceback, the run can go on."""
    score, misses = Score(), 0
    while score.tried < times:
        with target.folder() as folder:
            run = Run(target.subject, folder)
            time.sleep(target.rng.uniform(0.3, 1.0) * target.seconds)
            if not run.alive:
                run.wait()
                if (misses := misses + 1) > MISSES * times:
                    score.lost.append(ALWAYS_OVER)
                    yield score
                    return
                continue
            number = target.rng.choice([signal.SIGINT, signal.SIGTERM])
            score.tried += 1
            run.signal(number)
            if target.rng.random() < 0.5:
                time.sleep(target.rng.uniform(0, 0.3))
                run.signal(number)
            code = run.wait(PATIENCE)
            score.note(f"status {code}")
            if not in_words(run):
                score.lost.append(f"a traceback at {number.name}: {last_line(run.error_output)}")
            elif code not in (0, INTERRUPTED):
                score.lost.append(f"status {code} at {number.name}: {last_line(run.error_output)}")
            if code == 0:  # the run was complete before it received the signal
                target.judge(score, folder, 1)
            else:
                target.finish(score, folder, 1)
        yield score
    if score.tried and f"status {INTERRUPTED}" not in score.notes:
        score.lost.append(f"it never ended with status {INTERRUPTED}")
    yield score


# Workers


def lost_workers(target: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGKILL to one worker. The run must continue without it, or end with an error message and be continuable."""
    score = Score()
    if not target.subject.jobs:
        score.skipped = "it has no workers"
        yield score
        return
    misses = 0
    while score.tried < times:
        with target.folder() as folder:
            run = Run(target.subject, folder)
            kill_time = run.start + target.rng.uniform(0, target.seconds)
            while run.alive and (time.monotonic() < kill_time or not run.members()):
                time.sleep(0.005)
            members = run.members()
            if not members:
                run.wait(PATIENCE)
                if (misses := misses + 1) > MISSES * times:
                    score.lost.append(ALWAYS_OVER)
                    yield score
                    return
                continue
            score.tried += 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(target.rng.choice(members), signal.SIGKILL)
            _ended(target, score, run, folder)
        yield score


def slow_workers(target: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGSTOP to a random process of the run, three times per run, for up to two seconds each."""
    score = Score()
    while score.tried < times:
        with target.folder() as folder:
            run = Run(target.subject, folder)
            for _ in range(3):
                time.sleep(target.rng.uniform(0.05, 0.3) * target.seconds)
                pid = target.rng.choice([run.process.pid, *run.members()])
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                time.sleep(target.rng.uniform(0.1, 2.0))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            score.tried += 1
            _ended(target, score, run, folder)
        yield score


def _ended(target: FaultTarget, score: Score, run: Run, folder: Path) -> None:
    """Wait for the end of a run with a fault: success, or an error message, after which it is continued."""
    try:
        code = run.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        run.signal(signal.SIGKILL)
        run.wait()
        score.lost.append("it hangs")
        return
    if code == 0:
        target.judge(score, folder, 1)
        return
    if not in_words(run):
        score.lost.append(f"a traceback: {last_line(run.error_output)}")
    score.refused += 1
    target.finish(score, folder, 1)


# Disks


def can_mount() -> bool:
    """Whether this process can mount disks."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False).returncode:
            return False
        subprocess.run(["umount", folder], check=True)
        return True


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """Mount a separate disk at a folder."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def remount(folder: Path, options: str) -> None:
    """Mount the disk again with other options."""
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


@contextlib.contextmanager
def _disk(target: FaultTarget, options: str) -> Iterator[tuple[Path, Callable[[str], None]]]:
    """Yield a folder whose ``out`` is a separate disk, and a function that remounts this disk."""
    with target.folder() as folder:
        out = folder / "out"
        out.mkdir()
        with mounted(out, options):
            yield folder, partial(remount, out)


def full_disk(target: FaultTarget, times: int) -> Iterator[Score]:
    """A disk becomes full during the run and gets space again. Without root, the size of files is limited instead."""
    score, small = Score(), can_mount()
    score.note("a small disk" if small else "a limit on the size of files", 0)
    with target.folder() as folder:
        Run(target.subject, folder).wait(PATIENCE)
        sizes = [path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file()]
    if sum(sizes) < 3 * 4096:
        score.skipped = "what it writes fits on any disk"
    while score.tried < times and score.skipped is None:
        share = target.rng.uniform(0.05, 0.6)  # replacing a file needs twice its size
        if small:
            with _disk(target, f"size={max(4096, int(share * sum(sizes)))}") as (folder, remount):
                _hurt_by(target, score, Run(target.subject, folder), folder, lambda: remount("size=1g"))
        else:
            limit = int(share * max(sizes))
            with target.folder() as folder:
                _hurt_by(target, score, Run(target.subject, folder, prepare=partial(_limit_files, limit)), folder)
        yield score


def _limit_files(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def read_only(target: FaultTarget, times: int) -> Iterator[Score]:
    """A disk is read-only from the start, or when a killed run is continued."""
    score = Score()
    if not can_mount():
        score.skipped = "mounting a disk takes root"
        yield score
        return
    while score.tried < times:
        with _disk(target, "size=1g") as (folder, remount):
            if score.tried % 2:
                run = Run(target.subject, folder)
                time.sleep(target.rng.uniform(0.5, 0.9) * target.seconds)
                run.signal(signal.SIGKILL)
                run.wait()
            remount("ro")
            _hurt_by(target, score, Run(target.subject, folder), folder, partial(remount, "rw"))
        yield score


def _hurt_by(
    target: FaultTarget, score: Score, run: Run, folder: Path, repair: Callable[[], None] | None = None
) -> None:
    """Wait for a run whose disk fails. It must end with an error message, and be continuable after `repair`."""
    code = run.wait(PATIENCE)
    if repair is not None:
        repair()
    if code == 0:  # the disk did not fail during this run
        target.judge(score, folder, 0)
        return
    score.tried += 1
    if code not in (1, 2) or not in_words(run):
        score.lost.append(f"status {code}: {last_line(run.error_output)}")
    score.refused += 1
    target.finish(score, folder, 1)


# Clocks


def clocks(target: FaultTarget, times: int) -> Iterator[Score]:
    """The system clock jumps by up to ten years in both directions, several times per second (libfaketime)."""
    score = Score()
    library = next((path for path in LIBRARIES if Path(path).exists()), None)
    if library is None:
        score.skipped = "libfaketime is not installed"
        yield score
        return
    while score.tried < times:
        with target.folder() as folder:
            clock = folder / "clock"
            clock.write_text("+0")
            environment = {
                "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }  # fmt: skip
            run = Run(target.subject, folder, environment)
            while run.alive and time.monotonic() - run.start < PATIENCE:
                fresh = folder / "clock.new"
                fresh.write_text(target.rng.choice(["+3650d", "-3650d", "+1h", "-1h", "+0"]))
                fresh.replace(clock)
                score.note("jumps")
                time.sleep(target.rng.uniform(0.02, 0.4))
            score.tried += 1
            _ended(target, score, run, folder)
        yield score


# Peers


SILENT: Final = "import sys, time\nfor line in sys.stdin:\n    time.sleep(3600)\n"
SLOW: Final = (
    "import sys, time\n"
    "for line in sys.stdin:\n"
    "    time.sleep(0.03)\n"
    "    words = line.split()\n"
    "    if words[:1] == ['go']: print('No moves', flush=True)\n"
    "    elif words[:1] == ['pick_starting_regions']: print(*words[2:8], flush=True)\n"
)
FLOOD: Final = "import sys\nwhile True:\n    sys.stdout.write('x' * 65536)\n"
PEERS: Final = {"silent": SILENT, "slow": SLOW, "flooding": FLOOD}


def peers(target: FaultTarget, times: int) -> Iterator[Score]:
    """External bots that are silent, slow or write without end, against `random`: the match must end."""
    score = Score()
    if target.subject.name != "match":
        score.skipped = "it has no peers"
        yield score
        return
    while score.tried < times:
        kind = list(PEERS)[score.tried % len(PEERS)]
        with target.folder() as folder:
            (folder / "bot.py").write_text(PEERS[kind])
            words = (
                "match", f"cmd:{sys.executable} {folder / 'bot.py'}", "random", "-n", "2", "--map", "small", "--rules",
                "challenge1", "--picks", "agents", "-q", "--json", "--out", "{out}",
            )  # fmt: skip
            run = Run(Subject("peer", words, ("games.jsonl",), prints=True), folder)
            score.tried += 1
            score.note(kind)
            try:
                code = run.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                run.signal(signal.SIGKILL)
                score.lost.append(f"{kind}: it hangs")
                continue
            games = (folder / "out" / "games.jsonl").read_text().splitlines()
            if code != 0 or len(games) != 2 or not in_words(run):
                score.lost.append(f"{kind}: status {code}, {len(games)} games of 2: {last_line(run.error_output)}")
            else:
                score.survived += 1
        yield score


FAULTS: Final[dict[str, Callable[[FaultTarget, int], Iterator[Score]]]] = {
    "kills": kills,
    "interrupts": interrupts,
    "lost workers": lost_workers,
    "slow workers": slow_workers,
    "full disk": full_disk,
    "read-only disk": read_only,
    "clock jumps": clocks,
    "peers": peers,
}
