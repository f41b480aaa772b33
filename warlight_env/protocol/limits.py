"""Limits of an external bot: its memory, the number of its processes, and its access to the network."""

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
    """The command of an external bot cannot be started. The message gives the reason."""


@dataclass(frozen=True)
class BotLimits:
    """Limits of an external bot.

    Attributes:
        memory: the maximum number of bytes of data (RLIMIT_DATA) of each process of the bot; None: no limit.
        procs: the maximum number of processes and threads of the bot; None: no limit.
        network: whether the bot can use the network.
        isolate: whether the bot's processes run in their own Linux namespaces. If `procs` is set or `network` is False,
            the processes always run in their own namespaces.
    """

    memory: int | None = None
    procs: int | None = None
    network: bool = True
    isolate: bool = False

    def settings(self, mark: ProcessMark) -> str:
        """Return the limits as the argument SETTINGS of the script `supervisor`, see `SupervisorSettings`."""
        numbers = [mark.tag, self.memory or 0, self.procs or 0, int(self.network), int(self.isolate)]
        return ",".join([mark.name, *map(str, numbers)])

    def __str__(self) -> str:
        options = {
            f"memory={self.memory}": self.memory is not None,
            f"procs={self.procs}": self.procs is not None,
            "network=off": not self.network,
            "isolate=on": self.isolate,
        }
        return ",".join(text for text, is_set in options.items() if is_set)


NO_LIMITS: Final = BotLimits()


def check_limits(limits: BotLimits) -> None:
    """Check that this system can enforce the limits.

    Raises:
        CommandError: the system cannot enforce a limit; the message gives the reason.
    """
    if limits == NO_LIMITS:
        return
    reason = _probe_error(limits) if sys.platform == "linux" else "limits need Linux"
    if reason:
        raise CommandError(f"{limits}: {reason}")


@functools.cache
def _probe_error(limits: BotLimits) -> str:
    """Try to set the limits in a separate process. Return the reason if the limits cannot be set, or ""."""
    command = [sys.executable, "-I", "-S", str(SUPERVISOR), "probe", limits.settings(ProcessMark.new())]
    process = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    return (
        process.stdout.strip() if process.returncode == 0 else f"this system refuses: {process.stderr[-300:].strip()}"
    )
