"""A game's log while it is played on the server: every line on disk before anybody is told of it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warlight_env.game import Game
from warlight_env.record import Continuation, GameLog, LogError, LogWriteError, MemoryRecorder, Picks, Player
from warlight_env.record.model import Header
from warlight_env.record.names import PARTIAL, PLAIN


class Stand:
    """A seat as the log sees it: its name, and what was thought there before the turn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.thought: dict[str, Any] | None = None

    def insight(self) -> dict[str, Any] | None:
        """See `record.Insightful`; told once."""
        thought, self.thought = self.thought, None
        return thought

    def pick(self, view: object) -> list[int]:
        """Never asked: seats hand in by themselves."""
        raise NotImplementedError

    act = pick  # type: ignore[assignment]


class Book(MemoryRecorder):
    """Writes a game's log to ``NAME.partial.wl.jsonl``, and keeps its events for the viewers.

    A game that goes on from a log is played again first; its file is replaced in one step when that has succeeded.

    Args:
        path: ``NAME.wl.jsonl``, the name of the finished game.
        players: by seat.
        continues: see `record.Continuation`.
    """

    def __init__(self, path: Path, players: Sequence[Player], continues: Continuation | None = None) -> None:
        super().__init__(players, None, continues, insight=True)
        self.path = path
        self.partial = path.with_name(path.name.removesuffix(PLAIN) + PARTIAL + PLAIN)
        self.stands = [Stand(player.name) for player in players]
        self.events: list[dict[str, Any]] = []  #: all but the header
        self._unwritten: list[str] = []
        self._file: int | None = None

    def write(self, line: str) -> None:
        """See `Recorder`."""
        super().write(line)
        if self._file is None:
            self._unwritten.append(line)
        else:
            self._put(self._file, line)
        data = json.loads(line)
        if "event" in data:
            self.events.append(data)

    @property
    def header(self) -> Header:
        """The log's header."""
        return self.log.header

    def open(self) -> None:
        """From now on every line goes to the file, those before in one step."""
        fresh = self.partial.with_name(self.partial.name + ".new")
        try:
            file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
            for line in self._unwritten:
                self._put(file, line)
            os.replace(fresh, self.partial)
        except OSError as error:
            raise LogWriteError(f"cannot write the log {self.partial}: {error.strerror or error}") from None
        self._file = file
        self._unwritten.clear()

    def finish(self) -> None:
        """The game has ended: the file gets its name."""
        self.ended(None)
        self.close()
        try:
            self.partial.replace(self.path)
        except OSError as error:
            raise LogWriteError(f"cannot write the log {self.path}: {error.strerror or error}") from None

    def close(self) -> None:
        """Write no more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _put(self, file: int, line: str) -> None:
        data = line.encode("ascii") + b"\n"
        while data:
            data = data[os.write(file, data) :]

    def play_again(self, log: GameLog, game: Game, limit: int, rounds: int) -> None:
        """Play the first `rounds` rounds of a log; `LogError` where the game goes another way."""
        self.began(game, self.stands, limit)
        for step in log.steps:
            if not isinstance(step, Picks) and step.round > rounds:
                break
            for insight in step.insights:
                self.stands[insight.player].thought = insight.data
            if isinstance(step, Picks):
                wishes = {p: wish for p, wish in enumerate(step.wishes) if wish is not None}
                self.picked(wishes, game.pick(wishes, on_illegal="skip"), game)
            else:
                result = game.play_round(step.orders, on_illegal="skip")
                orders = {p: turn for p, turn in enumerate(step.orders) if turn is not None}
                self.played(orders, result, game)
            if game.fingerprint() != step.hash:
                raise LogError(f"round {game.round}: played again, the game goes another way than its log says")
