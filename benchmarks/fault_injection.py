"""Fault injection: do runs survive killed processes, full disks and clock jumps?

    python benchmarks/fault_injection.py                          every fault a few times, minutes
    python benchmarks/fault_injection.py --repeats 100 --faults kills

It runs only on Linux, because it reads /proc. Full and read-only disks are mounted, which needs root. Without root, a
limit on the size of files replaces the full disk, and the read-only disk is skipped. Clock jumps need libfaketime.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from fault_kinds import FAULTS, FaultTarget, Score
from fault_server import SERVER_FAULTS, ServerTarget
from fault_subjects import SUBJECTS

#: Default number of strikes of each fault.
TIMES = 6


def campaign(subject: str, faults: list[str], times: int, seed: int, work: Path) -> Iterator[tuple[str, Score, bool]]:
    """Run each fault on a subject; yield the fault, its present score, and whether this is the fault's last score."""
    functions: Mapping[str, Callable[[Any, int], Iterator[Score]]] = SERVER_FAULTS if subject == "server" else FAULTS
    target = ServerTarget(work, seed) if subject == "server" else FaultTarget(SUBJECTS[subject], work, seed)
    if isinstance(target, FaultTarget):
        target.prepare()
    for fault in faults:
        score = Score(skipped=None if fault in functions else f"not for the {subject}")
        for so_far in functions[fault](target, times) if fault in functions else ():
            score = so_far
            yield fault, score, False
        yield fault, score, True


def shown(rows: dict[tuple[str, str], Score]) -> Table:
    """Return the table of results."""
    table = Table("subject", "fault", "struck", "the same in the end", "ended in words first", "lost", "of which")
    for (subject, fault), score in rows.items():
        if score.skipped is not None:
            table.add_row(subject, fault, "–", "–", "–", "–", score.skipped)
        else:
            notes = ", ".join(f"{count} {event}" if count else event for event, count in sorted(score.notes.items()))
            lost = f"[red]{len(score.lost)}[/red]" if score.lost else "0"
            table.add_row(subject, fault, str(score.tried), str(score.survived), str(score.refused), lost, notes)
    return table


def main() -> int:
    names = [*SUBJECTS, "server"]
    faults = list(dict.fromkeys([*FAULTS, *SERVER_FAULTS]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subjects", default=",".join(names), help="of " + ", ".join(names) + " (default: all)")
    parser.add_argument("--faults", default=",".join(faults), help="of " + ", ".join(faults) + " (default: all)")
    parser.add_argument("--repeats", type=int, default=TIMES, help=f"that each fault strikes (default: {TIMES})")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (default: 1)")
    parser.add_argument("--json", type=Path, help="write the scores to this file as well")
    args = parser.parse_args()
    for option, choices in ((args.subjects, names), (args.faults, faults)):
        for name in option.split(","):
            if name not in choices:
                parser.error(f"{name!r}: there are {', '.join(choices)}")
    if args.repeats < 1:
        parser.error("--repeats: must be 1 or more")
    if not Path("/proc/self/stat").exists():
        parser.error("the fault bench reads /proc, which is not there")
    console, rows = Console(), {}
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="warlight-faults-") as work:
        for subject in args.subjects.split(","):
            last_report = 0.0
            for fault, score, last in campaign(subject, args.faults.split(","), args.repeats, args.seed, Path(work)):
                rows[subject, fault] = score
                if last or time.monotonic() - last_report > 20:
                    last_report = time.monotonic()
                    message = score.skipped or f"{score.tried} of {args.repeats}, {len(score.lost)} lost"
                    print(f"{last_report - start:6.0f} s  {subject}, {fault}: {message}", file=sys.stderr, flush=True)
                if last:
                    for line in score.lost:
                        print(f"          lost: {line}", file=sys.stderr, flush=True)
            if args.json is not None:
                scores = [{"subject": s, "fault": f, **asdict(score)} for (s, f), score in rows.items()]
                args.json.write_text(json.dumps(scores, indent=2) + "\n")
    console.print(shown(rows))
    return int(any(score.lost for score in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
