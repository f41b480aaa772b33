"""`play_game`: play one game between agents, and return its result as a `GameRecord`."""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Protocol, get_args

from warlight_env.agents import Budget
from warlight_env.agents.agent_adapter import PlainAgent, is_agent
from warlight_env.arena.games.agent_errors import InvalidAgentError, failure_detail, failure_reason
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.play_options import DEFAULTS, PlayOptions
from warlight_env.arena.games.seated_agent import Failure, SeatedAgent, TimeUse
from warlight_env.arguments import check_choice, is_integer, short_repr
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.engine.rules import Rules
from warlight_env.errors import RunError
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.step_results import GameError, IllegalOrder, RoundResult, end_with_forfeits

#: The number of rounds after which a game is stopped if the rules set no limit.
SAFETY_ROUNDS: Final = 500

Picks = Literal["random", "agents"]


class AgentCrashError(RunError):
    """An error for an agent that raised an exception or returned an answer of a wrong type."""

    def __init__(
        self, agent: str, seat: int, round: int, seed: int, reason: str, game: int | None = None, detail: str = ""
    ) -> None:
        super().__init__(agent, seat, round, seed, reason, game, detail)
        self.agent, self.seat, self.round, self.seed, self.reason, self.game = agent, seat, round, seed, reason, game
        self.detail = detail  #: see `Failure.detail`

    def __str__(self) -> str:
        moment = "while picking" if self.round == 0 else f"in round {self.round}"
        game = "" if self.game is None else f" of game {self.game + 1}"
        return (
            f"agent {self.agent!r} failed {moment}{game} (seat {self.seat + 1}, game's seed {self.seed}): {self.reason}"
        )


class GameStopped(Exception):  # noqa: N818 -- a signal to stop, not an error
    """An exception that ends a game early, because the argument `stop` of `play_game` returned True."""


class GameObserver(Protocol):
    """The interface of an object whose methods are called at the events of a game, for example to log the game.

    An observer may read the game and the agents, but must not change them. If a method raises an exception, the game
    ends with this exception. If `play_game` itself raises an exception, no further method is called.
    """

    def began(self, game: Game, agents: Sequence[PlainAgent], limit: int) -> None:
        """Receive the beginning of a game, before the first pick or round.

        Args:
            agents: the agents by seat.
            limit: the number of rounds after which the game is stopped.
        """
        ...

    def picked(self, preferences: Mapping[int, Sequence[int]], dropped: Sequence[IllegalOrder], game: Game) -> None:
        """Receive the picks of agents, after the game has processed them.

        Args:
            preferences: a dict from the seat of each agent that picks now to its list of preferred regions.
            dropped: the illegal regions in these lists; the game ignored them.
            game: the game after the picks.
        """
        ...

    def played(self, orders: Mapping[int, Orders], result: RoundResult, game: Game) -> None:
        """Receive a round that was played.

        Args:
            orders: a dict from each seat to its orders, including illegal orders.
            result: the events of the round.
            game: the game after the round.
        """
        ...

    def failed(self, error: AgentCrashError) -> None:
        """Receive the failure of an agent.

        With ``on_crash="stop"`` the failure is the last event of the game. With ``on_crash="forfeit"`` the agent loses
        and the game continues; the agent's orders in this round are empty.
        """
        ...

    def skipped(self, error: AgentCrashError) -> None:
        """Receive the failure of an agent in a pick or a round, after which the agent stays in the game.

        This method is called only with ``on_crash="skip"``, before `picked` or `played`: the agent's preferences or
        orders in this call are empty.
        """
        ...

    def ended(self, record: GameRecord) -> None:
        """Receive the result of the game, which is over or has reached the round limit.

        After this call, no method of the observer is called for the game.
        """
        ...


def pick_regions(game: Game, agents: Sequence[PlainAgent], observer: GameObserver | None = None) -> list[IllegalOrder]:
    """Ask the agents for their picks until all regions are picked. Return the illegal picks, which the game ignored."""
    dropped: list[IllegalOrder] = []
    while game.phase == "pick":
        preferences: dict[int, Any] = {}
        for seat in game.pickers():
            try:
                preferences[seat] = agents[seat].pick(game.view(seat))
            except Exception as error:
                raise _crash(agents[seat], seat, 0, game, error) from error
        try:
            left_out = game.pick(preferences, on_illegal="skip")
        except OrdersTypeError as error:
            raise _no_answer(game, agents, 0, error) from error
        dropped += left_out
        if observer is not None:
            observer.picked(preferences, left_out, game)
    return dropped


