"""Helpers for tests of the bot protocol: bots to start, and a search for processes that they leave behind."""

from __future__ import annotations

import os
import shlex
import sys
import time
import uuid
from pathlib import Path

MISBEHAVING = Path(__file__).parent / "bots" / "misbehaving.py"


#: Kinds of misbehaviour that use up the whole time bank. Other kinds get a bank that is long enough on any machine.
TIME_WASTERS = ("silent", "late", "deaf", "endless_line", "close_input")


def misbehaving(way: str, options: str = "") -> str:
    """Return the specification of a bot with a kind of misbehaviour; an argument may follow `way` after a space."""
    bank = "bank=0.4,increment=0.1" if way.split()[0] in TIME_WASTERS else "bank=30"
    options = options or f"policy=skip,{bank}"
    words = [sys.executable, "-I", "-S", str(MISBEHAVING), *way.split()]
    return f"cmd[{options}]:{shlex.join(words)}"


def our_bot(agent: str, *more: str) -> str:
    """Return the specification of one of our agents as an external bot, with enough time on any machine."""
    words = [sys.executable, "-m", "warlight_env", "bot", "run", agent, "--seed", "{seed}", *more]
    return f"cmd[bank=60]:{shlex.join(words)}"


class Marked:
    """Marks child processes with an environment variable, and finds all processes with this mark."""

    def __init__(self, monkeypatch) -> None:
        self.mark = f"WARLIGHT_TEST_MARK={uuid.uuid4()}"
        monkeypatch.setenv(*self.mark.split("="))

    def left(self) -> list[str]:
        """Return the command lines of all other processes with the mark."""
        lines = []
        for entry in Path("/proc").iterdir():
            try:
                other = entry.name.isdecimal() and int(entry.name) != os.getpid()
                if other and self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    lines.append((entry / "cmdline").read_bytes().decode())
            except OSError:
                continue  # the process has just ended, or belongs to another user
        return lines

    def left_soon(self, count: int = 0) -> list[str]:
        """Return the same as `left`, but wait at most 15 seconds until `count` processes are left."""
        deadline = time.monotonic() + 15
        while len(lines := self.left()) != count and time.monotonic() < deadline:
            time.sleep(0.02)
        return lines
