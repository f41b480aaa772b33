"""`GameLog`: a logged game that can be read from a file, saved, and shown in a notebook."""

from __future__ import annotations

from pathlib import Path

from warlight_env.arguments import path_of
from warlight_env.notebooks import html_of
from warlight_env.record.errors import LogError
from warlight_env.record.files import save
from warlight_env.record.model import LoggedGame
from warlight_env.record.reader import load


class GameLog(LoggedGame):
    """A game, or its logged part. Regions and players are numbered from 0, rounds from 1."""

    @classmethod
    def of(cls, game: LoggedGame) -> GameLog:
        """Return the log of a game."""
        return cls(game.header, game.start, game.steps, game.failures, game.end, game.insights, game.draw)

    @classmethod
    def load(cls, path: str | Path) -> GameLog:
        """Read a file of any version up to the current one.

        A truncated file gives its complete rounds (see `complete`).

        Raises:
            LogError: the file is unreadable, is not a log, comes from a newer program, or is damaged before its end.
        """
        return cls.of(load(path_of(path, "path", LogError)))

    def save(self, path: str | Path) -> None:
        """Write the file in one step. It is compressed if its name ends in ``.gz``.

        Raises:
            LogError: the name does not end like the name of a log.
            LogWriteError: the file cannot be written. An existing file is unchanged.
        """
        save(self, path_of(path, "path", LogError))

    def _repr_html_(self) -> str | None:
        """Return the replay page in a frame, for notebooks; None if the page was not built."""
        return html_of(self)
