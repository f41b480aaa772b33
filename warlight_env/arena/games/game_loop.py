"""One game between agents: the calls of the agents, and the record of the game."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, Protocol, get_args

from warlight_env.agents import Budget
from warlight_env.agents.agent_adapter import PlainAgent, is_agent
from warlight_env.arena.games.forfeits import Forfeits
from warlight_env.arena.games.play_options import DEFAULTS, PlayOptions, check_choice
from warlight_env.arena.games.seated_agent import AgentFaults, Failure, SeatedAgent, TimeUse
from warlight_env.arguments import is_integer, short_repr
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.engine.rules import Rules
from warlight_env.errors import RunError, crash_reason
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.step_results import GameError, IllegalOrder, RoundResult

#: Number of rounds after which a game is stopped if the rules have no limit.
SAFETY_ROUNDS: Final = 500

Picks = Literal["random", "agents"]


class AgentCrashError(RunError):
    """An agent raised an exception, or its answer has a wrong type."""

    def __init__(self, agent: str, seat: int, round: int, seed: int, reason: str, game: int | None = None) -> None:
        super().__init__(agent, seat, round, seed, reason, game)
        self.agent, self.seat, self.round, self.seed, self.reason, self.game = agent, seat, round, seed, reason, game

    def __str__(self) -> str:
        when = "while picking" if self.round == 0 else f"in round {self.round}"
        which = "" if self.game is None else f" of game {self.game + 1}"
        return (
            f"agent {self.agent!r} failed {when}{which} (seat {self.seat + 1}, game's seed {self.seed}): {self.reason}"
        )


class GameStopped(Exception):  # noqa: N818 -- a signal to stop, not an error
    """A game was stopped before its end."""


@dataclass(frozen=True)
class GameRecord:
    """The record of a finished game. Seats and agents are numbered from 0."""

    number: int  #: number in the match
    unit: int  #: games of one unit share their seed
    seed: int  #: seed of offers and dice
    seats: tuple[int, ...]  #: the agent on each seat
    winner: int | None  #: an agent; None: a draw
    rounds: int
    placements: tuple[int, ...]  #: each agent's place, 1 the best; equal agents share a place
    cut_off: bool  #: stopped before the rules' end; a draw between the remaining agents
    dropped: tuple[int, ...]  #: illegal picks and orders of each agent, which were left out
    seconds: float = field(default=0.0, compare=False)  #: play time, agents included
    failures: tuple[Failure, ...] = ()  #: agents that lost by forfeit, in the order of their failures
    use: tuple[TimeUse, ...] = field(default=(), compare=False)  #: time and simulations of each agent
    faults: tuple[AgentFaults, ...] = field(default=(), compare=False)  #: of agents that report faults, by seat

    def to_dict(self) -> dict[str, Any]:
        """Return the record in a form for JSON."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GameRecord:
        """Return the record that `to_dict` wrote. Raise `TypeError`, `KeyError` or `ValueError` for other data."""
        values: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in data.items()}
        values["failures"] = tuple(Failure(*failure) for failure in values["failures"])
        values["use"] = tuple(TimeUse(*use) for use in values["use"])
        faults = values.get("faults", ())
        values["faults"] = tuple(AgentFaults(agent, n, lost, tuple(first)) for agent, n, lost, first in faults)
        return cls(**values)


class GameObserver(Protocol):
    """Receives the events of a game. An exception of the observer ends the game.

    An observer may read the game and the agents, but must not change them.
    """

    def began(self, game: Game, agents: Sequence[PlainAgent], limit: int) -> None:
        """The game begins; called before the first pick or round. The game is stopped after `limit` rounds."""
        ...

    def picked(self, preferences: Mapping[int, Sequence[int]], dropped: Sequence[IllegalOrder], game: Game) -> None:
        """The agents that choose now have given their preferred regions.

        Args:
            preferences: the lists of preferred regions by seat, unchanged.
            dropped: the illegal regions in these lists, which were left out.
        """
        ...

    def played(self, orders: Mapping[int, Orders], result: RoundResult, game: Game) -> None:
        """A round was played: orders by seat, unchanged, the result of the round, and the game after it."""
        ...

    def failed(self, error: AgentCrashError) -> None:
        """An agent failed. This is the last event, unless failures lose by forfeit.

        With forfeits the game continues, and the agent's orders of the round are empty.
        """
        ...

    def ended(self, record: GameRecord) -> None:
        """The game is over, or at its limit. This is the last event."""
        ...


