"""A game's log as data: what a file holds, with `load` and `save`."""

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

#: A region with its owner and army from now on.
Change = tuple[int, int, int]


@dataclass(frozen=True)
class Player:
    """Who plays on a seat."""

    name: str
    spec: str | None = None  #: how the registry knows the agent
    parameters: dict[str, Any] = field(default_factory=dict)  #: of the agent, defaults included
    seed: int | None = None  #: of the agent's own randomness


@dataclass(frozen=True)
class Continuation:
    """Where a game came from that was played on from another one's position."""

    rounds: int  #: taken over
    players: tuple[str, ...]  #: by whom they had been played


@dataclass(frozen=True)
class Header:
    """All that is known before a game begins."""

    map: Map
    rules: Rules
    players: tuple[Player, ...]
    seed: int
    picks: Literal["random", "agents"]
    round_limit: int
    program: str
    match: dict[str, Any] | None = None  #: what a match says of itself and the game's place in it
    continues: Continuation | None = None


@dataclass(frozen=True)
class Insight:
    """What an agent thought before it answered, as plain data."""

    player: int
    data: dict[str, Any]


@dataclass(frozen=True)
class Start:
    """The position before the first event."""

    owner: tuple[int, ...]
    army: tuple[int, ...]
    offers: tuple[tuple[int, ...], ...] | None  #: by player; None where no player picks
    hash: str
    picks: int | None = None  #: regions that each player gets, where the start of the game decides it

    @classmethod
    def of(cls, game: Game) -> Self:
        """The position of a game that has just begun."""
        picking = game.phase == "pick"
        offers = tuple(game.offers(p) for p in range(game.players)) if picking else None
        picks = None
        if picking and game.rules.picks == 0:
            picks = game.view(0).picks_left + int((game.owner == 0).sum())
        return cls(tuple(game.owner.tolist()), tuple(game.army.tolist()), offers, game.fingerprint(), picks)


@dataclass(frozen=True)
class Picks:
    """Those who were to pick did."""

    wishes: tuple[tuple[int, ...] | None, ...]  #: by player; None: it was not to pick
    dropped: tuple[IllegalOrder, ...]
    changed: tuple[Change, ...]
    hash: str
    insights: tuple[Insight, ...] = ()


@dataclass(frozen=True)
class Round:
    """A round with all orders and what came of them."""

    round: int
    orders: tuple[Orders | None, ...]  #: by player, as they were handed in
    events: tuple[Event, ...]
    dropped: tuple[IllegalOrder, ...]
    changed: tuple[Change, ...]
    hash: str
    insights: tuple[Insight, ...] = ()

    @property
    def deploys(self) -> list[Deploy]:
        """What was deployed, by player and region."""
        illegal = {(d.player, d.index) for d in self.dropped if d.kind == "deploy"}
        total: dict[tuple[int, int], int] = {}
        for player, orders in enumerate(self.orders):
            for index, (region, armies) in enumerate(() if orders is None else orders.deploys):
                if (player, index) not in illegal:
                    total[player, region] = total.get((player, region), 0) + armies
        return [Deploy(player, region, armies) for (player, region), armies in sorted(total.items())]


#: The reason of a failure that was none: a person gave up.
RESIGNED: Final = "resigned"


@dataclass(frozen=True)
class LoggedFailure:
    """An agent failed, or a person gave up: it loses by forfeit and stands still from that round on; or the game was
    broken off."""

    player: int
    round: int  #: in which it failed; 0: while picking
    reason: str

    def told(self, name: str) -> str:
        """In words, of who is called so."""
        when = "while picking" if self.round == 0 else f"in round {self.round}"
        return f"{name} resigned {when}" if self.reason == RESIGNED else f"{name} failed {when}: {self.reason}"


@dataclass(frozen=True)
class LoggedDraw:
    """All who were still in the game agreed on a draw, and it ended."""

    round: int  #: rounds played
    players: tuple[int, ...]


@dataclass(frozen=True)
class End:
    """How the game ended, forfeits included."""

    winner: int | None  #: a player; None: a draw
    rounds: int
    placements: tuple[int, ...]  #: by player, 1 the best; equals share one
    cut_off: bool  #: stopped at the limit before the rules would have


#: How much of a game is there: all; all up to the failure that broke it off; or as much as was written.
Status = Literal["complete", "failed", "incomplete"]


def status_of(rounds: int, failures: Sequence[LoggedFailure], end: End | None) -> Status:
    """The status of a game of which so many rounds are there; a failure in a round that is there was a forfeit."""
    if end is not None:
        return "complete"
    broken_off = failures and (failures[-1].round > rounds or rounds == 0)
    return "failed" if broken_off else "incomplete"


@dataclass(frozen=True)
class LoggedGame:
    """A game, or as much of it as was logged, without its files. Regions and players count from 0, rounds from 1."""

    header: Header
    start: Start | None = None  #: None: the file was cut off before
    steps: tuple[Picks | Round, ...] = ()
    failures: tuple[LoggedFailure, ...] = ()  #: in the order in which the agents failed
    end: End | None = None
    insights: tuple[Insight, ...] = ()  #: after the last step: faults of agents that showed when the game was over
    draw: LoggedDraw | None = None  #: that was agreed on

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds, without picks."""
        return tuple(step for step in self.steps if isinstance(step, Round))

    @property
    def complete(self) -> bool:
        """Whether the game was logged to its end."""
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
        """Owner and army of every region at the start and after each step."""
        if self.start is None:
            return
        owner, army = list(self.start.owner), list(self.start.army)
        yield tuple(owner), tuple(army)
        for step in self.steps:
            for region, by, armies in step.changed:
                owner[region], army[region] = by, armies
            yield tuple(owner), tuple(army)
