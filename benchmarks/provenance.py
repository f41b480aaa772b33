"""Commit, date, machine and command of a measurement. Pages of results are written from one clean commit only."""

from __future__ import annotations

import datetime
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env.arena.contests.provenance import collect_provenance, format_provenance
from warlight_env.errors import InputError

ROOT: Final = Path(__file__).parents[1]
_KEYS: Final = ("commit", "dirty", "date", "command", "machine")


class ProvenanceError(InputError):
    """Results of several commits, or of a checkout with uncommitted changes. The message names the file."""


def checkout() -> tuple[str, bool]:
    """Return the commit of the checkout, and whether tracked files have uncommitted changes.

    Raises:
        ProvenanceError: this is not a Git checkout.
    """
    try:
        commit = _git("rev-parse", "HEAD")
        return commit, bool(_git("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.CalledProcessError):
        raise ProvenanceError(f"{ROOT} is not a Git checkout, so results would have no commit") from None


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def provenance(program: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Return the facts about a measurement that begins now, in a form for JSON.

    Args:
        program: the file in this folder. arguments: the words after it.
    """
    commit, dirty = checkout()
    return {
        "commit": commit,
        "dirty": dirty,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": shlex.join(["python", f"benchmarks/{program}", *arguments]),
        "machine": format_provenance(collect_provenance()),
    }


def check_provenance(
    records: Iterable[tuple[str, Any]], equal_keys: Sequence[str] = ("commit",)
) -> list[dict[str, Any]]:
    """Return the provenances if one page may show their results.

    Args:
        records: places, for messages, and what `provenance` returned there.
        equal_keys: keys whose values must be equal.

    Raises:
        ProvenanceError: there are none, one is damaged or of a checkout with uncommitted changes, or values differ.
    """
    checked: list[dict[str, Any]] = []
    for place, record in records:
        if not isinstance(record, Mapping) or not all(key in record for key in _KEYS):
            raise ProvenanceError(f"{place}: does not say of which commit its results are")
        if record["dirty"]:
            raise ProvenanceError(f"{place}: the checkout had uncommitted changes; commit them and measure again")
        for key in equal_keys:
            if checked and record[key] != checked[0][key]:
                raise ProvenanceError(f"{place}: {key} {record[key]}, but other results are of {checked[0][key]}")
        checked.append(dict(record))
    if not checked:
        raise ProvenanceError("there are no results")
    return checked


def provenance_table(checked: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the rows commit, date, machine and command as lines of Markdown."""
    dates = sorted({record["date"] for record in checked})
    machines = dict.fromkeys(record["machine"] for record in checked)
    commands = dict.fromkeys(record["command"] for record in checked)
    return [
        "| | |",
        "|---|---|",
        f"| commit | `{checked[0]['commit'][:10]}` |",
        f"| date | {dates[0]}{f' to {dates[-1]}' if len(dates) > 1 else ''} |",
        f"| machine | {'; '.join(machines)} |",
        f"| command | {', '.join(f'`{command}`' for command in commands)} |",
    ]
