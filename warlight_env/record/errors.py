"""The errors of game logs and studies: a file cannot be read or written, or a replay differs from its log."""

from __future__ import annotations

from warlight_env.errors import InputError, RunError


class LogError(InputError):
    """A game log is not valid or cannot be read. The message names the file, the line and the reason."""


class LogWriteError(RunError):
    """A game log cannot be written, for example because the disk is full. The logs of earlier games are complete."""


class ReplayError(InputError):
    """The replay of a game differs from its log. The message names the round and the field of the difference."""


class VariationError(InputError):
    """A variation is not possible. The message names the variation and the reason. The tree of variations has not
    changed."""


class StudyError(InputError):
    """A study is not valid or cannot be read. The message names the file, the place in it and the reason."""
