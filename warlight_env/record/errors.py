"""What goes wrong with logs: files that cannot be read, and such that cannot be written."""

from __future__ import annotations

from warlight_env.errors import InputError, RunError


class LogError(InputError):
    """A log that cannot be used: the message names the file, the line in it and the reason."""


class LogWriteError(RunError):
    """A log that could not be written, for want of space or rights; games logged before are whole."""


class ReplayError(InputError):
    """A log whose game, played again, goes another way: names the round and the field."""
