"""Observers of a running game that make the lines of its log."""

from __future__ import annotations

import functools
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from warlight_env import bounded_io
from warlight_env.agents import registry
from warlight_env.agents.agent_adapter import as_agent
from warlight_env.arguments import is_integer, short_repr
from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.record.decision_info import decision_info
from warlight_env.record.decode import Decoder, decode_header
from warlight_env.record.encode import (
    PROGRAM,
    Data,
    draw_data,
    encode_event,
    encode_foreign,
    end_data,
    failure_data,
    header_line,
    insight_data,
    log_events,
    picks_data,
    round_data,
    start_data,
)
from warlight_env.record.errors import LogError
from warlight_env.record.log import GameLog
from warlight_env.record.model import (
    Continuation,
    DecisionInfo,
    End,
    Header,
    LoggedDraw,
    LoggedFailure,
    Picks,
    Player,
    Start,
)
from warlight_env.step_results import IllegalOrder, RoundResult


class AgentFailure(Protocol):
    """The data about a failed agent: its seat, the round (0: while picking) and the reason."""

    seat: int
    round: int
    reason: str


class FinishedGame(Protocol):
    """The data about a finished game. As in `GameRecord`, agents have their numbers in the match, not their seats."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The agent on each seat."""
        ...

    @property
    def winner(self) -> int | None:
        """An agent, or None."""
        ...

    @property
    def rounds(self) -> int:
        """Number of rounds played."""
        ...

    @property
    def placements(self) -> tuple[int, ...]:
        """Each agent's place."""
        ...

    @property
    def cut_off(self) -> bool:
        """Whether the game was stopped before the rules' end."""
        ...


class NamedAgent(Protocol):
    """The interface of an agent in a recorded game. `decision_info` reads its insights."""

    @property
    def name(self) -> str:
        """Its name, used if no `Player` gives another name."""
        ...


class Recorder(ABC):
    """A `GameObserver` that makes a line of each event. Subclasses store the lines in `write`.

    A log has one seed, the constructor's. So `began`, `picked` and `played` raise LogError, and write nothing, if
    `Game.reseed` has replaced the game's dice.

    Args:
        players: players by seat; None: players with the agents' names only. See `describe`.
        match: the header's description of the match; None: no match.
        insight: whether to log the agents' insights (see `decision_info`).
    """

    def __init__(
        self,
        players: Sequence[Player] | None = None,
        match: dict[str, Any] | None = None,
        *,
        insight: bool = False,
    ) -> None:
        self.players, self.match, self.insight = players, match, insight
        self.header: Header | None = None  #: None before the game begins
        self._agents: Sequence[NamedAgent] = ()
        self._faults: dict[int, int] = {}  # number of written faults by seat

    @abstractmethod
    def write(self, line: bytes) -> None:
        """Store one line, without its line end."""

    def record_event(self, event: Data) -> None:
        """Add an event of the game itself, as plain data. Insights are not such events; they are written as lines."""
        self.write(encode_event(event))

    def began(self, game: Game, agents: Sequence[NamedAgent], limit: int) -> None:
        """See `GameObserver`."""
        _check_dice(game)
        self._agents = agents
        players = tuple(Player(agent.name) for agent in agents) if self.players is None else tuple(self.players)
        picking = game.phase == "pick"
        self.header = Header(
            game.map, game.rules, players, game.seed, "agents" if picking else "random", limit, PROGRAM, self.match
        )
        self.write(header_line(self.header))
        self.record_event(start_data(Start.of(game)))

    def continued(self, log: GameLog, rounds: int, agents: Sequence[NamedAgent], limit: int) -> None:
        """Begin with a game that continues another log's game after this number of rounds. It replaces `began`."""
        self._agents = agents
        players = tuple(Player(agent.name) for agent in agents) if self.players is None else tuple(self.players)
        self.header = replace(
            log.header, players=players, round_limit=limit, program=PROGRAM, match=self.match,
            continues=Continuation(rounds, log.names),
        )  # fmt: skip
        steps = tuple(step for step in log.steps if isinstance(step, Picks) or step.round <= rounds)
        self.write(header_line(self.header))
        for event in log_events(replace(log, steps=steps, insights=(), failures=(), end=None)):
            self.record_event(event)

    def picked(self, preferences: Mapping[int, Sequence[int]], dropped: Sequence[IllegalOrder], game: Game) -> None:
        """See `GameObserver`."""
        _check_dice(game)
        self._write_insights(preferences, 0)
        given = [np.asarray(preferences[p]).tolist() if p in preferences else None for p in range(game.players)]
        self.record_event(picks_data(given, dropped, game.changed(), game.fingerprint()))

    def played(self, orders: Mapping[int, Orders | None], result: RoundResult, game: Game) -> None:
        """See `GameObserver`."""
        _check_dice(game)
        self._write_insights(orders, result.round)
        given = [orders.get(player) for player in range(game.players)]
        changed, fingerprint = game.changed(), game.fingerprint()
        self.record_event(round_data(result.round, given, result.events, result.dropped, changed, fingerprint))

    def failed(self, error: AgentFailure) -> None:
        """See `GameObserver`."""
        self._write_last_faults(error.round)
        self.record_event(failure_data(LoggedFailure(error.seat, error.round, error.reason)))

    def draw_agreed(self, round: int, players: Sequence[int]) -> None:
        """All remaining players agreed on a draw after this number of rounds. A call of `ended` follows."""
        self.record_event(draw_data(LoggedDraw(round, tuple(players))))

    def ended(self, record: FinishedGame) -> None:
        """See `GameObserver`."""
        self._write_last_faults(record.rounds)
        winner = None if record.winner is None else record.seats.index(record.winner)
        placements = tuple(record.placements[agent] for agent in record.seats)
        self.record_event(end_data(End(winner, record.rounds, placements, record.cut_off)))

    def _write_insights(self, asked: Mapping[int, Any], number: int) -> None:
        for seat in asked:
            data = decision_info(self._agents[seat], number) if self.insight else None
            if faults := self._new_faults(seat):
                data = {**(data or {}), "faults": faults}
            if data is not None:
                self._write_insight(seat, number, data)

    def _write_last_faults(self, number: int) -> None:
        """Write the faults that agents noted after their last answer. Some appear only after the game."""
        for seat in range(len(self._agents)):
            if faults := self._new_faults(seat):
                self._write_insight(seat, number, {"faults": faults})

    def _write_insight(self, seat: int, number: int, data: dict[str, Any]) -> None:
        name = self._agents[seat].name
        try:
            line = encode_foreign(insight_data(DecisionInfo(seat, data), number))
        except (TypeError, ValueError, RecursionError) as error:
            raise LogError(f"agent {name!r}: the result of `insight` is not plain data for JSON: {error}") from None
        if len(line) > bounded_io.LOG_LINE or bounded_io.deeper_than(data):
            raise LogError(
                f"agent {name!r}: the result of `insight` has more than {bounded_io.format_size(bounded_io.LOG_LINE)} "
                f"or {bounded_io.DEPTH} levels"
            )
        self.write(line)

    def _new_faults(self, seat: int) -> list[dict[str, Any]]:
        """Return the faults that an agent has noted since the last call; an empty list if it reports no faults."""
        faults = as_agent(self._agents[seat]).faults
        if faults is None:
            return []
        told = self._faults.get(seat, 0)
        self._faults[seat] = len(faults)
        return [fault.to_dict() for fault in faults[told:]]


