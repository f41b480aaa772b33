"""One game on the server: its seats, its state, and the current state for viewers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from warlight_env.arena.games.game_loop import round_limit
from warlight_env.engine.compile_progress import CompileState
from warlight_env.game import Game
from warlight_env.protocol.view_transfer import WorkerSetup
from warlight_env.record import Header
from warlight_env.web.documents.fog_filter import SPECTATOR
from warlight_env.web.errors import ErrorBody
from warlight_env.web.games.feed import Feed
from warlight_env.web.games.resignation import Resignations
from warlight_env.web.games.turn_clock import TurnClock
from warlight_env.web.storage.game_folder import DiskError
from warlight_env.web.storage.game_log import GameLogWriter
from warlight_env.web.storage.saved_game import SavedGame, write_saved_game
from warlight_env.web.storage.submitted_turns import TURNS, SubmittedTurns
from warlight_env.web.workers.bot_workers import BotWorkers

_log = logging.getLogger(__name__)

#: Seconds between two rounds of a game between bots.
PACE: Final = 0.8


class BotFailure(NamedTuple):
    """A turn of a bot that failed: the number of the round (0: the picks), and its time limit if it was late."""

    round: int
    seconds: float | None


@dataclass
class Seat:
    """The player of a seat: a person (spec None) or a bot."""

    name: str
    spec: str | None
    token: str
    total_seconds: float = 0.0  #: total seconds of thinking
    last_seconds: float = 0.0
    busy_since: float | None = None  #: time when it began to think or to prepare
    preparing: CompileState | None = None  #: the state of its process while the process starts or compiles
    failure: BotFailure | None = None  #: why its last turn was empty; None: the bot played its last turn
    friend: bool = False  #: an invited person, at a screen of its own


@dataclass
class Room:
    """A game that is being played on the server.

    Attributes:
        id: the name of the game in addresses and in file names.
        seats: the players, by seat number.
        game: the game in its current position.
        log: the writer of the game's log.
        setup: the map, the rules and the number of players as plain data.
        watch_token: a token that gives access to everything in the game; None: there is no such token.
        drawing: the drawing of the map as JSON; None: the drawing is not made yet.
        turns: stores the submitted turns of people until the step is in the log.
    """

    id: str
    seats: list[Seat]
    game: Game
    log: GameLogWriter
    setup: WorkerSetup
    bot_workers: BotWorkers
    watch_token: str | None
    pace: float = PACE
    paused: bool = False
    drawing: bytes | None = None
    number: int = 0  #: selects the worker processes in which the bots think
    last_activity: float = field(default_factory=time.monotonic)
    failure: ErrorBody | None = None  #: the reason why the game cannot continue
    win_probabilities: list[list[list[float]] | None] = field(default_factory=list)  #: by rounds played; bots only
    resignations: Resignations = field(default_factory=Resignations)
    name: str = ""  #: given by a user
    spectate_token: str | None = None  #: token of spectators of people; None: there is none
    clock: TurnClock = field(default_factory=lambda: TurnClock(None))
    rematch: str | None = None  #: id of the next game of the same players
    rematch_saved: SavedGame | None = None  #: the saved data of that game; None: it has been deleted
    opened: set[int] = field(default_factory=set)  #: seats whose players have opened the game on this server
    opened_before: bool = False  #: whether a player had opened the game before this server loaded it
    clock_forced: bool = False  #: whether the host has started the clock
    #: The orders or picks that each seat has submitted for the next step of the game; None: a bot that failed.
    pending: dict[int, Any] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None  #: plays the game (`game_loop`); None: it has not been started
    wake_event: asyncio.Event = field(default_factory=asyncio.Event)  #: a change, after which the task checks its waits

    def __post_init__(self) -> None:
        self.limit = round_limit(self.game.rules, self.game.map.n_regions, None)
        self.feed = Feed(self)
        self.turns = SubmittedTurns(self.log.path.with_name(f"{self.id}{TURNS}"))

    # Properties

    @property
    def humans(self) -> list[int]:
        """The seats of people."""
        return [s for s, seat in enumerate(self.seats) if seat.spec is None]

    @property
    def header(self) -> Header:
        """The header of the log."""
        assert self.log.header is not None  # a room is started after its log has its header
        return self.log.header

    @property
    def begun(self) -> bool:
        """Whether anything happened in the game, apart from rounds that were copied from another game."""
        if self.header.continues is not None:
            is_played = self.game.round > self.header.continues.rounds
        else:
            is_played = self.log.steps > 0
        has_turn = any(s in self.pending for s in self.humans)
        return is_played or self.over or bool(self.resignations.resigned) or has_turn

    @property
    def was_opened(self) -> bool:
        """Whether a player has opened the game on the page."""
        return self.opened_before or bool(self.opened)

    @property
    def friends(self) -> list[int]:
        """The seats of people who were invited."""
        return [s for s, seat in enumerate(self.seats) if seat.friend]

    @property
    def kind(self) -> str:
        """The kind of game: "watch", "play", "hotseat", or "together" (with friends at their own screens)."""
        if self.friends:
            return "together"
        return ("watch", "play")[len(self.humans)] if len(self.humans) < 2 else "hotseat"

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.done or self.game.round >= self.limit or self.resignations.ends(self.game)

    @property
    def error(self) -> str | None:
        """The reason why the game cannot continue; None if the game can continue."""
        return None if self.failure is None else str(self.failure["error"])

    @property
    def awaited(self) -> list[int]:
        """The seats that have not submitted their turns."""
        if self.over:
            return []
        due_seats: Sequence[int] = self.game.pickers() if self.game.phase == "pick" else range(self.game.players)
        return [s for s in due_seats if s not in self.pending and self.resignations.is_active(self.game, s)]

    @property
    def not_ready(self) -> list[int]:
        """The people who have not opened the game; the clock of the first turn waits for them."""
        if self.clock.seconds is None or self.clock_forced or self.log.steps or self.clock.elapsed:
            return []
        ready = self.opened.union(self.pending)
        return [s for s in self.humans if s not in ready and self.resignations.is_active(self.game, s)]

    @property
    def saved_game(self) -> SavedGame:
        """The data that is saved in addition to the log."""
        seats = [(seat.name, seat.spec, seat.token) for seat in self.seats]
        return SavedGame(
            seats, self.watch_token, self.pace, self.paused, self.name, tuple(self.friends), self.spectate_token,
            self.clock.seconds, self.rematch, self.was_opened,
        )  # fmt: skip

    def live_state(self, seat: int | None) -> dict[str, Any]:
        """Return the state that is not in the log: awaited seats, thinking bots, clocks; for a player, its options."""
        now = time.monotonic()
        busy = {s: round(now - seat.busy_since, 2) for s, seat in enumerate(self.seats) if seat.busy_since is not None}
        state: dict[str, Any] = {
            "type": "now",
            "phase": "over" if self.over else self.game.phase,
            "round": self.game.round,
            "awaited": self.awaited,
            "out": [s for s in range(self.game.players) if self.game.phase != "pick" and not self.game.alive(s)],
            "thinking": {s: seconds for s, seconds in busy.items() if self.seats[s].preparing is None},
            "preparing": {
                s: [busy[s], x.preparing.ready, x.preparing.expected]
                for s, x in enumerate(self.seats)
                if s in busy and x.preparing is not None
            },
            "failed": {s: x.failure._asdict() for s, x in enumerate(self.seats) if x.failure is not None},
            "clocks": [[round(seat.last_seconds, 3), round(seat.total_seconds, 3)] for seat in self.seats],
            "paused": self.paused,
            "pace": self.pace,
            "error": self.error,
            "code": "" if self.failure is None else self.failure["code"],
            "values": {} if self.failure is None else self.failure["values"],
            "chances": self._last_chances() if seat is None else None,
            "resigned": list(self.resignations.resigned),
            "draw": sorted(self.resignations.agreed),
            "here": [s for s in self.humans if self.feed.viewer_count(s)],
            "watching": self.feed.viewer_count(SPECTATOR),
            "clock": self._clock_state() if self.awaited else None,
            "rematch": self._rematch(seat),
        }
        if seat is not None and seat != SPECTATOR:
            view = self.game.view(seat)
            state["you"] = {
                "income": view.income,
                "offers": list(self.game.offers(seat)),
                "picks": max(self.game.rules.ranked, view.picks_left),
                "in": seat in self.pending,
                "alive": self.resignations.is_active(self.game, seat),
            }
        return state

    def _clock_state(self) -> dict[str, Any] | None:
        """Return the clock for the page, with the seats for which it waits; None without a limit."""
        state = self.clock.to_dict()
        return None if state is None else {**state, "waits": self.not_ready}

    def _rematch(self, seat: int | None) -> dict[str, Any] | None:
        """Return data about the rematch for the page: its id, and the viewer's seat and token."""
        if self.rematch_saved is None or seat is None:
            return None
        token, player = self.rematch_saved.token(seat), None if seat == SPECTATOR else seat
        return None if token is None else {"id": self.rematch, "seat": player, "token": token}

    def _last_chances(self) -> tuple[int, list[list[float]]] | None:
        """Return the number of the last round after which the win probabilities are known, and these probabilities."""
        for rounds, values in reversed(list(enumerate(self.win_probabilities))):
            if values is not None:
                return rounds, values
        return None

    # Changes

    def start_clock(self) -> None:
        """Start the clock of the first turn, even if some people have not opened the game."""
        self.clock_forced = True
        self.wake()

    def wake(self) -> None:
        """Handle a change: wake the game's task, and send the new state to the viewers."""
        self.last_activity = time.monotonic()
        self.wake_event.set()
        self.feed.notify()

    def viewers_changed(self, seat: int | None) -> None:
        """Note that a viewer of the game has connected or disconnected.

        A game between bots pauses while it has no viewer; a clock stops while no player is connected.
        """
        self.last_activity = time.monotonic()
        if seat in self.humans and self.feed.viewer_count(seat):
            is_first_visit = not self.was_opened
            self.opened.add(seat)
            if is_first_visit and not self.feed.closed:  # a deleted game must not get a new file
                try:
                    self.save()  # the list of games contains an opened game also after it left the memory
                except DiskError as error:
                    _log.warning("game %s: the disk does not contain that the game was opened: %s", self.id, error)
        self.wake_event.set()
        if seat is not None:
            self.feed.notify()

    def save(self) -> None:
        """Save the data of the game that is not in the log.

        After the game has started, call this only in the event loop, like the writes of turns and rounds: then no other
        task writes the same files at the same time. The file is small, and is not synced.

        Raises:
            DiskError: the file could not be written, and is unchanged.
        """
        write_saved_game(self.log.path.parent, self.id, self.saved_game)
