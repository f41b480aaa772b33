"""The class `GameLog`: a logged game that can be loaded from a file, saved, and shown in a notebook."""

from __future__ import annotations

from pathlib import Path

from warlight_env.arguments import path_of
from warlight_env.notebooks import html_of
from warlight_env.record.errors import LogError
from warlight_env.record.files import save
from warlight_env.record.model import LoggedGame
from warlight_env.record.reader import load


class GameLog(LoggedGame):
    """The log of a game. The log of an interrupted game contains only the part before the interruption.

    Regions and players are numbered from 0, rounds from 1.
    """

    @classmethod
    def from_logged_game(cls, game: LoggedGame) -> GameLog:
        """Convert a `LoggedGame` to a `GameLog`."""
        return cls(
            game.header, game.start, game.steps, game.failures, game.end, game.insights, game.draw, game.variations
        )

    @classmethod
    def load(cls, path: str | Path) -> GameLog:
        """Read a log file of any version of the format up to the current one.

        If the end of the file is missing, the result contains the complete rounds, and `complete` is False.

        Raises:
            LogError: the file cannot be read, is not a log, has a newer version, or is damaged before its end.
        """
        return cls.from_logged_game(load(path_of(path, "path", LogError)))

    def save(self, path: str | Path) -> None:
        """Write a log file in one step. The file is compressed if its name ends in ``.gz``.

        Raises:
            LogError: the name does not end in ``.wl.jsonl`` or ``.wl.jsonl.gz``.
            LogWriteError: the file cannot be written; if a file with this name exists, it is unchanged.
        """
        save(self, path_of(path, "path", LogError))

    def _repr_html_(self) -> str | None:
        """Return an HTML frame with the replay page, for notebooks; None if the page is not installed."""
        return html_of(self)
