"""`GameLog`: a logged game that is read from a file, written to one, and shown in a notebook."""

from __future__ import annotations

from pathlib import Path

from warlight_env.arguments import path_of
from warlight_env.notebooks import html_of
from warlight_env.record.errors import LogError
from warlight_env.record.files import save
from warlight_env.record.model import LoggedGame
from warlight_env.record.reader import load


class GameLog(LoggedGame):
    """A game, or as much of it as was logged. Regions and players count from 0, rounds from 1."""

    @classmethod
    def of(cls, game: LoggedGame) -> GameLog:
        """The log of a game."""
        return cls(game.header, game.start, game.steps, game.failures, game.end, game.insights, game.draw)

    @classmethod
    def load(cls, path: str | Path) -> GameLog:
        """Read a file of any version up to ours; one that was cut off gives its whole rounds (see `complete`).

        Raises:
            LogError: not readable, not a log, from a newer program, or damaged in the middle.
        """
        return cls.of(load(path_of(path, "path", LogError)))

    def save(self, path: str | Path) -> None:
        """Write the file in one step, compressed if its name ends in ``.gz``.

        Raises:
            LogError: the name is no log's. LogWriteError: it cannot be written; what was there before is unchanged.
        """
        save(self, path_of(path, "path", LogError))

    def _repr_html_(self) -> str | None:
        """The page with the replay in a frame, for notebooks; None where the page was not built."""
        return html_of(self)
