"""A game's log as data: the content of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Self

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.step_results import Deploy, Event, IllegalOrder

#: A region with its new owner and army.
Change = tuple[int, int, int]


@dataclass(frozen=True)
class Player:
    """The player on a seat."""

    name: str
    spec: str | None = None  #: the agent's specification in the registry
    parameters: dict[str, Any] = field(default_factory=dict)  #: of the agent, defaults included
    seed: int | None = None  #: of the agent's own randomness


@dataclass(frozen=True)
class Continuation:
    """The origin of a game that continues another game."""

    rounds: int  #: number of rounds from the other game
    players: tuple[str, ...]  #: names of the players of those rounds


@dataclass(frozen=True)
class Header:
    """The facts that are known at the start of a game."""

    map: Map
    rules: Rules
    players: tuple[Player, ...]
    seed: int
    picks: Literal["random", "agents"]
    round_limit: int
    program: str
    match: dict[str, Any] | None = None  #: description of the match, and the game's number in it
    continues: Continuation | None = None


@dataclass(frozen=True)
class DecisionInfo:
    """An agent's data about its decision, as plain data."""

    player: int
    data: dict[str, Any]


@dataclass(frozen=True)
class Start:
    """The position before the first event."""

    owner: tuple[int, ...]
    army: tuple[int, ...]
    offers: tuple[tuple[int, ...], ...] | None  #: by player; None: no player picks
    hash: str
    picks: int | None = None  #: regions that each player gets, if the start of the game decides it

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the position of a game that has just begun."""
        picking = game.phase == "pick"
        offers = tuple(game.offers(p) for p in range(game.players)) if picking else None
        picks, setup = None, game.map.setup
        if picking and (game.rules.picks == 0 or (setup is not None and setup.picks is not None)):
            picks = game.view(0).picks_left + int((game.owner == 0).sum())
        return cls(tuple(game.owner.tolist()), tuple(game.army.tolist()), offers, game.fingerprint(), picks)


@dataclass(frozen=True)
class Picks:
    """A step of picks."""

    preferences: tuple[tuple[int, ...] | None, ...]  #: by player; None: this player was not a picker
    dropped: tuple[IllegalOrder, ...]
    changed: tuple[Change, ...]
    hash: str
    insights: tuple[DecisionInfo, ...] = ()


@dataclass(frozen=True)
class Round:
    """A round with all orders and their results."""

    round: int
    orders: tuple[Orders | None, ...]  #: by player, in submitted form
    events: tuple[Event, ...]
    dropped: tuple[IllegalOrder, ...]
    changed: tuple[Change, ...]
    hash: str
    insights: tuple[DecisionInfo, ...] = ()

    @property
    def deploys(self) -> list[Deploy]:
        """The armies deployed, by player and region."""
        illegal = {(d.player, d.index) for d in self.dropped if d.kind == "deploy"}
        total: dict[tuple[int, int], int] = {}
        for player, orders in enumerate(self.orders):
            for index, (region, armies) in enumerate(() if orders is None else orders.deploys):
                if (player, index) not in illegal:
                    total[player, region] = total.get((player, region), 0) + armies
        return [Deploy(player, region, armies) for (player, region), armies in sorted(total.items())]


#: The reason of a `LoggedFailure` that is a resignation of a person.
RESIGNED: Final = "resigned"


@dataclass(frozen=True)
class LoggedFailure:
    """An agent failed, or a person resigned.

    Either the player loses by forfeit and gives no orders from that round on, or the failure ended the game.
    """

    player: int
    round: int  #: round of the failure; 0: while picking
    reason: str

    def describe(self, name: str) -> str:
        """Return the failure in words. `name` is the player's name."""
        when = "while picking" if self.round == 0 else f"in round {self.round}"
        return f"{name} resigned {when}" if self.reason == RESIGNED else f"{name} failed {when}: {self.reason}"


@dataclass(frozen=True)
class LoggedDraw:
    """A draw on which all remaining players agreed. It ended the game."""

    round: int  #: number of rounds played
    players: tuple[int, ...]


@dataclass(frozen=True)
class End:
    """The end of the game, also if players lost by forfeit."""

    winner: int | None  #: a player; None: a draw
    rounds: int
    placements: tuple[int, ...]  #: by player, 1 the best; equal players share a place
    cut_off: bool  #: stopped at the limit, before the rules' end


#: The logged part of a game: the complete game; the game until a failure stopped it; or the part that was written.
Status = Literal["complete", "failed", "incomplete"]


def status_of(rounds: int, failures: Sequence[LoggedFailure], end: End | None) -> Status:
    """Return the status of a game with this number of logged rounds. A failure in a logged round was a forfeit."""
    if end is not None:
        return "complete"
    broken_off = failures and (failures[-1].round > rounds or rounds == 0)
    return "failed" if broken_off else "incomplete"


@dataclass(frozen=True)
class LoggedGame:
    """A game, or its logged part, without file operations. Regions and players are numbered from 0, rounds from 1."""

    header: Header
    start: Start | None = None  #: None: the file ends before the start
    steps: tuple[Picks | Round, ...] = ()
    failures: tuple[LoggedFailure, ...] = ()  #: in the order of the failures
    end: End | None = None
    insights: tuple[DecisionInfo, ...] = ()  #: after the last step: faults of agents that appeared after the game
    draw: LoggedDraw | None = None  #: a draw by agreement

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds, without picks."""
        return tuple(step for step in self.steps if isinstance(step, Round))

    @property
    def complete(self) -> bool:
        """Whether the log contains the game's end."""
        return self.end is not None

    @property
    def status(self) -> Status:
        """See `Status`."""
        return status_of(len(self.rounds), self.failures, self.end)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return tuple(player.name for player in self.header.players)

    def positions(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Yield owner and army of every region at the start and after each step."""
        if self.start is None:
            return
        owner, army = list(self.start.owner), list(self.start.army)
        yield tuple(owner), tuple(army)
        for step in self.steps:
            for region, by, armies in step.changed:
                owner[region], army[region] = by, armies
            yield tuple(owner), tuple(army)
