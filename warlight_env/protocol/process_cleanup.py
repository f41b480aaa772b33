"""A function that ends a bot's processes on Linux if the bot has killed its guard process (see `supervisor`).

All processes of a bot have a mark, which child processes inherit. The function finds the bot's processes by their mark.
"""

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

#: The maximum time in seconds for killing processes. The time can run out if the bot starts new processes very fast.
GIVE_UP: Final = 10.0
#: `kill_all` searches for new processes every millisecond, until this number of searches find none.
_QUIET: Final = 10
_LIMITS_LINE: Final = b"Max file locks"


@dataclass(frozen=True)
class ProcessMark:
    """A mark by which the processes of one bot are found.

    The mark also identifies processes that change their group or session.

    Attributes:
        name: the name of an environment variable of the processes. A program that replaces its environment deletes this
            variable.
        tag: a random number, which is the RLIMIT_LOCKS (limit of file locks) of the processes. Only root can raise a
            process's RLIMIT_LOCKS.
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

            current_limit = resource.getrlimit(RLIMIT_LOCKS)[1]
            if current_limit != resource.RLIM_INFINITY:
                high = min(high, current_limit)  # if this process runs inside a bot, its own limit is the maximum
        return cls(f"WARLIGHT_BOT_{uuid.uuid4().hex}", random.SystemRandom().randint(high // 2, high))

    def carried_by(self, process: int) -> bool:
        """Return whether a process has the mark. Return False for a process that has ended, including a zombie."""
        with contextlib.suppress(OSError), open(f"/proc/{process}/limits", "rb") as file:
            line = next((line for line in file if line.startswith(_LIMITS_LINE)), b"")
            if str(self.tag).encode() in line.split():
                with open(f"/proc/{process}/stat", "rb") as stat:
                    return stat.read().rpartition(b")")[2].split()[0] not in b"ZX"
        with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as file:
            return f"{self.name}=1".encode() in file.read().split(b"\0")
        return False

    def kill_all(self) -> list[int]:
        """Kill all processes with the mark. Return the ids of processes that could not be killed."""
        deadline = time.monotonic() + GIVE_UP
        while True:
            # A full search of /proc takes longer than the life of some processes. So only the first search checks all
            # processes; the next searches check only new ids, until no more appear. If any process was killed, the
            # outer loop checks all processes again, because the system may have used an id for a second process.
            unmarked: set[str] = set()
            killed = quiet_searches = 0
            while quiet_searches < _QUIET and time.monotonic() < deadline:
                marked, refused = self._kill_marked(unmarked)
                quiet_searches = 0 if len(marked) > len(refused) else quiet_searches + 1
                killed += len(marked) - len(refused)
                time.sleep(0.001)
            if not killed or time.monotonic() > deadline:
                return marked

    def _kill_marked(self, unmarked: set[str]) -> tuple[list[int], list[int]]:
        """Kill each process with the mark.

        unmarked: processes without the mark; the method skips them and adds new ones.

        Return the ids of all processes with the mark, and the ids of those that this user must not kill.
        """
        marked, refused = [], []
        for process in filter(str.isdecimal, os.listdir("/proc")):
            if process in unmarked:
                continue
            if not self.carried_by(int(process)):
                unmarked.add(process)
                continue
            marked.append(int(process))
            try:
                os.kill(int(process), signal.SIGKILL)
            except ProcessLookupError:
                pass
            except PermissionError:
                refused.append(int(process))
        return marked, refused