def pick_regions(game: Game, agents: Sequence[PlainAgent], observer: GameObserver | None = None) -> list[IllegalOrder]:
    """Ask the agents for their picks until the picking is complete. Return the illegal picks, which were left out."""
    dropped: list[IllegalOrder] = []
    while game.phase == "pick":
        preferences: dict[int, Any] = {}
        for seat in game.pickers():
            try:
                preferences[seat] = agents[seat].pick(game.view(seat))
            except Exception as error:
                raise AgentCrashError(agents[seat].name, seat, 0, game.seed, crash_reason(error)) from error
        try:
            left_out = game.pick(preferences, on_illegal="skip")
        except OrdersTypeError as error:
            raise _no_answer(game, agents, 0, error) from error
        dropped += left_out
        if observer is not None:
            observer.picked(preferences, left_out, game)
    return dropped


def ask_orders(game: Game, agents: Sequence[PlainAgent], budget: Budget | None = None) -> dict[int, Orders]:
    """Return the orders, by seat, of all agents that are still in the game."""
    orders: dict[int, Orders] = {}
    for seat, agent in enumerate(agents):
        if not game.alive(seat):
            continue
        try:
            answer = agent.act(game.view(seat), budget)
        except Exception as error:
            raise AgentCrashError(agent.name, seat, game.round + 1, game.seed, crash_reason(error)) from error
        if not isinstance(answer, Orders):
            reason = f"act returned {type(answer).__name__}, not Orders"
            raise AgentCrashError(agent.name, seat, game.round + 1, game.seed, reason)
        orders[seat] = answer
    return orders


def play_orders(game: Game, agents: Sequence[PlainAgent], orders: dict[int, Orders]) -> RoundResult:
    """Play a round. The result lists the illegal orders, which were left out. An answer of a wrong type is an error."""
    try:
        return game.play_round(orders, on_illegal="skip")
    except OrdersTypeError as error:
        raise _no_answer(game, agents, game.round + 1, error) from error


def _no_answer(game: Game, agents: Sequence[PlainAgent], round: int, error: OrdersTypeError) -> AgentCrashError:
    assert error.player is not None  # `Game` names the player of these orders
    return AgentCrashError(agents[error.player].name, error.player, round, game.seed, error.reason)


def play_rounds(
    game: Game, agents: Sequence[PlainAgent], limit: int, budget: Budget | None = None
) -> Iterator[tuple[dict[int, Orders], RoundResult]]:
    """Play rounds until the game has `limit` rounds or ends. Yield each round's orders by seat and its result."""
    while not game.done and game.round < limit:
        orders = ask_orders(game, agents, budget)
        yield orders, play_orders(game, agents, orders)


def round_limit(rules: Rules, n_regions: int, max_rounds: int | None) -> int:
    """Return the number of rounds after which a game is stopped.

    It is the smaller one of `max_rounds` and the rules' limit. Without both it is SAFETY_ROUNDS.
    """
    by_rules = rules.round_limit(n_regions)
    if max_rounds is None:
        return by_rules or SAFETY_ROUNDS
    return min(by_rules, max_rounds) if by_rules else max_rounds


