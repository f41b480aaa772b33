"""Run two commands at once in one folder: ``python tests/lock_races.py --pairs 200 --jobs 2 [COMMAND ...]``.

Either one command runs and the other reports the lock, or one runs after the other. In both cases the files of the
folder must be complete: every line of a journal is complete, every log verifies, and no temporary file remains.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from warlight_env.folder_lock import LOCK
from warlight_env.record import GameLog, verify
from warlight_env.record.names import is_log

ROOT: Final = Path(__file__).parent
LOG: Final = ROOT / "logs" / "v1-forfeit.wl.jsonl"
LOCKED: Final = re.compile(r"another run writes to this folder|exists already")
#: Seconds after which a command counts as one that does not end.
GUARD: Final = 600
TOURNAMENT: Final = 'agents = ["random", "aggressive", "smart_random"]\ngames = 4\nmaps = ["small"]\n'

#: Command lines by the name of the command. OUT is the folder, N a number that differs between pairs, FILE the path of
#: a tournament file.
COMMANDS: Final = {
    "match --log": "match random aggressive -n 20 -q --map small --seed N --log OUT",
    "match --log --jobs 2": "match random aggressive -n 20 -q --map small --seed N --jobs 2 --log OUT",
    "match --out": "match random aggressive -n 20 -q --map small --seed N --out OUT",
    "match --out --log": "match random aggressive -n 20 -q --map small --seed N --out OUT --log OUT/logs",
    "tournament": "tournament FILE -q --log --out OUT",
    "bench": "bench random -q --map small --games 2 --out OUT",
    "experiment": "experiment run state-size --quick -q --out OUT",
    "train td": "train td --quick -q --out OUT",
    "train evolve": "train evolve --quick -q --out OUT",
    "train value": "train value --quick -q --out OUT",
    "train exit": "train exit --quick -q --out OUT",
    "train ppo": "train ppo --quick -q --out OUT",
    "replay --svg": f"replay {LOG} -q --svg OUT",
    "bot new": "bot new python OUT",
}


def words_of(command: str, number: int, folder: Path) -> list[str]:
    """Return the words of a command that writes to the folder ``out`` in `folder`."""
    place = {"OUT": str(folder / "out"), "OUT/logs": str(folder / "out" / "logs"), "N": str(number)}
    return [place.get(word, word) for word in command.replace("FILE", str(folder / "cup.toml")).split()]


def start(words: list[str], folder: Path) -> subprocess.Popen[str]:
    """Start a command in a folder."""
    program = [sys.executable, "-m", "warlight_env", *words]
    return subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)


def ended(process: Any) -> tuple[int, str]:
    """Wait for a process; return its exit code and standard error."""
    try:
        _, errors = process.communicate(timeout=GUARD)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        return process.returncode, f"still ran after {GUARD} s\n{errors}"
    return process.returncode, errors


def damage(folder: Path) -> list[str]:
    """Return the problems with the files of a folder after the runs."""
    wrong = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.name == LOCK or path.name.startswith(".warlight-") or path.name.endswith(".tmp"):
            wrong.append(f"{path.name}: a file that should be temporary")
        elif is_log(path.name):
            log = GameLog.load(path)
            wrong += [f"{path.name}: {log.status}"] if log.status != "complete" else []
            wrong += [f"{path.name}: {difference}" for difference in verify(log)]
        elif path.suffix == ".jsonl":
            content = path.read_text()
            wrong += [] if content.endswith("\n") else [f"{path.name}: a torn last line"]
            lines = [json.loads(line) for line in content.splitlines()]
            keys = [(line["contest"], line["number"]) for line in lines if "contest" in line]
            wrong += [f"{path.name}: a game twice"] if len(set(keys)) < len(keys) else []
        elif path.suffix == ".json":
            json.loads(path.read_text())
    return wrong


def pair(name: str, number: int, pause: float, start: Callable[[list[str], Path], Any] = start) -> tuple[str, str]:
    """Run a pair of commands, the second `pause` seconds after the first. `start` starts a command in a folder.

    Returns:
        Whether one command found the lock, and what went wrong ("": nothing).
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "cup.toml").write_text(TOURNAMENT)
        first = start(words_of(COMMANDS[name], number, folder), folder)
        time.sleep(pause)
        # A match with another seed must not add games to the folder, so the folder contains the games of one match
        # only.
        other_number = number + ("N" in COMMANDS[name].split())
        second = start(words_of(COMMANDS[name], other_number, folder), folder)
        results = [ended(first), ended(second)]
        codes = sorted(code for code, _ in results)
        refusals = [errors for code, errors in results if code == 2]
        wrong = damage(folder / "out")
        logged = sum(is_log(path.name) for path in folder.rglob("*"))
        expected = {"tournament": 12}.get(name, 20 if "--log" in name else 0)
        if logged != expected:
            wrong.append(f"{logged} logs, not {expected}")
        if any("Traceback" in errors for _, errors in results) or codes not in ([0, 0], [0, 2]):
            wrong.append(f"exit codes {codes}: {results}")
        locked = bool(refusals) and bool(LOCKED.search(refusals[0]))
        # the second command started after the end of the first, and found a run with other settings
        other = bool(refusals) and "another" in refusals[0]
        if refusals and not (locked or other):
            wrong.append(refusals[0])
        return ("one was locked out" if locked else "one after the other"), "; ".join(wrong)


def main() -> int:
    """Run the pairs and print a report; return 1 if a pair failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="COMMAND", help=f"default: all of {', '.join(COMMANDS)}")
    parser.add_argument("--pairs", type=int, default=len(COMMANDS), help="in all, spread over the commands")
    parser.add_argument("--jobs", type=int, default=1, help="pairs side by side")
    parser.add_argument("--seed", type=int, default=1, help="of the pauses")
    options = parser.parse_args()
    names = options.names or list(COMMANDS)
    if unknown := [name for name in names if name not in COMMANDS]:
        parser.error(f"no command {unknown[0]!r}")
    rng = random.Random(options.seed)
    plan = [(names[i % len(names)], 10 * i, rng.choice((0.0, 0.0, rng.random()))) for i in range(options.pairs)]
    counts: Counter[tuple[str, str]] = Counter()
    failures = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for (name, number, pause), (outcome, wrong) in zip(plan, pool.map(lambda p: pair(*p), plan), strict=True):
            counts[name, outcome] += 1
            if wrong:
                failures += 1
                print(f"{name}, seed {number}, pause {pause:.2f} s: {wrong}", flush=True)
    for (name, outcome), count in sorted(counts.items()):
        print(f"{name}: {count} × {outcome}")
    print(f"{options.pairs} pairs, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
