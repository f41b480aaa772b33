"""Dataclasses for the content of a game log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Self

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.record.variations import EMPTY, Change, Variations
from warlight_env.step_results import Deploy, Event, IllegalOrder, without_illegal


@dataclass(frozen=True)
class Player:
    """The data about the player on a seat of a logged game."""

    name: str
    spec: str | None = None  #: the agent's specification, for example "mcts:sims=100"; None for a person
    parameters: dict[str, Any] = field(default_factory=dict)  #: the agent's parameters, including default values
    seed: int | None = None  #: the seed of the agent's random choices


@dataclass(frozen=True)
class Continuation:
    """Data about an earlier game, for the log of a game that continues the earlier game."""

    rounds: int  #: number of rounds that come from the earlier game
    players: tuple[str, ...]  #: names of the players of the earlier game


@dataclass(frozen=True)
class Header:
    """The first line of a log: the map, the rules, the players and other data that are known at the start of a game."""

    map: Map
    rules: Rules
    players: tuple[Player, ...]
    seed: int
    picks: Literal["random", "agents"]
    round_limit: int
    program: str
    match: dict[str, Any] | None = None  #: data about the match, including the game's number
    continues: Continuation | None = None

    @property
    def game_picks(self) -> Literal["play", "random"]:
        """The argument `picks` of `Game` for this game."""
        return "play" if self.picks == "agents" else "random"

    def new_game(self) -> Game:
        """Return a new game with the map, the rules, the players and the dice of this game."""
        return Game(self.map, self.rules, len(self.players), self.seed, self.game_picks)


@dataclass(frozen=True)
class DecisionInfo:
    """JSON data that explain a decision of an agent, see `decision_info.decision_info`."""

    player: int
    data: dict[str, Any]


@dataclass(frozen=True)
class Start:
    """The position at the start of a game."""

    owner: tuple[int, ...]
    army: tuple[int, ...]
    offers: tuple[tuple[int, ...], ...] | None  #: the offered regions of each player; None: no player picks
    hash: str
    picks: int | None = None  #: number of regions for each player, if the rules do not fix it

    @classmethod
    def from_game(cls, game: Game) -> Self:
        """Return the start position of a game that has just begun."""
        picking = game.phase == "pick"
        offers = tuple(game.offers(p) for p in range(game.players)) if picking else None
        picks, setup = None, game.map.setup
        if picking and (game.rules.picks == 0 or (setup is not None and setup.picks is not None)):
            picks = game.view(0).picks_left + int((game.owner == 0).sum())
        return cls(tuple(game.owner.tolist()), tuple(game.army.tolist()), offers, game.fingerprint(), picks)


@dataclass(frozen=True)
class Picks:
    """One step of the picking phase."""

    preferences: tuple[tuple[int, ...] | None, ...]  #: each player's list of preferred regions; None: no pick
    dropped: tuple[IllegalOrder, ...]
    changed: tuple[Change, ...]
    hash: str
    insights: tuple[DecisionInfo, ...] = ()

    def play(self, game: Game) -> list[IllegalOrder]:
        """Play these picks in a game; return the illegal picks, which the game ignored."""
        picks = {player: regions for player, regions in enumerate(self.preferences) if regions is not None}
        return game.pick(picks, on_illegal="skip")


@dataclass(frozen=True)
class Round:
    """A round of a logged game, with all orders and their results."""

    round: int
    orders: tuple[Orders | None, ...]  #: for each player its orders as submitted
    events: tuple[Event, ...]
    dropped: tuple[IllegalOrder, ...]
    changed: tuple[Change, ...]
    hash: str
    insights: tuple[DecisionInfo, ...] = ()

    @cached_property
    def legal_orders(self) -> tuple[Orders | None, ...]:
        """For each player its orders without the dropped orders. None: the player submitted no turn."""
        return tuple(
            None if orders is None else without_illegal(player, orders, self.dropped)
            for player, orders in enumerate(self.orders)
        )

    @property
    def deploys(self) -> list[Deploy]:
        """The numbers of armies that were deployed, sorted by player and region."""
        total: dict[tuple[int, int], int] = {}
        for player, orders in enumerate(self.legal_orders):
            for region, armies in () if orders is None else orders.deploys:
                total[player, region] = total.get((player, region), 0) + armies
        return [Deploy(player, region, armies) for (player, region), armies in sorted(total.items())]


#: The value of `LoggedFailure.reason` if a person resigned.
RESIGNED: Final = "resigned"


@dataclass(frozen=True)
class LoggedFailure:
    """The failure of an agent, or the resignation of a person.

    Either the player loses by forfeit and gives no orders from the round of the failure on, or the failure ended the
    game.
    """

    player: int
    round: int  #: round of the failure; 0: in the picking phase
    reason: str

    def describe(self, name: str) -> str:
        """Return a sentence about the failure. `name` is the player's name."""
        moment = "while picking" if self.round == 0 else f"in round {self.round}"
        return f"{name} resigned {moment}" if self.reason == RESIGNED else f"{name} failed {moment}: {self.reason}"


