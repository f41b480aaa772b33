"""A function that ends a bot's processes on Linux if the bot has killed its guard process (see `supervisor`).

All processes of a bot have a mark, which child processes inherit. The function finds the bot's processes by their mark.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import Final

#: The maximum time in seconds for killing processes. The time can run out if the bot starts new processes very fast.
GIVE_UP: Final = 10.0
#: `kill_all` searches for new processes every millisecond, until this number of searches in sequence find none.
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

    def carried_by(self, process: int) -> bool | None:
        """Return whether a process has the mark, or None if the process has ended and may have had the mark."""
        try:
            with open(f"/proc/{process}/limits", "rb") as file:
                line = next((line for line in file if line.startswith(_LIMITS_LINE)), b"")
            if str(self.tag).encode() in line.split():
                with open(f"/proc/{process}/stat", "rb") as stat:
                    return None if stat.read().rpartition(b")")[2].split()[0] in b"ZX" else True
            with open(f"/proc/{process}/environ", "rb") as file:
                return f"{self.name}=1".encode() in file.read().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            return None
        except OSError:  # for example, the process belongs to another user
            return False

    def kill_all(self) -> list[int]:
        """Kill all processes with the mark. Return the ids of processes that could not be killed."""
        deadline = time.monotonic() + GIVE_UP
        while True:
            # A full search of /proc takes longer than the life of some processes. So only the first search checks all
            # processes; the next searches check only new ids, until no more appear. If any process was killed, the
            # outer loop checks all processes again, because the system may have used an id for a second process.
            checked: set[str] = set()
            killed = quiet_searches = 0
            while quiet_searches < _QUIET and time.monotonic() < deadline:
                search = self._kill_marked(checked)
                quiet_searches = 0 if search.killed or search.ended else quiet_searches + 1
                killed += search.killed
                time.sleep(0.001)
            if not killed or time.monotonic() > deadline:
                return search.marked

    def _kill_marked(self, checked: set[str]) -> _Search:
        """Kill each process with the mark.

        checked: processes that the method skips. It adds processes without the mark and processes that have ended.
        """
        search = _Search()
        for process in filter(str.isdecimal, os.listdir("/proc")):
            if process in checked:
                continue
            carried = self.carried_by(int(process))
            if not carried:
                checked.add(process)
                search.ended += carried is None
                continue
            search.marked.append(int(process))
            try:
                os.kill(int(process), signal.SIGKILL)
            except PermissionError:
                continue
            except ProcessLookupError:
                pass
            search.killed += 1
        return search


@dataclass
class _Search:
    """The result of one search for the processes with a mark.

    Attributes:
        marked: the ids of the processes with the mark.
        killed: the number of these processes that have ended or will end at once.
        ended: the number of processes that ended before the search could read their marks. They may have started
            processes with the mark.
    """

    marked: list[int] = field(default_factory=list)
    killed: int = 0
    ended: int = 0
