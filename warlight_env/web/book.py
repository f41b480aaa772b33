"""A game's log while it is played on the server: every line on disk before anybody is told of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from warlight_env.game import Game
from warlight_env.record import GameLog, Header, LogError, LogWriteError, Picks, Player, Recorder
from warlight_env.record.names import PARTIAL, PLAIN


class Stand:
    """A seat as its game's `Recorder` knows it: its name, and what was thought there before the turn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.thought: dict[str, Any] | None = None

    def insight(self) -> dict[str, Any] | None:
        """See `record.Insightful`; told once."""
        thought, self.thought = self.thought, None
        return thought


class Book(Recorder):
    """Writes a game's log to ``NAME.partial.wl.jsonl``, and keeps its lines for the viewers.

    The file is made by `open`, with all lines so far, in one step; a game that goes on replaces its file so.

    Args:
        path: ``NAME.wl.jsonl``, the name of the finished game.
        players: by seat.
    """

    def __init__(self, path: Path, players: Sequence[Player]) -> None:
        super().__init__(players, insight=True)
        self.path = path
        self.partial = path.with_name(path.name.removesuffix(PLAIN) + PARTIAL + PLAIN)
        self.stands = [Stand(player.name) for player in players]
        self.lines: list[bytes] = []  #: the header first; bytes, as a long game's events are a hundred thousand objects
        self.complete = False  #: whether the game has ended
        self._unwritten: list[bytes] = []
        self._file: int | None = None

    def write(self, line: bytes) -> None:
        """See `Recorder`."""
        if self._file is None:
            self._unwritten.append(line)
        else:
            self._put(self._file, line)
        self.lines.append(line)

    @property
    def events(self) -> int:
        """How many there are."""
        return len(self.lines) - 1

    def event(self, number: int) -> dict[str, Any]:
        """The event of that number."""
        data: dict[str, Any] = json.loads(self.lines[number + 1])
        return data

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

    def finish(self, game: Game) -> None:
        """The game has ended: the file gets its name."""
        seats = tuple(range(game.players))
        self.ended(Ended(seats, game.winner, game.round, game.placements, not game.done))
        self.complete = True
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

    def _put(self, file: int, line: bytes) -> None:
        data = line + b"\n"
        while data:
            data = data[os.write(file, data) :]

    def take_up(self, header: Header, lines: Iterable[bytes], complete: bool) -> None:
        """The game is the one of these lines, and goes on unless it is complete."""
        self._agents, self.header, self.complete = self.stands, header, complete
        for line in lines:
            self.write(line)


@dataclass(frozen=True)
class Ended:
    """See `record.Outcome`; every seat is its own agent."""

    seats: tuple[int, ...]
    winner: int | None
    rounds: int
    placements: tuple[int, ...]
    cut_off: bool


def picks_of(header: Header) -> Literal["play", "random"]:
    """How the game of a log picked, as `Game` takes it."""
    return "play" if header.picks == "agents" else "random"


def play_again(log: GameLog, game: Game, rounds: int) -> None:
    """Play the picks and the first `rounds` rounds of a log.

    Raises:
        LogError: the game goes another way than its log says.
    """
    for step in log.steps:
        if isinstance(step, Picks):
            game.pick({p: wish for p, wish in enumerate(step.wishes) if wish is not None}, on_illegal="skip")
        elif step.round <= rounds:
            game.play_round(step.orders, on_illegal="skip")
        else:
            return
        if game.fingerprint() != step.hash:
            raise LogError(f"round {game.round}: played again, the game goes another way than its log says")