@dataclass(frozen=True)
class LoggedDraw:
    """A draw on which all remaining players agreed, and which ended the game."""

    round: int  #: number of rounds played
    players: tuple[int, ...]


@dataclass(frozen=True)
class End:
    """The result of a game. Players who lost by forfeit count as eliminated."""

    winner: int | None  #: the player who won; None: a draw
    rounds: int
    placements: tuple[int, ...]  #: for each player its final rank, from 1 (the best); equal players share a rank
    cut_off: bool  #: whether the game was stopped at the limit of rounds, before it was over under the rules


#: The status of a log. "complete": it contains the game's end. "failed": a failure of an agent stopped the game.
#: "incomplete": the log ends before the game's end for another reason.
Status = Literal["complete", "failed", "incomplete"]


def status_of(rounds: int, failures: Sequence[LoggedFailure], end: End | None) -> Status:
    """Return the status of a log with `rounds` rounds.

    A failure in a round that the log contains was a forfeit, and did not stop the game.
    """
    if end is not None:
        return "complete"
    broken_off = failures and (failures[-1].round > rounds or rounds == 0)
    return "failed" if broken_off else "incomplete"


@dataclass(frozen=True)
class LoggedGame:
    """The content of a game log, without methods for files.

    For an interrupted game, the log contains only the played part.

    Regions and players are numbered from 0, rounds from 1.
    """

    header: Header
    start: Start | None = None  #: None: the log ends before the start position
    steps: tuple[Picks | Round, ...] = ()
    failures: tuple[LoggedFailure, ...] = ()  #: in chronological order
    end: End | None = None
    insights: tuple[DecisionInfo, ...] = ()  #: insights after the last step, such as faults reported after the game
    draw: LoggedDraw | None = None  #: a draw by agreement
    variations: Variations = EMPTY  #: turns that users tried in the game's positions, with comments

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds of the game, without the steps of the picking phase."""
        return tuple(step for step in self.steps if isinstance(step, Round))

    @property
    def complete(self) -> bool:
        """Whether the log contains the end of the game."""
        return self.end is not None

    @property
    def status(self) -> Status:
        """The status of the log: "complete", "failed" or "incomplete". See `Status`."""
        return status_of(len(self.rounds), self.failures, self.end)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, in the order of the seats."""
        return tuple(player.name for player in self.header.players)

    def absent(self, rounds: int) -> frozenset[int]:
        """Return the players that resigned or lost by forfeit in the first `rounds` rounds or before the first round.

        Their regions and armies remain in the game, but they give no more orders and cannot win. A failure after the
        last round of the log ended the game, so it makes no player absent.
        """
        last = min(rounds, len(self.rounds))
        return frozenset(failure.player for failure in self.failures if failure.round <= last)

    def positions(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Yield the owners and the armies of all regions at the start and after each step."""
        if self.start is None:
            return
        owner, army = list(self.start.owner), list(self.start.army)
        yield tuple(owner), tuple(army)
        for step in self.steps:
            for region, holder, armies in step.changed:
                owner[region], army[region] = holder, armies
            yield tuple(owner), tuple(army)
