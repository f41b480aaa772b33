"""The rows of the table of speeds, and the command that measures and prints them."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
from collections.abc import Callable, Mapping
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


def not_installed(what: str, asked: str, error: ImportError) -> Row:
    """Return the row of a benchmark whose library is not installed."""
    return Row(what, asked, f"{error.name} is not installed", float("nan"), None)


def run_parts(program: str, parts: Mapping[str, Callable[[bool], list[Row]]], description: str | None) -> None:
    """Run benchmarks from the command line and print their rows as a table.

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
    for name in arguments.parts or parts:
        with console.status(f"measuring {name} …"):
            rows += parts[name](arguments.quick)
    table = Table(title=f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for column in ("what", "to reach", "measured", "reached"):
        table.add_column(column)
    for row in rows:
        table.add_row(row.what, row.asked, row.measured, {True: "yes", False: "NO", None: ""}[row.reached])
    console.print(table)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        found = [asdict(row) | {"value": row.value if math.isfinite(row.value) else None} for row in rows]
        write_file(arguments.json, json.dumps({"provenance": measured, "rows": found}, indent=1) + "\n")