def ask_orders(game: Game, agents: Sequence[PlainAgent], budget: Budget | None = None) -> dict[int, Orders]:
    """Ask all agents that are still in the game for their orders; return a dict from each seat to its orders."""
    orders: dict[int, Orders] = {}
    for seat, agent in enumerate(agents):
        if not game.alive(seat):
            continue
        try:
            answer = agent.act(game.view(seat), budget)
        except Exception as error:
            raise _crash(agent, seat, game.round + 1, game, error) from error
        if not isinstance(answer, Orders):
            reason = f"act returned {type(answer).__name__}, not Orders"
            raise AgentCrashError(agent.name, seat, game.round + 1, game.seed, reason)
        orders[seat] = answer
    return orders


def play_orders(game: Game, agents: Sequence[PlainAgent], orders: dict[int, Orders]) -> RoundResult:
    """Play a round with the orders of each seat, and return its events.

    Illegal orders are ignored and listed in the result. An answer of a wrong type raises AgentCrashError.
    """
    try:
        return game.play_round(orders, on_illegal="skip")
    except OrdersTypeError as error:
        raise _no_answer(game, agents, game.round + 1, error) from error


def _crash(agent: PlainAgent, seat: int, round: int, game: Game, error: Exception) -> AgentCrashError:
    return AgentCrashError(agent.name, seat, round, game.seed, failure_reason(error), detail=failure_detail(error))


def _no_answer(game: Game, agents: Sequence[PlainAgent], round: int, error: OrdersTypeError) -> AgentCrashError:
    assert error.player is not None  # the class `Game` sets this field to the player with the wrong orders
    return AgentCrashError(agents[error.player].name, error.player, round, game.seed, error.reason)


def play_rounds(
    game: Game, agents: Sequence[PlainAgent], limit: int, budget: Budget | None = None
) -> Iterator[tuple[dict[int, Orders], RoundResult]]:
    """Play rounds until the game ends or has `limit` rounds. After each round, yield its orders and its events.

    The orders are a dict from the seat to the orders of its agent.
    """
    while not game.done and game.round < limit:
        orders = ask_orders(game, agents, budget)
        yield orders, play_orders(game, agents, orders)


def round_limit(rules: Rules, n_regions: int, max_rounds: int | None) -> int:
    """Return the number of rounds after which a game is stopped.

    The result is the smaller one of `max_rounds` and the limit of the rules. If neither `max_rounds` nor the rules set
    a limit, the result is SAFETY_ROUNDS.
    """
    by_rules = rules.round_limit(n_regions)
    if max_rounds is None:
        return by_rules or SAFETY_ROUNDS
    return min(by_rules, max_rounds) if by_rules else max_rounds


def _check_arguments(agents: Any, picks: Any, max_rounds: Any, options: Any) -> None:
    """Raise GameError if `agents`, `picks`, `max_rounds` or `options` of `play_game` is invalid.

    The class `Game` checks the map, the rules and the seed.
    """
    if not isinstance(agents, Sequence) or not all(map(is_agent, agents)):
        raise GameError(f"agents = {short_repr(agents)}: must be a list of agents, each with a name, pick and act")
    check_choice(picks, "picks", get_args(Picks), GameError)
    check_rounds(max_rounds)
    if not isinstance(options, PlayOptions):
        raise GameError(f"options = {short_repr(options)}: must be PlayOptions")
    options.check(len(agents))


