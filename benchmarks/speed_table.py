"""The rows of the table of speeds, and the command that measures and prints them."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from provenance import provenance
from rich.console import Console
from rich.table import Table

from warlight_env.output import write_file


@dataclass
class Row:
    """A row of the table."""

    what: str
    asked: str
    measured: str
    value: float
    reached: bool | None

    def __post_init__(self) -> None:
        """Convert scalars of NumPy, which JSON cannot contain."""
        self.value, self.reached = float(self.value), None if self.reached is None else bool(self.reached)


def not_installed(label: str, target: str, error: ImportError) -> Row:
    """Return the row of a benchmark whose library is not installed."""
    return Row(label, target, f"{error.name} is not installed", float("nan"), None)


def run_parts(program: str, parts: Mapping[str, Callable[[bool], list[Row]]], description: str | None) -> None:
    """Run benchmarks from the command line and print their rows as a table.

    A file for ``--json`` is written after each part. If a part fails, the command prints its error and measures the
    other parts; its exit status is then 1.

    Args:
        program: the file in this folder.
        parts: benchmarks by name; each takes whether runs are short.
        description: the text of the command's help.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="which parts to run; default: all")
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    parser.add_argument("--json", type=Path, help="also write the rows, with commit and machine, to this file")
    arguments = parser.parse_args()
    words = [*arguments.parts, *(["--quick"] if arguments.quick else [])]
    measured = provenance(program, words) if arguments.json else {}
    console = Console()
    rows: list[Row] = []
    failed: list[str] = []
    for name in arguments.parts or parts:
        try:
            with console.status(f"measuring {name} …"):
                rows += parts[name](arguments.quick)
        except Exception:
            console.print_exception()
            failed.append(name)
        if arguments.json:
            _write(arguments.json, measured, rows)
    table = Table(title=f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for column in ("what", "to reach", "measured", "reached"):
        table.add_column(column)
    for row in rows:
        table.add_row(row.what, row.asked, row.measured, {True: "yes", False: "NO", None: ""}[row.reached])
    console.print(table)
    if failed:
        sys.exit(f"{program}: these parts failed: {', '.join(failed)}")


def _write(file: Path, measured: Mapping[str, object], rows: Sequence[Row]) -> None:
    """Write the rows measured so far, with commit and machine."""
    file.parent.mkdir(parents=True, exist_ok=True)
    records = [asdict(row) | {"value": row.value if math.isfinite(row.value) else None} for row in rows]
    write_file(file, json.dumps({"provenance": measured, "rows": records}, indent=1) + "\n")
