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

    def note(self, what: str, times: int = 1) -> None:
        """Count an event for the table."""
        self.notes[what] = self.notes.get(what, 0) + times


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
        self._wanted: dict[str, Any] | None = None
        self.seconds = 0.0  #: seconds of a run without faults

    def prepare(self) -> None:
        """Run the subject twice without faults: the first run may compile kernels, the second one is timed."""
        results = []
        for _ in range(2):
            with self.folder() as folder:
                run = Run(self.subject, folder)
                if run.wait(PATIENCE) != 0:
                    raise SystemExit(f"{self.subject.name} fails where nothing hurts it: {run.said}")
                self.seconds = time.monotonic() - run.began
                results.append(self.subject.result(folder))
        if results[0] != results[1]:
            raise SystemExit(f"{self.subject.name}: two runs that nothing hurt differ: {difference(*results)}")
        self._wanted = results[0]

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """Create a folder for a run; delete it at the end."""
        made = Path(tempfile.mkdtemp(prefix=f"{self.subject.name}-", dir=self.work))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def judge(self, score: Score, folder: Path, strikes: int) -> None:
        """Check the result of a complete run after `strikes` strikes."""
        assert self._wanted is not None
        try:
            found = difference(self._wanted, self.subject.result(folder))
        except (OSError, ValueError, KeyError, IndexError) as error:
            found = f"the result cannot be read: {error}"
        if found is None:
            score.survived += strikes
        else:
            score.lost.append(f"after {strikes} strikes: {found}")

    def finish(self, score: Score, folder: Path, strikes: int) -> None:
        """Continue the run until its end, and check its result."""
        run = Run(self.subject, folder)
        if run.wait(PATIENCE) != 0:
            score.lost.append(f"after {strikes} strikes it does not go on: {last_line(run.said)}")
        else:
            self.judge(score, folder, strikes)


def difference(wanted: Any, found: Any, where: str = "") -> str | None:
    """Return the first difference between two results, or None."""
    if type(wanted) is type(found) and isinstance(wanted, dict):
        for key in [*wanted, *(key for key in found if key not in wanted)]:
            if key not in found or key not in wanted:
                return f"{where}/{key} is only in {'one' if key in wanted else 'the other'}"
            if (inner := difference(wanted[key], found[key], f"{where}/{key}")) is not None:
                return inner
        return None
    if type(wanted) is type(found) and isinstance(wanted, list) and len(wanted) == len(found):
        inners = (difference(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(wanted, found, strict=True)))
        return next((inner for inner in inners if inner is not None), None)
    return None if wanted == found else f"{where}: {str(wanted)[:80]} became {str(found)[:80]}"


def last_line(text: str) -> str:
    """Return the last line of an error text."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "nothing was said")[:300]


def in_words(run: Run) -> bool:
    """Whether the run's standard error contains no traceback."""
    return "Traceback" not in run.said


# Kills


