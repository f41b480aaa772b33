"""The page of speeds on a GPU, from a file that ``python benchmarks/bench.py gpu --json FILE`` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from provenance import ROOT

from warlight_env import bounded_io
from warlight_env.errors import InputError
from warlight_env.output import write_file

PAGE: Final = ROOT / "docs" / "results" / "gpu.md"
_HEAD: Final = """# Speeds on a GPU

This page shows how fast a GPU plays many games at once on the map `world`. [Play many games with
tensors](../how-to/use-a-gpu.md) explains the environment. A step of the environment includes the check of actions, the
bots, the battles, rewards, observations and masks of both players, and new games in place of ended games. All actions
are random. A ratio compares the GPU with one core of the CPU of the same machine in the same run.

`python benchmarks/bench.py gpu --json FILE` measures the speeds. `python benchmarks/bench.py gpu --page FILE` writes
this page.
"""


class GpuPageError(InputError):
    """A file from which no page follows. The message names the file."""


def read(path: Path) -> dict[str, Any]:
    """Return the content of a file.

    Raises:
        GpuPageError: `bench.py gpu` did not write it.
    """
    place = bounded_io.shown(path)
    text = bounded_io.read_text(path, bounded_io.RESULT_BYTES, GpuPageError, "file of speeds")
    record = bounded_io.parse_json(text, place, GpuPageError)
    keys = ("commit", "date", "gpu", "versions", "rows")
    if not isinstance(record, dict) or not all(record.get(key) for key in keys):
        raise GpuPageError(f"{place}: not a file of `python benchmarks/bench.py gpu --json`")
    return record


def page_of(path: Path) -> str:
    """Return the page for a file. Raises GpuPageError like `read`."""
    record = read(path)
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    lines = [
        _HEAD,
        "| | |",
        "|---|---|",
        f"| commit | `{record['commit'][:8]}` |",
        f"| date | {record['date']} |",
        f"| GPU | one {record['gpu']} |",
        f"| versions | {versions} |",
    ]
    kinds = list(dict.fromkeys(row["what"] for row in record["rows"]))
    for kind in kinds:
        rows = [row for row in record["rows"] if row["what"] == kind]
        lines += ["", f"## {kind[0].upper()}{kind[1:]}", "", *_table(rows)]
    return "\n".join(lines) + "\n"


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of a table; columns without numbers are left out."""
    columns = {
        "games": lambda row: f"{row['games']:,}",
        "per second": lambda row: _rate(row["per_second"]),
        "divided by one core": lambda row: _optional(row, "to_one_core", "{:.1f}"),
        "first step after (s)": lambda row: _optional(row, "first_step_s", "{:.1f}"),
        "share of memory bandwidth": lambda row: _optional(row, "share_of_bandwidth", "{:.2f}"),
    }
    cells = {name: [cell(row) for row in rows] for name, cell in columns.items()}
    cells = {name: column for name, column in cells.items() if any(column)}
    head = [f"| {' | '.join(cells)} |", "|" + "---|" * len(cells)]
    return [*head, *(f"| {' | '.join(row)} |" for row in zip(*cells.values(), strict=True))]


def _rate(rate: float) -> str:
    return f"{rate / 1e6:.2f} million" if rate >= 1e5 else f"{rate:,.0f}"


def _optional(row: dict[str, Any], key: str, form: str) -> str:
    return "" if row.get(key) is None else form.format(row[key])


def write(path: Path) -> None:
    """Write the page from a file. Raises GpuPageError like `read`."""
    write_file(PAGE, page_of(path))
