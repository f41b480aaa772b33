"""Errors of logs: files that cannot be read, files that cannot be written, and failed replays."""

from __future__ import annotations

from warlight_env.errors import InputError, RunError


class LogError(InputError):
    """A log cannot be used. The message names the file, the line and the reason."""


class LogWriteError(RunError):
    """A log cannot be written, because space or permissions are missing. The logs of earlier games are complete."""


class ReplayError(InputError):
    """A replayed game differs from its log. The message names the round and the field."""