def check_rounds(max_rounds: Any) -> None:
    """Raise GameError unless `max_rounds` is a valid number of rounds or None."""
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
    """Play a game between agents to its end, and return its result.

    Args:
        agents: two to six agents, in the order of their seats. The agents must be new objects, because agents may
            remember earlier games.
        map, rules, seed: the same as for `Game`.
        picks: "random": the starting regions are drawn at random. "agents": the agents pick the starting regions.
            max_rounds: the game is stopped as a draw after this number of rounds; None: the limit of the rules, or
            SAFETY_ROUNDS.
        observer: an object whose methods are called at the events of the game, for example to log them.
        options: time limits, reactions to failures, a condition for an early end, and fields of the result.

    Raises:
        AgentCrashError: an agent raised an exception or returned a wrong answer, and `options.on_crash` is "stop".
        GameStopped: `options.stop` returned True.
        InvalidAgentError: an agent in its own process can never play, for example because its class has no `act`.
        MapError, RulesError, GameError: the map or the rules do not allow this number of agents, or an argument has a
            wrong type.
    """
    _check_arguments(agents, picks, max_rounds, options)
    seats = tuple(range(len(agents))) if options.seats is None else options.seats
    clocks = options.clocks
    start = time.perf_counter()
    game = Game(map, rules, len(agents), seed, picks="random" if picks == "random" else "play")
    limit = round_limit(game.rules, game.map.n_regions, max_rounds)

    def skip(seat: int, round: int, reason: str) -> None:
        if observer is not None:
            observer.skipped(AgentCrashError(players[seat].name, seat, round, game.seed, reason))

    players = [
        SeatedAgent(
            agent, seats[seat], None if clocks is None else clocks[seat], options.on_crash, options.on_late,
            functools.partial(skip, seat),
        )
        for seat, agent in enumerate(agents)
    ]  # fmt: skip
    if observer is not None:
        observer.began(game, agents, limit)
    illegal_orders: list[Counter[str]] = [Counter() for _ in agents]  # by agent
    failures: list[Failure] = []  # in the order of time
    # In the final ranking, a failure counts like an elimination in the same round. Key: the seat of a failed agent.
    failure_rounds: dict[int, int] = {}

    def note_failures() -> bool:
        """Report new failures; return whether the game ends, because an agent failed and at most one still plays."""
        for seat, player in enumerate(players):
            failure = player.failure
            if failure is not None and seat not in failure_rounds:
                failure_rounds[seat] = game.round
                failures.append(failure)
                if observer is not None:
                    observer.failed(AgentCrashError(player.name, seat, failure.round, game.seed, failure.reason))
        return bool(failures) and sum(game.alive(s) and s not in failure_rounds for s in range(game.players)) <= 1

    def count(dropped: Sequence[IllegalOrder]) -> None:
        for order in dropped:
            illegal_orders[seats[order.player]][f"{order.kind}: {order.reason}"] += 1

    try:
        try:
            for seat, player in enumerate(players):
                try:
                    player.prepare(game.view(seat))
                except InvalidAgentError:
                    raise
                except Exception as error:
                    raise _crash(player, seat, 0, game, error) from error
            count(pick_regions(game, players, observer))
            for orders, result in play_rounds(game, players, 0 if note_failures() else limit, options.budget):
                if observer is not None:
                    observer.played(orders, result, game)
                count(result.dropped)
                if note_failures():
                    break
                if options.stop is not None and not game.done and options.stop():
                    raise GameStopped
        finally:
            seconds = time.perf_counter() - start
            for player in players:  # an agent may report faults in `close`, so call it before `observer.ended`
                player.close()
    except AgentCrashError as error:
        if observer is not None:
            observer.failed(error)
        raise
    seat_places, winner, is_over = end_with_forfeits(
        game.placements, game.winner, game.done, game.eliminated, failure_rounds.items()
    )
    places, use = [0] * len(agents), [TimeUse()] * len(agents)
    for agent, player, place in zip(seats, players, seat_places, strict=True):
        places[agent], use[agent] = place, player.use
    record = GameRecord(
        options.number, options.unit, seed, seats, None if winner is None else seats[winner], game.round, tuple(places),
        not is_over, tuple(counts.total() for counts in illegal_orders), seconds,
        tuple(failures), tuple(use),
        tuple(faults for player in players if (faults := player.faults()) is not None),
        tuple(tuple(counts.most_common()) for counts in illegal_orders),
    )  # fmt: skip
    if observer is not None:
        observer.ended(record)
    return record
