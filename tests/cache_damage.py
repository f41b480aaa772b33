"""Damage caches of compiled kernels: ``python tests/cache_damage.py --caches 1000 --jobs 2 [--program draws]``.

Each trial copies a good cache, damages half of its files, and runs a program in a new process, twice. Each time the
program must print the same as with the good cache, and must end without a signal or an error.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from forked_python import PythonStarts
from helpers import copy_engine
from warlight_env.engine.cache import with_digest

#: Programs that print the results of their kernels. "game" uses many kernels, of the engine and of a bot, with several
#: signatures and pointers. "draws" uses few kernels, which are compiled again quickly.
PROGRAMS = {
    "game": """
from warlight_env import Game
from warlight_env.agents import make_agent

game = Game("small", seed=5, picks="random")
bot = make_agent("random", 3)
for _ in range(3):
    game.play_round({0: bot.act(game.view(0))})
print(game.hash())
""",
    "draws": """
from warlight_env.engine.rng import below, make_rng, next_u64
print(next_u64(make_rng(1)), below(make_rng(1), 3))
""",
}

#: Size of the header of a cache file in bytes.
SEAL = len(with_digest("", b""))

Damage = Callable[[list[Path], random.Random], None]
Run = Callable[[str, Path], subprocess.CompletedProcess[str]]


def flip_bits(files: list[Path], rng: random.Random) -> None:
    """Flip three bits in each file."""
    for file in files:
        content = bytearray(file.read_bytes())
        for _ in range(3):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        file.write_bytes(content)


def truncate(files: list[Path], rng: random.Random) -> None:
    """Cut each file at a random position."""
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content[: rng.randrange(len(content))])


def swap(files: list[Path], rng: random.Random) -> None:
    """Replace the content of each file by the content of another file with the same suffix."""
    contents = [file.read_bytes() for file in files]
    for kind in {file.suffix for file in files}:
        places = [i for i, file in enumerate(files) if file.suffix == kind]
        for i, j in zip(places, [*places[1:], *places[:1]], strict=True):
            files[i].write_bytes(contents[j])


def foreign_version(files: list[Path], rng: random.Random) -> None:
    """Change the format mark at the start of each file, as if another version had written the file."""
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content.replace(b"sealed 2", b"sealed 0", 1) if rng.random() < 0.5 else content[50:])


def other_build(files: list[Path], rng: random.Random) -> None:
    """Swap the contents of the files, and add headers of another build. Used kernels would give wrong results."""
    swap(files, rng)
    for file in files:
        file.write_bytes(with_digest(file.name, file.read_bytes()[SEAL:], build="0" * 20))


DAMAGES: dict[str, Damage] = {
    "bit flips": flip_bits, "truncation": truncate, "swaps": swap, "foreign versions": foreign_version,
    "other builds": other_build,
}  # fmt: skip


class Trials:
    """Creates a good cache, and runs trials with damaged copies of it.

    Args:
        folder: folder for the caches.
        program: source code that prints the results of its kernels.
        run: function that runs the program with a cache, in a new process.
    """

    def __init__(self, folder: Path, program: str, run: Run) -> None:
        self.folder, self.good, self.program, self.start = folder, folder / "good", program, run
        played = run(program, self.good)
        assert played.returncode == 0, played.stderr
        self.expected = played.stdout

    def run(self, number: int, seed: int = 0) -> tuple[str, str]:
        """Run trial `number`; return the kind of damage, and what went wrong ("": nothing)."""
        rng = random.Random(f"{seed} {number}")
        kind = list(DAMAGES)[number % len(DAMAGES)]
        cache = self.folder / f"cache{number}"
        shutil.copytree(self.good, cache)
        try:
            files = sorted(path for path in cache.rglob("*") if path.is_file())
            DAMAGES[kind](rng.sample(files, len(files) // 2), rng)
            for start in ("first", "second"):
                played = self.start(self.program, cache)
                if (played.returncode, played.stdout, played.stderr) != (0, self.expected, ""):
                    return kind, f"{start} start: {played.returncode} {played.stdout} {played.stderr[-300:]}"
        finally:
            shutil.rmtree(cache)
        return kind, ""


class Starts(threading.local):
    """Runs programs with a cache. Each thread has a process that has imported Numba and that forks for each program."""

    def __init__(self, ending: contextlib.ExitStack, settings: Mapping[str, str | Path]) -> None:
        self._starts, self._settings = ending.enter_context(PythonStarts()), settings

    def run(self, program: str, cache: Path) -> subprocess.CompletedProcess[str]:
        """Run a program until it ends."""
        return self._starts.run(program, WARLIGHT_CACHE_DIR=cache, **self._settings)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--caches", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--program", choices=PROGRAMS, default="game", help="what is run with each cache")
    options = parser.parse_args(arguments)
    tried, failed = Counter[str](), Counter[str]()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.ExitStack() as ending,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        settings: dict[str, str | Path] = {}
        if options.program == "draws":  # a copy of few modules, because each new cache parses all sources
            settings["PYTHONPATH"] = Path(folder) / "alone"
            copy_engine(Path(folder) / "alone")
        trials = Trials(Path(folder), PROGRAMS[options.program], Starts(ending, settings).run)
        for kind, problem in pool.map(lambda number: trials.run(number, options.seed), range(options.caches)):
            tried[kind] += 1
            failed[kind] += bool(problem)
            if problem:
                print(f"{kind}: {problem}", flush=True)
            if tried.total() % 50 == 0:
                print(f"{tried.total()} of {options.caches}, {failed.total()} failed", file=sys.stderr, flush=True)
    for kind in DAMAGES:
        print(f"{kind:18}{tried[kind]:>6} caches{failed[kind]:>6} failed")
    return min(1, failed.total())


if __name__ == "__main__":
    sys.exit(main())