class MemoryRecorder(Recorder):
    """Stores the log of a game in memory. `log` is available during the game."""

    def __init__(
        self,
        players: Sequence[Player] | None = None,
        match: dict[str, Any] | None = None,
        *,
        insight: bool = False,
    ) -> None:
        super().__init__(players, match, insight=insight)
        self._decoder: Decoder | None = None
        self._lines = 0

    def write(self, line: bytes) -> None:
        """See `Recorder`."""
        self._lines += 1
        data, place = json.loads(line), f"line {self._lines}"
        if self._decoder is None:
            self._decoder = Decoder(decode_header(data, place))
        else:
            self._decoder.take(data, place)

    @property
    def log(self) -> GameLog:
        """The game so far.

        Raises:
            LogError: the game has not begun.
        """
        if self._decoder is None:
            raise LogError("the log is empty: the game has not begun")
        return GameLog.of(self._decoder.finish())


def _check_dice(game: Game) -> None:
    """Raise LogError for a reseeded game. `verify` could not play it again."""
    if game.reseeded:
        raise LogError(
            f"round {game.round}: the game cannot be logged: `reseed` has replaced its dice, "
            "but a log has only the seed of the constructor"
        )


def describe(spec: str, seed: int | None = None) -> Player:
    """Return the player of a specification, with all its parameters, including defaults.

    Raises:
        AgentError: there is no such agent.
    """
    if not isinstance(spec, str):
        raise registry.AgentError(f"agent {short_repr(spec)}: must be a specification, such as 'mcts:sims=50'")
    if seed is not None and not is_integer(seed):
        raise registry.AgentError(f"agent {spec!r}: seed = {short_repr(seed)}: must be an integer or None")
    return Player(registry.unpinned(spec), spec, dict(_parameters(spec)), seed)


@functools.lru_cache(maxsize=256)
def _parameters(spec: str) -> dict[str, Any]:
    info, given = registry.parse(spec)
    return {**{key: parameter.default for key, parameter in info.parameters.items()}, **given}
