"""One game on the server: who sits there, how it stands, and what viewers are told of the moment."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from warlight_env.arena.playing.play import round_limit
from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.record import Header
from warlight_env.web.book import Book
from warlight_env.web.committing import Committing
from warlight_env.web.errors import Refusal
from warlight_env.web.eyes import SPECTATOR
from warlight_env.web.feed import Feed
from warlight_env.web.kept_game import KeptGame
from warlight_env.web.leaving import Leaving
from warlight_env.web.playing import Playing
from warlight_env.web.seat import Seat
from warlight_env.web.thinking import Thinkers
from warlight_env.web.turn_clock import TurnClock
from warlight_env.web.turn_file import TURNS, TurnsFile
from warlight_env.web.worker import WorkerSetup

#: Seconds between two rounds of a game between bots.
PACE: Final = 0.8


@dataclass
class Room:
    """A game that is being played.

    id: names it. seats: by seat. game: as it stands. book: its log. setup: of the game. watch_token: sees everything;
    None: nobody may. drawing: of its map as JSON; None: not made yet.
    """

    id: str
    seats: list[Seat]
    game: Game
    book: Book
    setup: WorkerSetup
    thinkers: Thinkers
    watch_token: str | None
    pace: float = PACE
    paused: bool = False
    drawing: bytes | None = None
    number: int = 0  #: decides which worker thinks
    touched: float = field(default_factory=time.monotonic)
    trouble: Refusal | None = None  #: why the game does not go on
    chances: list[list[list[float]] | None] = field(default_factory=list)  #: by rounds played, between bots
    leaving: Leaving = field(default_factory=Leaving)
    name: str = ""  #: that somebody gave it
    spectate_token: str | None = None  #: of those who watch people; None: nobody does
    clock: TurnClock = field(default_factory=lambda: TurnClock(None))
    rematch: str | None = None  #: the game that is played next
    rematch_kept: KeptGame | None = None  #: what is kept of it; None: it has been deleted

    def __post_init__(self) -> None:
        self.limit = round_limit(self.game.rules, self.game.map.n_regions, None)
        self.feed = Feed(self)
        self.turns = TurnsFile(self.book.path.with_name(f"{self.id}{TURNS}"))
        self.committing = Committing(self, self.turns)
        self._playing = Playing(self)

    # What it is

    @property
    def humans(self) -> list[int]:
        """The seats of people."""
        return [s for s, seat in enumerate(self.seats) if seat.spec is None]

    @property
    def header(self) -> Header:
        """Of the log."""
        assert self.book.header is not None  # rooms are started once their books have begun
        return self.book.header

    @property
    def begun(self) -> bool:
        """Whether anything was done in it, beyond what it took over from another game."""
        if self.header.continues is not None:
            played = self.game.round > self.header.continues.rounds
        else:
            played = self.book.steps > 0
        return played or self.over or bool(self.leaving.resigned) or any(s in self.pending for s in self.humans)

    @property
    def friends(self) -> list[int]:
        """The seats of people who were invited."""
        return [s for s, seat in enumerate(self.seats) if seat.friend]

    @property
    def kind(self) -> str:
        """ "watch", "play", "hotseat", or "together", with friends who have screens of their own."""
        if self.friends:
            return "together"
        return ("watch", "play")[len(self.humans)] if len(self.humans) < 2 else "hotseat"

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.game.done or self.game.round >= self.limit or self.leaving.ends(self.game)

    @property
    def error(self) -> str | None:
        """Why the game does not go on."""
        return None if self.trouble is None else str(self.trouble["error"])

    @property
    def awaited(self) -> list[int]:
        """The seats that have not handed in."""
        if self.over:
            return []
        asked: Sequence[int] = self.game.pickers() if self.game.phase == "pick" else range(self.game.players)
        return [s for s in asked if s not in self.pending and self.leaving.plays(self.game, s)]

    @property
    def kept(self) -> KeptGame:
        """What is kept of it besides its log."""
        seats = [(seat.name, seat.spec, seat.token) for seat in self.seats]
        return KeptGame(
            seats, self.watch_token, self.pace, self.paused, self.name, tuple(self.friends), self.spectate_token,
            self.clock.seconds, self.rematch,
        )  # fmt: skip

    def now(self, seat: int | None) -> dict[str, Any]:
        """What is not in the log: who is awaited, who thinks, clocks; for a player, what it may do."""
        clock = time.monotonic()
        state: dict[str, Any] = {
            "type": "now",
            "phase": "over" if self.over else self.game.phase,
            "round": self.game.round,
            "awaited": self.awaited,
            "out": [s for s in range(self.game.players) if self.game.phase != "pick" and not self.game.alive(s)],
            "thinking": {s: round(clock - x.since, 2) for s, x in enumerate(self.seats) if x.since is not None},
            "clocks": [[round(seat.last, 3), round(seat.spent, 3)] for seat in self.seats],
            "paused": self.paused,
            "pace": self.pace,
            "error": self.error,
            "code": "" if self.trouble is None else self.trouble["code"],
            "values": {} if self.trouble is None else self.trouble["values"],
            "chances": self._last_chances() if seat is None else None,
            "resigned": list(self.leaving.resigned),
            "draw": sorted(self.leaving.agreed),
            "here": [s for s in self.humans if self.feed.there(s)],
            "watching": self.feed.there(SPECTATOR),
            "clock": self.clock.told() if self.awaited else None,
            "rematch": self._rematch(seat),
        }
        if seat is not None and seat != SPECTATOR:
            view = self.game.view(seat)
            state["you"] = {
                "income": view.income,
                "offers": list(self.game.offers(seat)),
                "picks": max(self.game.rules.ranked, view.picks_left),
                "in": seat in self.pending,
                "alive": self.leaving.plays(self.game, seat),
            }
        return state

    def _rematch(self, seat: int | None) -> dict[str, Any] | None:
        """Where the game is played anew: the key is that of the same seat, or of watching."""
        if self.rematch_kept is None or seat is None:
            return None
        token, player = self.rematch_kept.token(seat), None if seat == SPECTATOR else seat
        return None if token is None else {"id": self.rematch, "seat": player, "token": token}

    def _last_chances(self) -> tuple[int, list[list[float]]] | None:
        """The latest that are known, with their round: where bots wait for the worker, a position goes without."""
        for played, values in reversed(list(enumerate(self.chances))):
            if values is not None:
                return played, values
        return None

    # What people do, see `Committing`

    @property
    def pending(self) -> dict[int, Any]:
        """What has been handed in, by seat."""
        return self.committing.pending

    def hand_in_picks(self, seat: int, wishes: list[int]) -> None:
        """A person's picks, best first."""
        self.committing.hand_in_picks(seat, wishes)

    def hand_in_orders(self, seat: int, number: int, orders: Orders, hint: dict[str, Any] | None = None) -> None:
        """A person's orders for the round of that number."""
        self.committing.hand_in_orders(seat, number, orders, hint)

    def take_back(self, seat: int) -> Any:
        """A person's committed turn, which counts no more."""
        return self.committing.take_back(seat)

    def resign(self, seat: int) -> None:
        """A person gives up, for good."""
        self.committing.resign(seat)

    def agree(self, seat: int, agrees: bool) -> None:
        """A person agrees on a draw as things stand, or does not."""
        self.committing.agree(seat, agrees)

    # What happens

    def wake(self) -> None:
        """Something has changed: look at it, and tell the viewers."""
        self.touched = time.monotonic()
        self._playing.look()
        self.feed.tell()

    def looked_at(self, seat: int | None) -> None:
        """A viewer has come or gone: games between bots wait while nobody watches, people's time while none is here."""
        self.touched = time.monotonic()
        self._playing.look()
        if seat is not None:
            self.feed.tell()

    def start(self) -> None:
        """Let the game go on."""
        self._playing.start()

    async def stop(self) -> None:
        """Stop where it is; all rounds that were played are on disk, and what is left of the clock if possible."""
        await self._playing.stop()
        self.committing.keep_clock()
        self.book.close()
        self.feed.close()