def _check_arguments(agents: Any, picks: Any, max_rounds: Any, options: Any) -> None:
    """Raise GameError for wrong arguments of `play_game` that `Game` does not check."""
    if not isinstance(agents, Sequence) or not all(map(is_agent, agents)):
        raise GameError(f"agents = {short_repr(agents)}: must be a list of agents, each with a name, pick and act")
    check_choice("picks", picks, get_args(Picks))
    check_rounds(max_rounds)
    if not isinstance(options, PlayOptions):
        raise GameError(f"options = {short_repr(options)}: must be PlayOptions")
    options.check(len(agents))


def check_rounds(max_rounds: Any) -> None:
    """Raise GameError unless this is a valid number of rounds or None."""
    if max_rounds is not None and not (is_integer(max_rounds) and max_rounds >= 0):
        raise GameError(f"max_rounds = {short_repr(max_rounds)}: must be an integer from 0 up, or None")


def play_game(
    agents: Sequence[PlainAgent],
    map: str | Path | Map = "world",
    rules: str | Rules | dict[str, Any] = "thesis",
    seed: int = 0,
    *,
    picks: Picks = "random",
    max_rounds: int | None = None,
    observer: GameObserver | None = None,
    options: PlayOptions = DEFAULTS,
) -> GameRecord:
    """Play a game to its end.

    Args:
        agents: agents by seat, 2 to 6. They must be new, because agents may keep a memory.
        picks: "random" starting regions, or chosen by the "agents".
        max_rounds: stop after this many rounds and count a draw; None: the rules' limit or SAFETY_ROUNDS.
        observer: receives the events of the game, for example to log them.
        options: time limits, failures, an early end, and entries of the record.

    Raises:
        AgentCrashError: an agent raised an exception or gave a wrong answer, and `options.on_crash` is "raise".
        GameStopped: `options.stop` returned True.
        MapError, RulesError, GameError: map, rules and number of agents do not fit together, or an argument has a wrong
            type.
    """
    _check_arguments(agents, picks, max_rounds, options)
    seats = tuple(range(len(agents))) if options.seats is None else options.seats
    clocks = options.clocks
    players = [
        SeatedAgent(agent, seats[seat], None if clocks is None else clocks[seat], options.on_crash, options.on_late)
        for seat, agent in enumerate(agents)
    ]
    start = time.perf_counter()
    game = Game(map, rules, len(agents), seed, picks="random" if picks == "random" else "play")
    limit = round_limit(game.rules, game.map.n_regions, max_rounds)
    if observer is not None:
        observer.began(game, agents, limit)
    dropped = [0] * len(agents)
    forfeits = Forfeits(players)

    def note() -> None:
        for seat in forfeits.note(game):
            failure = players[seat].failure
            if observer is not None and failure is not None:
                observer.failed(AgentCrashError(players[seat].name, seat, failure.round, game.seed, failure.reason))

    try:
        try:
            for illegal in pick_regions(game, players, observer):
                dropped[seats[illegal.player]] += 1
            note()
            for orders, result in play_rounds(game, players, 0 if forfeits.over else limit, options.budget):
                if observer is not None:
                    observer.played(orders, result, game)
                for illegal in result.dropped:
                    dropped[seats[illegal.player]] += 1
                note()
                if forfeits.over:
                    break
                if options.stop is not None and not game.done and options.stop():
                    raise GameStopped
        finally:
            seconds = time.perf_counter() - start
            for player in players:  # before the observer receives the end of the game: agents may report faults here
                player.close()
    except AgentCrashError as error:
        if observer is not None:
            observer.failed(error)
        raise
    winner = forfeits.winner(game)
    places, use = [0] * len(agents), [TimeUse()] * len(agents)
    for agent, player, place in zip(seats, players, forfeits.placements(game), strict=True):
        places[agent], use[agent] = place, player.use
    record = GameRecord(
        options.number, options.unit, seed, seats, None if winner is None else seats[winner], game.round, tuple(places),
        not (game.done or forfeits.over), tuple(dropped), seconds, tuple(forfeits.failures), tuple(use),
        tuple(faults for player in players if (faults := player.faults()) is not None),
    )  # fmt: skip
    if observer is not None:
        observer.ended(record)
    return record
