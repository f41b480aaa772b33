"""Limits of a bot's process: memory, processes, network. Limits that the system cannot enforce are an error."""

from __future__ import annotations

import functools
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warlight_env.errors import InputError
from warlight_env.protocol.process_cleanup import ProcessMark

SUPERVISOR: Final = Path(__file__).with_name("supervisor.py")
_PROBE_SECONDS: Final = 30.0


class CommandError(InputError):
    """A command cannot be started. The message gives the reason."""


@dataclass(frozen=True)
class BotLimits:
    """Limits of a bot.

    Attributes:
        memory: bytes of data for each of its processes; None: no limit.
        procs: total number of processes and threads; None: no limit.
        network: whether the bot has a network.
        isolate: whether its processes run in their own namespaces. With `procs`, or without `network`, they always do.
    """

    memory: int | None = None
    procs: int | None = None
    network: bool = True
    isolate: bool = False

    def settings(self, mark: ProcessMark) -> str:
        """Return the settings of a guard, see `supervisor.SupervisorSettings`."""
        numbers = [mark.tag, self.memory or 0, self.procs or 0, int(self.network), int(self.isolate)]
        return ",".join([mark.name, *map(str, numbers)])

    def __str__(self) -> str:
        asked = {
            f"memory={self.memory}": self.memory is not None,
            f"procs={self.procs}": self.procs is not None,
            "network=off": not self.network,
            "isolate=on": self.isolate,
        }
        return ",".join(text for text, wanted in asked.items() if wanted)


NO_LIMITS: Final = BotLimits()


def check_limits(limits: BotLimits) -> None:
    """Raise an error for limits that this system cannot set.

    Raises:
        CommandError: the message gives the reason.
    """
    if limits == NO_LIMITS:
        return
    reason = _cannot(limits) if sys.platform == "linux" else "limits need Linux"
    if reason:
        raise CommandError(f"{limits}: {reason}")


@functools.cache
def _cannot(limits: BotLimits) -> str:
    """Return the reason why the limits cannot be set, or "". The function tries them in a separate process."""
    command = [sys.executable, "-I", "-S", str(SUPERVISOR), "probe", limits.settings(ProcessMark.new())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    return done.stdout.strip() if done.returncode == 0 else f"this system refuses: {done.stderr[-300:].strip()}"
