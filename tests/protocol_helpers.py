"""What the tests of the protocol share: bots to start, and the processes that they leave."""

from __future__ import annotations

import os
import shlex
import sys
import time
import uuid
from pathlib import Path

MISBEHAVING = Path(__file__).parent / "bots" / "misbehaving.py"


#: Ways to misbehave that cost all the time there is; the others get enough of it on any machine.
TIME_WASTERS = ("silent", "late", "deaf", "endless_line", "close_input")


def misbehaving(way: str, options: str = "") -> str:
    """The specification of a bot that misbehaves in a way, with an argument after a space."""
    options = options or ("bank=0.4,increment=0.1" if way.split()[0] in TIME_WASTERS else "bank=30")
    words = [sys.executable, "-I", "-S", str(MISBEHAVING), *way.split()]
    return f"cmd[{options}]:{shlex.join(words)}"


def our_bot(agent: str, *more: str) -> str:
    """The specification of one of our agents as an external bot, with time enough on any machine."""
    words = [sys.executable, "-m", "warlight_env", "bot", "run", agent, "--seed", "{seed}", *more]
    return f"cmd[bank=60]:{shlex.join(words)}"


class Marked:
    """Finds processes by a mark in the environment that they were started in, wherever they have gone since."""

    def __init__(self, monkeypatch) -> None:
        self.mark = f"WARLIGHT_TEST_MARK={uuid.uuid4()}"
        monkeypatch.setenv(*self.mark.split("="))

    def left(self) -> list[str]:
        """Command lines of all other processes with the mark."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                other = entry.name.isdecimal() and int(entry.name) != os.getpid()
                if other and self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append((entry / "cmdline").read_bytes().decode())
            except OSError:
                continue  # it has just ended, or is somebody else's
        return found

    def left_soon(self, count: int = 0) -> list[str]:
        """The same, once so many are left or some seconds have passed."""
        deadline = time.monotonic() + 15
        while len(found := self.left()) != count and time.monotonic() < deadline:
            time.sleep(0.02)
        return found
