"""The fuzzer: ``python tests/fuzz/run.py --inputs 1000000 --jobs 2``; see CONTRIBUTING.md."""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz import target as targets
from fuzz.campaign import Campaign, Found, Limits
from fuzz.minimise import minimise
from fuzz.worker import Chunk

#: Number of inputs in a chunk, for chunks of roughly one second.
_CHUNK: Final = 500
#: seconds for the minimization of a finding
_PATIENCE: Final = 20.0


def shares(kinds: Sequence[str]) -> dict[str, int]:
    """Return the number of inputs of each kind among 1000 inputs of all kinds."""
    import importlib

    return {kind: importlib.import_module(f"fuzz.targets.{kind}").TARGET.share for kind in kinds}


def chunks(kinds: Sequence[str], inputs: int, first: int = 0) -> Iterator[Chunk]:
    """Split all inputs into chunks that alternate between the kinds, so that each kind has its share at any time."""
    parts = shares(kinds)
    left = {kind: -(-inputs * part // sum(parts.values())) for kind, part in parts.items()}
    rounds = max(1, max(-(-count // _CHUNK) for count in left.values()))
    at = dict.fromkeys(kinds, first)
    for done in range(rounds):
        for kind in kinds:
            count = left[kind] // (rounds - done)
            left[kind] -= count
            if count:
                yield Chunk(kind, at[kind], count)
            at[kind] += count


def endless(kinds: Sequence[str], first: int) -> Iterator[Chunk]:
    """Yield chunks without end."""
    while True:
        step = list(chunks(kinds, 50_000, first))
        yield from step
        first += 50_000


def table(campaign: Campaign) -> str:
    """Return the results by kind as a text table."""
    head = (
        f"{'kind':<10}{'inputs':>9}{'taken':>9}{'refused':>9}{'found':>7}{'slowest ms':>12}{'GiB':>6}{'inputs/s':>10}"
    )
    lines = [head]
    rows = [campaign.rows[kind] for kind in sorted(campaign.rows)]
    for row in rows:
        rate = row.inputs / row.seconds if row.seconds else 0.0
        slow = f"{1000 * row.slowest:.0f}"
        lines.append(
            f"{row.kind:<10}{row.inputs:>9}{row.accepted:>9}{row.refused:>9}{row.found:>7}{slow:>12}"
            f"{row.gibibytes:>6.2f}{rate:>10.0f}"
        )
    seconds, total = sum(row.seconds for row in rows), sum(row.inputs for row in rows)
    lines.append(
        f"{'all':<10}{total:>9}{sum(r.accepted for r in rows):>9}{sum(r.refused for r in rows):>9}"
        f"{sum(r.found for r in rows):>7}{'':>18}{total / seconds if seconds else 0:>10.0f}"
    )
    return "\n".join(lines)


def keep(found: Found, seed: int, folder: Path, limits: Limits) -> Path:
    """Write the minimized input of a finding and a report; return the path of the report."""
    name = hashlib.sha256(found.failure.cause.encode()).hexdigest()[:12]
    path = folder / found.kind / name
    path.parent.mkdir(parents=True, exist_ok=True)
    command = f"python tests/fuzz/run.py --only {found.kind} --seed {seed} --from {found.number} --inputs 1"
    Path(f"{path}.report").write_text(
        f"{found.failure.cause}\n{found.kind}, seed {seed}, number {found.number}, {found.count} times\n{command}\n\n"
        f"{found.failure.trace}\n",
        encoding="utf-8",
        errors="backslashreplace",
    )
    arguments = (found.kind, seed, found.number, str(path), limits.seconds, limits.gibibytes, _PATIENCE)
    process = multiprocessing.get_context("spawn").Process(target=minimise, args=arguments)
    process.start()
    process.join(5 * _PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
    return Path(f"{path}.report")


def replay(path: Path, kind: str | None) -> int:
    """Run the input in a file in this process; `kind` None: the name of its folder."""
    from fuzz.worker import TargetCache

    crew = TargetCache()
    try:
        taken = crew.target(kind or path.parent.name).run(targets.read(path))
        print("taken" if taken else "refused")
    finally:
        crew.close()
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line described in the module."""
    parser = argparse.ArgumentParser(description="Runs damaged and invented inputs; exit code 1 if one does harm.")
    parser.add_argument("--inputs", type=int, default=100_000, help="how many, over all kinds (default: 100,000)")
    parser.add_argument("--hours", type=float, help="as many as there is time for, instead")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=1, help="decides all inputs")
    parser.add_argument("--only", default=",".join(targets.KINDS), help="kinds, between commas")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first number")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"), help="folder for what is found")
    parser.add_argument("--replay", type=Path, help="run the input in this file only")
    options = parser.parse_args(arguments)
    kinds = options.only.split(",")
    unknown = [kind for kind in kinds if kind not in targets.KINDS]
    if unknown:
        parser.error(f"no kind {unknown[0]!r}; there are {', '.join(targets.KINDS)}")
    if options.replay is not None:
        return replay(options.replay, kinds[0] if len(kinds) == 1 else None)
    shown = time.monotonic()

    def tell(campaign: Campaign) -> None:
        nonlocal shown
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            done = sum(row.inputs for row in campaign.rows.values())
            found = "".join(f"; {found.kind} {found.number}: {cause}" for (_, cause), found in campaign.found.items())
            print(f"{done} inputs, {len(campaign.found)} findings{found}", file=sys.stderr, flush=True)

    campaign = Campaign(options.seed, options.jobs, tell=tell)
    try:
        if options.hours is None:
            campaign.run(chunks(kinds, options.inputs, options.first))
        else:
            campaign.run(endless(kinds, options.first), time.monotonic() + 3600 * options.hours)
    finally:  # also after an interruption
        for found in campaign.found.values():
            report = keep(found, options.seed, options.findings, campaign.limits)
            print(f"{found.kind}: {found.failure.cause} ({found.count} times): {report}", flush=True)
        print(table(campaign))
    return 1 if campaign.found else 0


if __name__ == "__main__":
    sys.exit(main())
