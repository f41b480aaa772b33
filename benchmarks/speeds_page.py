"""The page of speeds, from files that ``python benchmarks/bench.py --json FILE`` wrote at one commit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from provenance import ROOT, check_provenance, provenance_table

from warlight_env import bounded_io
from warlight_env.errors import InputError
from warlight_env.output import write_file

PAGE: Final = ROOT / "docs" / "results" / "speeds.md"
_HEAD: Final = """# Speeds

This page shows how fast the compiled code, the environments and the searches run. A speed is the median of repeated
runs; the runs of different benchmarks alternate. A ratio compares speeds of the same run. Speeds of environments use
CPU time.

`python benchmarks/bench.py page` writes this page.
"""


class SpeedsError(InputError):
    """Files from which no page follows. The message names the file."""


def read_speeds(path: Path) -> tuple[Any, list[dict[str, Any]]]:
    """Return the provenance and the rows of a file.

    Raises:
        SpeedsError: `bench.py` did not write it.
    """
    place, text = (
        bounded_io.shown(path),
        bounded_io.read_text(path, bounded_io.RESULT_BYTES, SpeedsError, "file of speeds"),
    )
    record = bounded_io.parse_json(text, place, SpeedsError)
    rows = record.get("rows") if isinstance(record, dict) else None
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and all(isinstance(row.get(key), str) for key in ("what", "asked", "measured"))
        for row in rows
    ):
        raise SpeedsError(f"{place}: not a file of `python benchmarks/bench.py --json`")
    return record.get("provenance"), rows


def page_of(paths: Sequence[Path]) -> str:
    """Return the page.

    Raises:
        InputError: a file is damaged, files are of several commits or machines, or two have the same row.
    """
    files = [(bounded_io.shown(path), *read_speeds(path)) for path in paths]
    checked = check_provenance(
        ((place, provenance) for place, provenance, _ in files), equal_keys=("commit", "machine")
    )
    rows: dict[str, tuple[str, str]] = {}
    for place, _, file_rows in files:
        parent = ""  # the row that the next ones continue
        for row in file_rows:
            parent = parent if row["what"].startswith("…") else row["what"]
            name = row["what"] if row["what"] == parent else f"{parent} {row['what']}"
            if name in rows:
                raise SpeedsError(f"{place}: {name!r} is in another file, too")
            rows[name] = (row["asked"], row["measured"])
    table = ["| benchmark | target | measured |", "|---|---|---|"]
    table += [f"| {name} | {target} | {measured} |" for name, (target, measured) in rows.items()]
    return "\n".join([_HEAD, *provenance_table(checked), "", *table]) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="bench.py page", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="files of one commit and one machine")
    parser.add_argument("--page", type=Path, default=PAGE, help="file to write (default: docs/results/speeds.md)")
    args = parser.parse_args(arguments)
    try:
        text = page_of(args.files)
        args.page.parent.mkdir(parents=True, exist_ok=True)
        write_file(args.page, text)
    except InputError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 0
