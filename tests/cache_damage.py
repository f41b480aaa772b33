"""Damaged caches of compiled kernels: ``python tests/cache_damage.py --caches 1000 --jobs 2 [--seed 0]``.

Each trial copies a good cache, damages half of its files, and plays a short game in a new process. The game must end as
with a good cache, without a signal and without an error, and so must that of a second start.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warlight_env.engine.sealed import seal

#: A few kernels of the engine and a bot: enough for indices, several signatures, pointers and code.
PLAY = """
from warlight_env import Game
from warlight_env.agents import make_agent

game = Game("small", seed=5, picks="random")
bot = make_agent("random", 3)
for _ in range(3):
    game.play_round({0: bot.act(game.view(0))})
print(game.hash())
"""

#: Bytes of a file before its content.
SEAL = len(seal("", b""))

Damage = Callable[[list[Path], random.Random], None]


def flip_bits(files: list[Path], rng: random.Random) -> None:
    """Three bits of each file."""
    for file in files:
        content = bytearray(file.read_bytes())
        for _ in range(3):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        file.write_bytes(content)


def truncate(files: list[Path], rng: random.Random) -> None:
    """Cut each file off anywhere."""
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content[: rng.randrange(len(content))])


def swap(files: list[Path], rng: random.Random) -> None:
    """Give each file the content of another one of its kind."""
    contents = [file.read_bytes() for file in files]
    for kind in {file.suffix for file in files}:
        places = [i for i, file in enumerate(files) if file.suffix == kind]
        for i, j in zip(places, [*places[1:], *places[:1]], strict=True):
            files[i].write_bytes(contents[j])


def foreign_version(files: list[Path], rng: random.Random) -> None:
    """Have each file start with the mark of another format, as another version would write it."""
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content.replace(b"sealed 2", b"sealed 0", 1) if rng.random() < 0.5 else content[50:])


def other_build(files: list[Path], rng: random.Random) -> None:
    """Swap the files' contents, and seal them as another build would: to use them would give wrong results."""
    swap(files, rng)
    for file in files:
        file.write_bytes(seal(file.name, file.read_bytes()[SEAL:], build="0" * 20))


DAMAGES: dict[str, Damage] = {
    "bit flips": flip_bits, "truncation": truncate, "swaps": swap, "foreign versions": foreign_version,
    "other builds": other_build,
}  # fmt: skip


def run(program: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that uses a cache."""
    environment = {**os.environ, "WARLIGHT_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=600
    )


class Trials:
    """Makes the good cache, and trials with copies of it."""

    def __init__(self, folder: Path, program: str = PLAY) -> None:
        self.folder, self.good, self.program = folder, folder / "good", program
        played = run(program, self.good)
        assert played.returncode == 0, played.stderr
        self.expected = played.stdout

    def run(self, number: int, seed: int = 0) -> tuple[str, str]:
        """The kind of the damage, and what went wrong; empty: nothing."""
        rng = random.Random(f"{seed} {number}")
        kind = list(DAMAGES)[number % len(DAMAGES)]
        cache = self.folder / f"cache{number}"
        shutil.copytree(self.good, cache)
        try:
            files = sorted(path for path in cache.rglob("*") if path.is_file())
            DAMAGES[kind](rng.sample(files, len(files) // 2), rng)
            for start in ("first", "second"):
                played = run(self.program, cache)
                if (played.returncode, played.stdout, played.stderr) != (0, self.expected, ""):
                    return kind, f"{start} start: {played.returncode} {played.stdout} {played.stderr[-300:]}"
        finally:
            shutil.rmtree(cache)
        return kind, ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--caches", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    tried, failed = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        trials = Trials(Path(folder))
        for kind, problem in pool.map(lambda number: trials.run(number, given.seed), range(given.caches)):
            tried[kind] += 1
            failed[kind] += bool(problem)
            if problem:
                print(f"{kind}: {problem}", flush=True)
            if tried.total() % 50 == 0:
                print(f"{tried.total()} of {given.caches}, {failed.total()} failed", file=sys.stderr, flush=True)
    for kind in DAMAGES:
        print(f"{kind:18}{tried[kind]:>6} caches{failed[kind]:>6} failed")
    return min(1, failed.total())


if __name__ == "__main__":
    sys.exit(main())
