"""Classes that observe a running game and write the lines of its log."""

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
from warlight_env.errors import clipped
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
from warlight_env.record.reader import GameLog
from warlight_env.record.variations import EMPTY
from warlight_env.step_results import IllegalOrder, RoundResult


class AgentFailure(Protocol):
    """The data about a failed agent: its seat, the round (0: the picking phase) and the reason."""

    seat: int
    round: int
    reason: str


class FinishedGame(Protocol):
    """The result of a finished game. Agents are identified by their number in the match, not by their seat."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The number of the agent on each seat."""
        ...

    @property
    def winner(self) -> int | None:
        """The number of the agent that won, or None."""
        ...

    @property
    def rounds(self) -> int:
        """The number of rounds that were played."""
        ...

    @property
    def placements(self) -> tuple[int, ...]:
        """The final rank of each agent, from 1 (the best), in the order of the agents' numbers."""
        ...

    @property
    def cut_off(self) -> bool:
        """Whether the game was stopped at a limit of rounds, before it was over under the rules."""
        ...


class NamedAgent(Protocol):
    """An agent of a logged game. `decision_info` asks the agent for data about its decisions."""

    @property
    def name(self) -> str:
        """The agent's name, which the log contains if the `Recorder` has no argument `players`."""
        ...


class Recorder(ABC):
    """A `GameObserver` that makes a line of the log for each event of a game. Subclasses store the lines.

    A log contains only the seed of the game's constructor. So `began`, `picked` and `played` raise LogError and write
    nothing if `Game.reseed` has replaced the game's dice.

    Args:
        players: the data about the player on each seat, see `describe`; if it is None, the log contains only the
            agents' names.
        match: data about the match for the header of the log; None: no match.
        insight: whether to log data about the agents' decisions (see `decision_info`).
    """

    def __init__(
        self,
        players: Sequence[Player] | None = None,
        match: dict[str, Any] | None = None,
        *,
        insight: bool = False,
    ) -> None:
        self.players, self.match, self.insight = players, match, insight
        self.header: Header | None = None  #: the header of the log; None before the game begins
        self._agents: Sequence[NamedAgent] = ()
        self._skipped: dict[int, str] = {}  # for each seat without an answer in the current step, the reason
        self._faults: dict[int, int] = {}  # for each seat the number of faults that the log contains

    @abstractmethod
    def write(self, line: bytes) -> None:
        """Store one line, which has no line end."""

    def record_event(self, event: Data) -> None:
        """Write an event of the game to the log. The method does not write data about agents' decisions (insights)."""
        self.write(encode_event(event))

    def began(self, game: Game, agents: Sequence[NamedAgent], limit: int) -> None:
        """Write the header and the start position to the log. See `GameObserver.began`."""
        _check_dice(game)
        self._agents = agents
        players = tuple(Player(agent.name) for agent in agents) if self.players is None else tuple(self.players)
        picking = game.phase == "pick"
        self.header = Header(
            game.map, game.rules, players, game.seed, "agents" if picking else "random", limit, PROGRAM, self.match
        )
        self.write(header_line(self.header))
        self.record_event(start_data(Start.from_game(game)))

    def continued(self, log: GameLog, rounds: int, agents: Sequence[NamedAgent], limit: int) -> None:
        """Write the header and the first `rounds` rounds of a logged game that this game continues.

        For a continued game, call this method instead of `began`.
        """
        self._agents = agents
        players = tuple(Player(agent.name) for agent in agents) if self.players is None else tuple(self.players)
        self.header = replace(
            log.header, players=players, round_limit=limit, program=PROGRAM, match=self.match,
            continues=Continuation(rounds, log.names),
        )  # fmt: skip
        steps = tuple(step for step in log.steps if isinstance(step, Picks) or step.round <= rounds)
        self.write(header_line(self.header))
        for event in log_events(replace(log, steps=steps, insights=(), failures=(), end=None, variations=EMPTY)):
            self.record_event(event)

    def picked(self, preferences: Mapping[int, Sequence[int]], dropped: Sequence[IllegalOrder], game: Game) -> None:
        """Write a step of the picking phase to the log. See `GameObserver.picked`."""
        _check_dice(game)
        self._write_insights(preferences, 0)
        all_preferences = [
            np.asarray(preferences[p]).tolist() if p in preferences else None for p in range(game.players)
        ]
        self.record_event(picks_data(all_preferences, dropped, game.changed(), game.fingerprint()))

    def played(self, orders: Mapping[int, Orders | None], result: RoundResult, game: Game) -> None:
        """Write a round. See `GameObserver.played`."""
        _check_dice(game)
        self._write_insights(orders, result.round)
        all_orders = [orders.get(player) for player in range(game.players)]
        changed, fingerprint = game.changed(), game.fingerprint()
        self.record_event(round_data(result.round, all_orders, result.events, result.dropped, changed, fingerprint))

    def failed(self, error: AgentFailure) -> None:
        """Write to the log that an agent has failed. See `GameObserver.failed`."""
        self._write_last_faults(error.round)
        self.record_event(failure_data(LoggedFailure(error.seat, error.round, error.reason)))

    def skipped(self, error: AgentFailure) -> None:
        """Note the reason of an empty answer for the next event of the game. See `GameObserver.skipped`."""
        self._skipped[error.seat] = clipped(error.reason)

    def draw_agreed(self, round: int, players: Sequence[int]) -> None:
        """Write that all remaining players have agreed on a draw after this number of rounds. Call `ended` next."""
        self.record_event(draw_data(LoggedDraw(round, tuple(players))))

    def ended(self, record: FinishedGame) -> None:
        """Write the result of the game to the log. See `GameObserver.ended`."""
        self._write_last_faults(record.rounds)
        winner = None if record.winner is None else record.seats.index(record.winner)
        placements = tuple(record.placements[agent] for agent in record.seats)
        self.record_event(end_data(End(winner, record.rounds, placements, record.cut_off)))

    def _write_insights(self, decisions: Mapping[int, Any], number: int) -> None:
        for seat in decisions:
            reason = self._skipped.pop(seat, None)
            data: dict[str, Any] | None = None
            if reason is not None:
                data = {"error": reason}
            elif self.insight:
                data = self._insight(seat, number)
            if faults := self._new_faults(seat):
                data = {**(data or {}), "faults": faults}
            if data is not None:
                self._write_insight(seat, number, data)

    def _insight(self, seat: int, number: int) -> dict[str, Any] | None:
        """Return the data about the last decision of a seat in a round (0: the picks), or None if no data exist."""
        return decision_info(self._agents[seat], number)

    def _write_last_faults(self, number: int) -> None:
        """Write the faults that agents have noted since their last answer, for example after the game."""
        for seat in range(len(self._agents)):
            if faults := self._new_faults(seat):
                self._write_insight(seat, number, {"faults": faults})

    def _write_insight(self, seat: int, number: int, data: dict[str, Any]) -> None:
        name = self._agents[seat].name
        try:
            line = encode_foreign(insight_data(DecisionInfo(seat, data), number))
        except (TypeError, ValueError, RecursionError) as error:
            raise LogError(f"agent {name!r}: the result of `insight` is not plain data for JSON: {error}") from None
        if len(line) > bounded_io.LOG_LINE or bounded_io.too_deep(data):
            raise LogError(
                f"agent {name!r}: the result of `insight` has more than {bounded_io.format_size(bounded_io.LOG_LINE)} "
                f"or more than {bounded_io.DEPTH} nested levels"
            )
        self.write(line)

    def _new_faults(self, seat: int) -> list[dict[str, Any]]:
        """Return the faults that an agent has noted since the last call of this method."""
        faults = as_agent(self._agents[seat]).faults
        if faults is None:
            return []
        logged_count = self._faults.get(seat, 0)
        self._faults[seat] = len(faults)
        return [fault.to_dict() for fault in faults[logged_count:]]


