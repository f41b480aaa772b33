"""Writes the log of a game that is played on the server; each line is on disk before viewers receive it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from warlight_env.arena.contests.append_only import append_whole
from warlight_env.game import Game
from warlight_env.output import WRITE, move_output, open_output
from warlight_env.record import GameLog, Header, LogError, LoggedFailure, Picks, Player, Recorder
from warlight_env.record.encode import failure_data
from warlight_env.record.model import RESIGNED
from warlight_env.record.names import PARTIAL, PLAIN
from warlight_env.web.storage.game_folder import writing

#: Latest events that are kept as objects; older ones are parsed again from their lines.
KEPT: Final = 8


class SeatState:
    """The state of a seat for its game's `Recorder`: its name, and the insight that is logged with its next turn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.thought: dict[str, Any] | None = None

    def insight(self) -> dict[str, Any] | None:
        """See `Agent.insight`; each insight is returned once."""
        thought, self.thought = self.thought, None
        return thought


class GameLogWriter(Recorder):
    """Writes a game's log to ``NAME.partial.wl.jsonl``, and keeps its lines for the viewers.

    What is recorded waits until `save`, which has it on disk as a whole or not at all; only then it is one of the
    `lines`. So nobody is told what is not on disk, and a full disk costs nothing but time.

    Args:
        path: ``NAME.wl.jsonl``, the name of the finished game.
        players: by seat.
    """

    def __init__(self, path: Path, players: Sequence[Player]) -> None:
        super().__init__(players, insight=True)
        self.path = path
        self.partial = path.with_name(path.name.removesuffix(PLAIN) + PARTIAL + PLAIN)
        self.seat_states = [SeatState(player.name) for player in players]
        self.lines: list[bytes] = []  #: the header first; bytes, as a long game's events are a hundred thousand objects
        self.size = 0  #: bytes of them
        self._told: dict[int, dict[str, Any]] = {}  # the latest events by number, for those who follow the game
        self.steps = 0  #: picks and rounds among them
        self.complete = False  #: whether the game has ended
        self._waiting: list[bytes] = []
        self._file: int | None = None
        self._end = 0  # of what is in the file

    def write(self, line: bytes) -> None:
        """See `Recorder`."""
        self._waiting.append(line)

    def tell(self, event: dict[str, Any]) -> None:
        """See `Recorder`."""
        super().tell(event)
        self._told[self.events + len(self._waiting) - 1] = event
        if len(self._told) > KEPT:
            del self._told[min(self._told)]

    @property
    def waits(self) -> bool:
        """Whether something is recorded that is not on disk."""
        return bool(self._waiting)

    @property
    def events(self) -> int:
        """How many there are."""
        return len(self.lines) - 1

    def event(self, number: int) -> dict[str, Any]:
        """The event of that number: as it was told, or for those who come late from its line."""
        return self._told.get(number) or _read(self.lines[number + 1])

    def save(self) -> None:
        """Have all that waits on disk, and tell it.

        Raises:
            DiskError: it is not, and waits on.
        """
        with writing(self.partial):
            if self._file is None:
                self._file, self._end = self._made()
            else:
                self._end = append_whole(self._file, self._end, _text(self._waiting))
        self._tell()

    def _tell(self) -> None:
        self.lines += self._waiting
        self.size += sum(map(len, self._waiting))
        self.steps += sum(line.startswith(_STEPS) for line in self._waiting)
        self._waiting.clear()

    def _made(self) -> tuple[int, int]:
        """The file with all lines, made in one step, and where it ends; a game that goes on replaces its file so."""
        fresh = self.partial.with_name(self.partial.name + ".new")
        file = open_output(fresh, WRITE | os.O_APPEND, 0o600)
        try:
            end = append_whole(file, 0, _text([*self.lines, *self._waiting]))
            move_output(fresh, self.partial)
        except OSError:
            os.close(file)
            with contextlib.suppress(OSError):
                os.unlink(fresh)
            raise
        return file, end

    def left(self, seat: int, number: int) -> None:
        """Log that a seat resigned and moves no more from that round on."""
        self.tell(failure_data(LoggedFailure(seat, number, RESIGNED)))

    def finish(self, tell: Callable[[], None]) -> None:
        """The game has ended, which `tell` records: the file gets its name. `DiskError`: not yet; try again."""
        if not self.complete:
            if not self._waiting:
                tell()
            self.save()
            self.complete = True
        with writing(self.path):
            move_output(self.partial, self.path)
        self.close()

    def close(self) -> None:
        """Write no more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def take_up(self, header: Header, lines: Iterable[bytes], complete: bool, *, on_disk: bool = False) -> None:
        """The game is the one of these lines, and goes on unless it is complete. on_disk: they are on disk already."""
        self._agents, self.header, self.complete = self.seat_states, header, complete
        self._waiting = list(lines)
        if on_disk:
            while not complete and self._waiting[-1].startswith(_INSIGHT):
                self._waiting.pop()  # of a round that was cut off while it was written: it is thought about anew
            self._tell()


_STEPS: Final = (b'{"event":"picks"', b'{"event":"round"')
_INSIGHT: Final = b'{"event":"insight"'


def _read(line: bytes) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(line)
    return event


def _text(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


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
