"""Resignations and agreed draws, and the games that end with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from warlight_env.game import Game
from warlight_env.record.model import LoggedDraw, LoggedFailure
from warlight_env.step_results import end_with_forfeits


@dataclass(frozen=True)
class GameEnd:
    """The end of a game for the log, see `record.recorder.FinishedGame`. Every seat counts as an agent of its own."""

    seats: tuple[int, ...]
    winner: int | None
    rounds: int
    placements: tuple[int, ...]
    cut_off: bool


@dataclass
class Resignations:
    """The resignations in a game, and the draw on which its players have agreed.

    A player that resigned gives no more orders, but its armies stay on the map and defend themselves. In the final
    ranking, a resignation counts as an elimination in the same round. The game ends when only one player still plays.

    Attributes:
        resigned: for each seat that resigned, the first round in which it gives no orders (0: during the picks), in the
            order of the resignations.
        logged: the number of resignations that the log contains.
        agreed: the seats that agree to a draw in the current position.
        drawn: the seats of the remaining players, if all of them have agreed to a draw; otherwise empty.
        draw_logged: whether the log contains the draw.
    """

    resigned: dict[int, int] = field(default_factory=dict)
    logged: int = 0
    agreed: set[int] = field(default_factory=set)
    drawn: tuple[int, ...] = ()
    draw_logged: bool = False

    def is_active(self, game: Game, seat: int) -> bool:
        """Return whether a seat is still in the game, and has not resigned."""
        return seat not in self.resigned and game.alive(seat)

    def active_seats(self, game: Game) -> list[int]:
        """Return the seats that still play."""
        return [seat for seat in range(game.players) if self.is_active(game, seat)]

    def ends(self, game: Game) -> bool:
        """Return whether the game is over because of resignations or an agreed draw."""
        return bool(self.drawn) or (bool(self.resigned) and len(self.active_seats(game)) <= 1)

    def end(self, game: Game) -> GameEnd:
        """Return the end of the game for the log, with the final ranks in the current state of the game."""
        places, winner, is_over = end_with_forfeits(
            game.placements, game.winner, game.done, game.eliminated, self.resigned.items(), drawn=bool(self.drawn)
        )
        return GameEnd(tuple(range(game.players)), winner, game.round, places, not is_over)

    def to_log(self, rounds: int | None, log_resignation: Callable[[int, int], None]) -> None:
        """Call `log_resignation(seat, round)` for each resignation that is not in the log yet.

        rounds: only resignations up to this round; None: all.
        """
        for seat, number in list(self.resigned.items())[self.logged :]:
            if rounds is None or number <= rounds:
                log_resignation(seat, number)
                self.logged += 1

    def from_log(self, failures: Iterable[LoggedFailure], draw: LoggedDraw | None) -> None:
        """Take the resignations and the draw from a log, after a restart."""
        for failure in failures:
            self.resigned[failure.player] = failure.round
        self.logged = len(self.resigned)
        self.drawn, self.draw_logged = () if draw is None else draw.players, draw is not None

    def to_dict(self) -> dict[str, Any]:
        """Return the resignations and the draw as plain data, which a file stores for a restart of the server.

        The data contain a draw only if all remaining seats agreed to it.
        """
        return {"resigned": list(self.resigned.items()), "drawn": self.drawn}

    def restore(self, data: Any) -> None:
        """Restore the resignations and the agreed draw from `data`, a result of `to_dict`."""
        for seat, number in data["resigned"]:
            self.resigned.setdefault(int(seat), int(number))
        self.drawn = self.drawn or tuple(int(seat) for seat in data["drawn"])