class MemoryRecorder(Recorder):
    """A `Recorder` that stores the log of a game in memory. The log can be read during the game."""

    _decoder: Decoder | None = None
    _lines = 0

    def write(self, line: bytes) -> None:
        """Decode one line of the log, and store it in memory. See `Recorder.write`."""
        self._lines += 1
        data, place = json.loads(line), f"line {self._lines}"
        if self._decoder is None:
            self._decoder = Decoder(decode_header(data, place))
        else:
            self._decoder.add_line(data, place)

    @property
    def log(self) -> GameLog:
        """The log of the game so far.

        Raises:
            LogError: the game has not begun.
        """
        if self._decoder is None:
            raise LogError("the log is empty: the game has not begun")
        return GameLog.from_logged_game(self._decoder.finish())


def _check_dice(game: Game) -> None:
    """Raise LogError for a reseeded game, because `verify` cannot replay such a game."""
    if game.reseeded:
        raise LogError(
            f"round {game.round}: the game cannot be logged: `reseed` has replaced its dice, "
            "but a log has only the seed of the constructor"
        )


def describe(spec: str, seed: int | None = None) -> Player:
    """Return the data about an agent for the header of a log, with all its parameters, including default values.

    Args:
        spec: the agent's specification, for example "mcts:sims=100".
        seed: the seed of the agent.

    Raises:
        AgentError: there is no agent with this specification, or an argument has a wrong type.
    """
    if not isinstance(spec, str):
        raise registry.AgentError(f"agent {short_repr(spec)}: must be a specification, such as 'mcts:sims=50'")
    if seed is not None and not is_integer(seed):
        raise registry.AgentError(f"agent {spec!r}: seed = {short_repr(seed)}: must be an integer or None")
    return Player(registry.unpinned(spec), spec, dict(_parameters(spec)), seed)


@functools.lru_cache(maxsize=256)
def _parameters(spec: str) -> dict[str, Any]:
    info, values = registry.parse(spec)
    return {**{key: parameter.default for key, parameter in info.parameters.items()}, **values}