def kills(ward: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGKILL at random times, to all processes at once, or only to the main one, whose workers must then end.

    Half of the times are uniform over the duration of a run, half are directly after a write.
    """
    score = Score()
    while score.tried < times:
        with ward.folder() as folder:
            strikes, ended = 0, False
            while not ended and score.tried < times and strikes < KILLS_PER_RUN:
                ended = not _kill_once(ward, folder, score)
                strikes += not ended
                yield score
            if ended:
                ward.judge(score, folder, strikes)
            else:
                ward.finish(score, folder, strikes)
        yield score


def _kill_once(ward: FaultTarget, folder: Path, score: Score) -> bool:
    """Start the run again and kill it; return False if it ended before the kill."""
    rng, run = ward.rng, Run(ward.subject, folder)
    at_write, whole_group = rng.random() < 0.5, rng.random() < 0.6
    until = run.began + rng.uniform(0, ward.seconds) if not at_write else run.began + PATIENCE
    writes, delay = rng.randrange(1, 12), rng.choice([0.0, rng.uniform(0, 0.004), rng.uniform(0, 0.05)])
    seen = 0
    for seen in run.changes():
        if time.monotonic() >= until or (at_write and seen >= writes):
            break
    if at_write:
        time.sleep(delay)
    if not run.alive:
        if run.wait() != 0:
            score.lost.append(f"it does not go on: {last_line(run.said)}")
        return False
    score.tried += 1
    score.note("before the first write" if not seen else "right after a write" if at_write else "between writes")
    run.signal(signal.SIGKILL, group=whole_group)
    run.process.wait()
    if not run.empty():
        score.lost.append("its workers did not end with it")
    return True


def interrupts(ward: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGINT or SIGTERM at random times, sometimes twice: status 130, no traceback, the run can go on."""
    score, misses = Score(), 0
    while score.tried < times:
        with ward.folder() as folder:
            run = Run(ward.subject, folder)
            time.sleep(ward.rng.uniform(0.3, 1.0) * ward.seconds)
            if not run.alive:
                run.wait()
                if (misses := misses + 1) > MISSES * times:
                    score.lost.append(ALWAYS_OVER)
                    yield score
                    return
                continue
            number = ward.rng.choice([signal.SIGINT, signal.SIGTERM])
            score.tried += 1
            run.signal(number)
            if ward.rng.random() < 0.5:
                time.sleep(ward.rng.uniform(0, 0.3))
                run.signal(number)
            code = run.wait(PATIENCE)
            score.note(f"status {code}")
            if not in_words(run):
                score.lost.append(f"a traceback at {number.name}: {last_line(run.said)}")
            elif code not in (0, INTERRUPTED):
                score.lost.append(f"status {code} at {number.name}: {last_line(run.said)}")
            if code == 0:  # the run was complete before it received the signal
                ward.judge(score, folder, 1)
            else:
                ward.finish(score, folder, 1)
        yield score
    if score.tried and f"status {INTERRUPTED}" not in score.notes:
        score.lost.append(f"it never ended with status {INTERRUPTED}")
    yield score


# Workers


def lost_workers(ward: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGKILL to one worker. The run must continue without it, or end with an error message and be continuable."""
    score = Score()
    if not ward.subject.jobs:
        score.skipped = "it has no workers"
        yield score
        return
    misses = 0
    while score.tried < times:
        with ward.folder() as folder:
            run = Run(ward.subject, folder)
            wait = run.began + ward.rng.uniform(0, ward.seconds)
            while run.alive and (time.monotonic() < wait or not run.members()):
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
                os.kill(ward.rng.choice(members), signal.SIGKILL)
            _ended(ward, score, run, folder)
        yield score


def slow_workers(ward: FaultTarget, times: int) -> Iterator[Score]:
    """Send SIGSTOP to a random process of the run, three times per run, for up to two seconds each."""
    score = Score()
    while score.tried < times:
        with ward.folder() as folder:
            run = Run(ward.subject, folder)
            for _ in range(3):
                time.sleep(ward.rng.uniform(0.05, 0.3) * ward.seconds)
                stopped = ward.rng.choice([run.process.pid, *run.members()])
                with contextlib.suppress(ProcessLookupError):
                    os.kill(stopped, signal.SIGSTOP)
                time.sleep(ward.rng.uniform(0.1, 2.0))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(stopped, signal.SIGCONT)
            score.tried += 1
            _ended(ward, score, run, folder)
        yield score


def _ended(ward: FaultTarget, score: Score, run: Run, folder: Path) -> None:
    """Wait for the end of a run with a fault: success, or an error message, after which it is continued."""
    try:
        code = run.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        run.signal(signal.SIGKILL)
        run.wait()
        score.lost.append("it hangs")
        return
    if code == 0:
        ward.judge(score, folder, 1)
        return
    if not in_words(run):
        score.lost.append(f"a traceback: {last_line(run.said)}")
    score.refused += 1
    ward.finish(score, folder, 1)


# Disks


def can_mount() -> bool:
    """Whether this process can mount disks."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as place:
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True, check=False).returncode:
            return False
        subprocess.run(["umount", place], check=True)
        return True


@contextlib.contextmanager
def mounted(place: Path, options: str) -> Iterator[None]:
    """Mount a separate disk at a folder."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def remount(place: Path, options: str) -> None:
    """Mount the disk again with other options."""
    subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)


@contextlib.contextmanager
def _disk(ward: FaultTarget, options: str) -> Iterator[tuple[Path, Callable[[str], None]]]:
    """Yield a folder whose ``out`` is a separate disk, and a function that remounts this disk."""
    with ward.folder() as folder:
        out = folder / "out"
        out.mkdir()
        with mounted(out, options):
            yield folder, partial(remount, out)


def full_disk(ward: FaultTarget, times: int) -> Iterator[Score]:
    """A disk becomes full during the run and gets space again. Without root, the size of files is limited instead."""
    score, small = Score(), can_mount()
    score.note("a small disk" if small else "a limit on the size of files", 0)
    with ward.folder() as folder:
        Run(ward.subject, folder).wait(PATIENCE)
        sizes = [path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file()]
    if sum(sizes) < 3 * 4096:
        score.skipped = "what it writes fits on any disk"
    while score.tried < times and score.skipped is None:
        share = ward.rng.uniform(0.05, 0.6)  # replacing a file needs twice its size
        if small:
            with _disk(ward, f"size={max(4096, int(share * sum(sizes)))}") as (folder, remount):
                _hurt_by(ward, score, Run(ward.subject, folder), folder, lambda: remount("size=1g"))
        else:
            limit = int(share * max(sizes))
            with ward.folder() as folder:
                _hurt_by(ward, score, Run(ward.subject, folder, prepare=partial(_limit_files, limit)), folder)
        yield score


def _limit_files(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def read_only(ward: FaultTarget, times: int) -> Iterator[Score]:
    """A disk is read-only from the start, or when a killed run is continued."""
    score = Score()
    if not can_mount():
        score.skipped = "mounting a disk takes root"
        yield score
        return
    while score.tried < times:
        with _disk(ward, "size=1g") as (folder, remount):
            if score.tried % 2:
                run = Run(ward.subject, folder)
                time.sleep(ward.rng.uniform(0.5, 0.9) * ward.seconds)
                run.signal(signal.SIGKILL)
                run.wait()
            remount("ro")
            _hurt_by(ward, score, Run(ward.subject, folder), folder, partial(remount, "rw"))
        yield score


def _hurt_by(ward: FaultTarget, score: Score, run: Run, folder: Path, mend: Callable[[], None] | None = None) -> None:
    """Wait for a run whose disk fails. It must end with an error message, and be continuable after `mend`."""
    code = run.wait(PATIENCE)
    if mend is not None:
        mend()
    if code == 0:  # the disk did not fail during this run
        ward.judge(score, folder, 0)
        return
    score.tried += 1
    if code not in (1, 2) or not in_words(run):
        score.lost.append(f"status {code}: {last_line(run.said)}")
    score.refused += 1
    ward.finish(score, folder, 1)


# Clocks


def clocks(ward: FaultTarget, times: int) -> Iterator[Score]:
    """The system clock jumps by up to ten years in both directions, several times per second (libfaketime)."""
    score = Score()
    library = next((path for path in LIBRARIES if Path(path).exists()), None)
    if library is None:
        score.skipped = "libfaketime is not installed"
        yield score
        return
    while score.tried < times:
        with ward.folder() as folder:
            clock = folder / "clock"
            clock.write_text("+0")
            environment = {
                "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }  # fmt: skip
            run = Run(ward.subject, folder, environment)
            while run.alive and time.monotonic() - run.began < PATIENCE:
                fresh = folder / "clock.new"
                fresh.write_text(ward.rng.choice(["+3650d", "-3650d", "+1h", "-1h", "+0"]))
                fresh.replace(clock)
                score.note("jumps")
                time.sleep(ward.rng.uniform(0.02, 0.4))
            score.tried += 1
            _ended(ward, score, run, folder)
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


def peers(ward: FaultTarget, times: int) -> Iterator[Score]:
    """External bots that are silent, slow or write without end, against `random`: the match must end."""
    score = Score()
    if ward.subject.name != "match":
        score.skipped = "it has no peers"
        yield score
        return
    while score.tried < times:
        kind = list(PEERS)[score.tried % len(PEERS)]
        with ward.folder() as folder:
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
                score.lost.append(f"{kind}: status {code}, {len(games)} games of 2: {last_line(run.said)}")
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
