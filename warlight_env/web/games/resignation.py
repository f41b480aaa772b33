"""Resignations and agreed draws, and how a game ends by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from warlight_env.game import Game
from warlight_env.record.model import LoggedDraw, LoggedFailure
from warlight_env.step_results import end_with_forfeits, places_with_forfeits


@dataclass(frozen=True)
class GameEnd:
    """See `record.recorder.FinishedGame`; every seat is its own agent."""

    seats: tuple[int, ...]
    winner: int | None
    rounds: int
    placements: tuple[int, ...]
    cut_off: bool


@dataclass
class Resignations:
    """Resignations and the agreed draw of a game.

    A seat that resigned moves no more: its armies stay and defend themselves. It ranks as if it was eliminated in that
    round, and the game ends when only one seat still plays.

    resigned: the round from which on a seat stands still (0: it was still picking), in the order in which they left.
    logged: so many of them are in the log. agreed: seats that agree on a draw as things stand. drawn: those who were
    left, once all did. draw_logged: whether the log says that.
    """

    resigned: dict[int, int] = field(default_factory=dict)
    logged: int = 0
    agreed: set[int] = field(default_factory=set)
    drawn: tuple[int, ...] = ()
    draw_logged: bool = False

    def plays(self, game: Game, seat: int) -> bool:
        """Whether a seat is still in the game, and has not left."""
        return seat not in self.resigned and game.alive(seat)

    def left(self, game: Game) -> list[int]:
        """The seats that play on."""
        return [seat for seat in range(game.players) if self.plays(game, seat)]

    def ends(self, game: Game) -> bool:
        """Whether the game is over by it."""
        return bool(self.drawn) or (bool(self.resigned) and len(self.left(game)) <= 1)

    def end(self, game: Game) -> GameEnd:
        """How the game ends as it stands."""
        seats, out = tuple(range(game.players)), list(game.eliminated)
        for seat, number in self.resigned.items():
            last = out[seat]
            out[seat] = number if last is None else min(last, number)
        if self.drawn:
            return GameEnd(seats, None, game.round, tuple(places_with_forfeits([1] * game.players, out)), False)
        if not self.resigned:
            return GameEnd(seats, game.winner, game.round, game.placements, not game.done)
        places, winner, over = end_with_forfeits(game.placements, game.winner, game.done, out)
        return GameEnd(seats, winner, game.round, tuple(places), not over)

    def to_log(self, rounds: int | None, tell: Callable[[int, int], None]) -> None:
        """Tell a log, by seat and round, of those who left up to a round (None: all) and are not in it yet."""
        for seat, number in list(self.resigned.items())[self.logged :]:
            if rounds is None or number <= rounds:
                tell(seat, number)
                self.logged += 1

    def from_log(self, failures: Iterable[LoggedFailure], draw: LoggedDraw | None) -> None:
        """After a restart: what is in the log."""
        for failure in failures:
            self.resigned[failure.player] = failure.round
        self.logged = len(self.resigned)
        self.drawn, self.draw_logged = () if draw is None else draw.players, draw is not None

    def to_dict(self) -> dict[str, Any]:
        """What is to survive a restart, as plain data; of what is agreed on only what all did."""
        return {"resigned": list(self.resigned.items()), "drawn": self.drawn}

    def take(self, data: Any) -> None:
        """Those of `to_dict` who are not here yet; an error where it is something else."""
        for seat, number in data["resigned"]:
            self.resigned.setdefault(int(seat), int(number))
        self.drawn = self.drawn or tuple(int(seat) for seat in data["drawn"])
