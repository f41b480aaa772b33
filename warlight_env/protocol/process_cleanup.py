"""End a bot's processes after the death of its guard. A mark that children inherit identifies them (Linux)."""

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

#: Seconds after which the sweep gives up processes that multiply too fast, or that belong to another user.
GIVE_UP: Final = 10.0
#: Number of searches for new processes, one every millisecond, without a result before the sweep ends.
_QUIET: Final = 10
_LIMITS_LINE: Final = b"Max file locks"


@dataclass(frozen=True)
class ProcessMark:
    """Identifies the processes of one bot, even after they have moved to other groups or sessions.

    Attributes:
        name: a variable in their environment. A program that sets its own environment loses it.
        tag: the processes' limit of file locks. It is a random number, and only root could raise it again.
    """

    name: str
    tag: int

    @classmethod
    def new(cls) -> ProcessMark:
        """Return a new, unique mark."""
        high = (1 << 62) - 1
        if sys.platform == "linux":
            import resource

            from warlight_env.protocol.supervisor import RLIMIT_LOCKS

            present = resource.getrlimit(RLIMIT_LOCKS)[1]
            if present != resource.RLIM_INFINITY:
                high = min(high, present)  # for a bot inside a bot: below the outer mark
        return cls(f"WARLIGHT_BOT_{uuid.uuid4().hex}", random.SystemRandom().randint(high // 2, high))

    def carried_by(self, process: int) -> bool:
        """Return whether a running process has the mark.

        The result is False for an ended process, even if its parent has not waited for it.
        """
        with contextlib.suppress(OSError), open(f"/proc/{process}/limits", "rb") as file:
            line = next((line for line in file if line.startswith(_LIMITS_LINE)), b"")
            if str(self.tag).encode() in line.split():
                with open(f"/proc/{process}/stat", "rb") as stat:
                    return stat.read().rpartition(b")")[2].split()[0] not in b"ZX"
        with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as file:
            return f"{self.name}=1".encode() in file.read().split(b"\0")
        return False

    def kill_all(self) -> list[int]:
        """Kill every process with the mark until there are no more. Return those that could not be killed."""
        deadline = time.monotonic() + GIVE_UP
        while True:
            # Some processes live for milliseconds only, shorter than a full search. So after the first search, only new
            # processes are checked, until no more appear. If any were killed, all are checked again, because an id may
            # have been used again.
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
        """Kill each process with the mark that is not in `others`. Processes without the mark are added to `others`.

        Return the ids of the marked processes, and of those among them that may not be killed.
        """
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
