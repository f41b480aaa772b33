"""Press Ctrl-C at random times: ``python tests/interrupts.py --runs 100 --jobs 2 [COMMAND ...]``.

Each run starts a long command in a new session, sends SIGINT once or twice to its process group, and measures the
seconds until it ends. The command must end within `LIMIT` seconds after the only signal, or within `TWICE` seconds
after the second one. Its exit code must be 130, or 0 if it was complete. Standard error must contain no traceback, and
no process of the session may remain.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Largest number of seconds until the end, after one Ctrl-C and after two.
LIMIT, TWICE = 5.0, 1.5
#: Seconds after which a process that does not end is killed.
GUARD: Final = 60.0
#: Seconds in which the remaining processes of the session may end.
LEAVING: Final = 0.5
TOURNAMENT: Final = 'agents = ["random", "mcts:sims=300", "nash:secs=1"]\ngames = 1000\nmaps = ["world"]\n'

#: Command lines by the name of the command.
COMMANDS: Final = {
    "match": "match mcts:sims=2000 nash:secs=2 -n 1000 -q",
    "match --jobs 3": "match mcts:sims=2000 nash:secs=2 -n 1000 -q --jobs 3 --out OUT",
    "match long move": "match mcts:60s mcts:60s -n 2 -q",
    "tournament": "tournament cup.toml -q --jobs 2 --out OUT",
    "bench": "bench mcts:sims=500 -q --jobs 2 --out OUT",
    "experiment": "experiment run thesis-3.2 -q --jobs 2 --out OUT",
    "train evolve": "train evolve -q --jobs 2 --out OUT",
    "train td": "train td -q --jobs 2 --out OUT",
    "train value": "train value -q --jobs 2 --out OUT",
    "train exit": "train exit -q --jobs 2 --out OUT",
    "train ppo": "train ppo -q --jobs 12 --out OUT",
    "play": "play --port 0 --no-browser --log OUT",
}


@dataclass
class Outcome:
    """The result of a run."""

    seconds: float  #: time from the last signal to the end
    code: int
    wrong: str  #: what went wrong; "": nothing


def session_of(leader: int) -> Iterator[str]:
    """Yield the processes of a session that are not zombies, as "PID COMMAND"."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, rest = re.fullmatch(r"\d+ \((.*)\) (.*)", (folder / "stat").read_text().strip(), re.DOTALL).groups()
            state, _, _, session = rest.split()[:4]
            if int(session) == leader and state not in "ZX":
                yield f"{folder.name} {name}"


def run(name: str, delay: float, second: float | None) -> Outcome:
    """Start a command, and interrupt it after `delay` seconds and, unless None, again after `second` more seconds."""
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "cup.toml").write_text(TOURNAMENT)
        words = [str(Path(made) / "out") if word == "OUT" else word for word in COMMANDS[name].split()]
        with open(Path(made) / "errors", "w+") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "warlight_env", *words],
                stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, cwd=made, start_new_session=True,
            )  # fmt: skip
            try:
                time.sleep(delay)
                if process.poll() is not None:
                    return Outcome(0.0, process.returncode, "" if process.returncode == 0 else "ended by itself")
                os.killpg(process.pid, signal.SIGINT)
                began = time.monotonic()
                if second is not None:
                    time.sleep(second)
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGINT)
                    began = time.monotonic()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(GUARD)
                seconds = time.monotonic() - began
                wrong = judged(process, seconds, LIMIT if second is None else TWICE)
            finally:
                time.sleep(LEAVING)
                left = list(session_of(process.pid))
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            errors.seek(0)
            text = errors.read()
        wrong += [f"left behind: {', '.join(left)}"] if left else []
        wrong += [text[-2000:]] if "Traceback" in text else []
        return Outcome(seconds, process.returncode, "; ".join(wrong))


def judged(process: subprocess.Popen[bytes], seconds: float, limit: float) -> list[str]:
    """Return the problems with the end of a process."""
    if process.returncode is None:
        return [f"still ran {GUARD:g} s later"]
    wrong = [f"{seconds:.1f} s to the end"] if seconds > limit else []
    # Two signals can arrive before Python handles the first one; then the process ends with SIGINT.
    if process.returncode not in (0, 130, -signal.SIGINT):
        wrong.append(f"exit code {process.returncode}")
    return wrong


def main() -> int:
    """Run the commands and print a report; return 1 if a run failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="COMMAND", help=f"default: all of {', '.join(COMMANDS)}")
    parser.add_argument("--runs", type=int, default=2 * len(COMMANDS), help="in all, spread over the commands")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side")
    parser.add_argument("--longest", type=float, default=30.0, help="seconds before the first signal, at most")
    parser.add_argument("--seed", type=int, default=1, help="of the times")
    options = parser.parse_args()
    names = options.names or list(COMMANDS)
    if unknown := [name for name in names if name not in COMMANDS]:
        parser.error(f"no command {unknown[0]!r}")
    rng = random.Random(options.seed)
    plan: list[tuple[str, float, float | None]] = [
        (names[i % len(names)], rng.uniform(1, options.longest), rng.choice((None, rng.uniform(0.05, 1))))
        for i in range(options.runs)
    ]
    failures = 0
    slowest: dict[tuple[str, bool], float] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for (name, delay, second), outcome in zip(plan, pool.map(lambda p: run(*p), plan), strict=True):
            key = name, second is not None
            slowest[key] = max(slowest.get(key, 0.0), outcome.seconds)
            if outcome.wrong:
                failures += 1
                times = f"{delay:.1f} s" + ("" if second is None else f" and {second:.2f} s later")
                print(f"{name}, interrupted after {times}: {outcome.wrong}", flush=True)
    for (name, twice), seconds in sorted(slowest.items()):
        print(f"{name}, {'two signals' if twice else 'one signal'}: {seconds:.1f} s at most")
    print(f"{options.runs} runs, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
