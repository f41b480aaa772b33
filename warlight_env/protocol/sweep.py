"""Ends what a bot left behind without its guard: its processes are known by a mark that children inherit (Linux)."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import time
import uuid
from dataclasses import dataclass
from typing import Final

#: Seconds after which processes that multiply faster than they can be ended, or are somebody else's, are given up.
GIVE_UP: Final = 10.0
#: Looks at new processes, one every millisecond, after which it is believed that no more come.
_QUIET: Final = 10
_LIMITS_LINE: Final = b"Max file locks"


@dataclass(frozen=True)
class Mark:
    """Tells the processes of one bot from all others, wherever they have gone since.

    name: a variable in their environment, which a program with an environment of its own making loses.
    tag: their limit of file locks, a number that is used by nothing else, and which only root could raise again.
    """

    name: str
    tag: int

    @classmethod
    def new(cls) -> Mark:
        """A mark that nobody has."""
        high = (1 << 62) - 1
        if sys.platform == "linux":
            import resource

            from warlight_env.protocol.guard import RLIMIT_LOCKS

            present = resource.getrlimit(RLIMIT_LOCKS)[1]
            if present != resource.RLIM_INFINITY:
                high = min(high, present)  # in a bot of a bot: below the mark of its own
        return cls(f"WARLIGHT_BOT_{uuid.uuid4().hex}", random.SystemRandom().randint(high // 2, high))

    def carried_by(self, process: int) -> bool:
        """Whether a process has the mark; False for one that has ended, also where nobody has waited for it yet."""
        with contextlib.suppress(OSError), open(f"/proc/{process}/limits", "rb") as file:
            line = next((line for line in file if line.startswith(_LIMITS_LINE)), b"")
            if str(self.tag).encode() in line.split():
                with open(f"/proc/{process}/stat", "rb") as stat:
                    return stat.read().rpartition(b")")[2].split()[0] not in b"ZX"
        with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as file:
            return f"{self.name}=1".encode() in file.read().split(b"\0")
        return False

    def sweep(self) -> list[int]:
        """End every process with the mark, until there are no more; those that could not be ended."""
        deadline = time.monotonic() + GIVE_UP
        while True:
            # Some come and go within milliseconds, faster than all can be looked at: after the first look only new ones
            # are, until no more come. Where there were any, all are looked at again: a number may have been given anew.
            others: set[str] = set()
            ended = quiet = 0
            while quiet < _QUIET and time.monotonic() < deadline:
                found, refused = self._kill(others)
                quiet = 0 if len(found) > len(refused) else quiet + 1
                ended += len(found) - len(refused)
                time.sleep(0.001)
            if not ended or time.monotonic() > deadline:
                return found

    def _kill(self, others: set[str]) -> tuple[list[int], list[int]]:
        """Kill whoever has the mark and is not among the others, which grow; those found, and those we may not kill."""
        found, refused = [], []
        for process in filter(str.isdecimal, os.listdir("/proc")):
            if process in others:
                continue
            if not self.carried_by(int(process)):
                others.add(process)
                continue
            found.append(int(process))
            try:
                os.kill(int(process), signal.SIGKILL)
            except ProcessLookupError:
                pass
            except PermissionError:
                refused.append(int(process))
        return found, refused
