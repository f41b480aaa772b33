"""The `warlight` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(tokens: Sequence[str] | None = None) -> int:
    """Run a command line (`sys.argv` by default) and return its exit code."""
    try:
        from warlight_env.cli.app import run
    except KeyboardInterrupt:  # before there is anything to interrupt
        print("interrupted", file=sys.stderr)
        return 130
    return run(tokens)


__all__ = ["main"]
