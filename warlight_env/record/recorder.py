"""Observers that turn a game in play into the lines of its log."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, AgentError, registry
from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.outcome import IllegalOrder, RoundResult
from warlight_env.record.decode import Decoder, decode_header
from warlight_env.record.encode import (
    PROGRAM,
    encode_line,
    end_data,
    failure_data,
    header_data,
    insight_data,
    orders_data,
    picks_data,
    round_data,
    start_data,
)
from warlight_env.record.errors import LogError
from warlight_env.record.insight import insight_of
from warlight_env.record.model import Change, Continuation, End, Failure, GameLog, Header, Insight, Player, Start


class AgentFailure(Protocol):
    """What is told of an agent that failed: whose seat, in which round (0: while picking) and why."""

    seat: int
    round: int
    reason: str


class Recorder:
    """A `GameObserver` that makes a line of each thing it is told; what becomes of it, subclasses say in `write`.

    Args:
        players: by seat; None: what the agents' names tell.
        match: what the header says of the match, if there is one.
        continues: where the game came from, if it was played on.
        insight: with what the agents thought (see `insight_of`).
    """

    def __init__(
        self,
        players: Sequence[Player] | None = None,
        match: dict[str, Any] | None = None,
        continues: Continuation | None = None,
        *,
        insight: bool = False,
    ) -> None:
        self.players, self.match, self.continues, self.insight = players, match, continues, insight
        self._agents: Sequence[Agent] = ()
        self._game: Game | None = None
        self._owner: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self._army: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)

    def write(self, line: str) -> None:
        """Take one more line, without its end."""
        raise NotImplementedError

    def began(self, game: Game, agents: Sequence[Agent], limit: int) -> None:
        """See `GameObserver`."""
        self._game, self._agents = game, agents
        players = tuple(describe(agent.name) for agent in agents) if self.players is None else tuple(self.players)
        picking = game.phase == "pick"
        header = Header(
            game.map, game.rules, players, game.seed, "agents" if picking else "random", limit, PROGRAM,
            self.match, self.continues,
        )  # fmt: skip
        self.write(encode_line(header_data(header)))
        offers = tuple(game.offers(p) for p in range(game.players)) if picking else None
        self._owner, self._army = game.owner.copy(), game.army.copy()
        start = Start(tuple(self._owner.tolist()), tuple(self._army.tolist()), offers, game.fingerprint())
        self.write(encode_line(start_data(start)))

    def picked(self, wishes: Mapping[int, Sequence[int]], dropped: Sequence[IllegalOrder], game: Game) -> None:
        """See `GameObserver`."""
        if self.insight:
            self._write_insights(wishes, 0)
        given = [np.asarray(wishes[p]).tolist() if p in wishes else None for p in range(game.players)]
        self.write(encode_line(picks_data(given, dropped, self._changes(game), game.fingerprint())))

    def played(self, orders: Mapping[int, Orders | None], result: RoundResult, game: Game) -> None:
        """See `GameObserver`."""
        if self.insight:
            self._write_insights(orders, result.round)
        given = [orders_data(orders.get(p)) for p in range(game.players)]
        changed, fingerprint = self._changes(game), game.fingerprint()
        self.write(encode_line(round_data(result.round, given, result.events, result.dropped, changed, fingerprint)))

    def failed(self, error: AgentFailure) -> None:
        """See `GameObserver`."""
        self.write(encode_line(failure_data(Failure(error.seat, error.round, error.reason))))

    def ended(self, record: object) -> None:
        """See `GameObserver`; all that is written is known from the game."""
        game = self._game
        assert game is not None  # it began
        self.write(encode_line(end_data(End(game.winner, game.round, game.placements, not game.done))))

    def _changes(self, game: Game) -> list[Change]:
        """The regions that changed since this was last asked."""
        owner, army = game.owner, game.army
        regions = np.flatnonzero((owner != self._owner) | (army != self._army))
        self._owner[:], self._army[:] = owner, army
        return list(zip(regions.tolist(), owner[regions].tolist(), army[regions].tolist(), strict=True))

    def _write_insights(self, asked: Mapping[int, Any], number: int) -> None:
        for seat in asked:
            data = insight_of(self._agents[seat], number)
            if data is None:
                continue
            try:
                line = encode_line(insight_data(Insight(seat, data), number))
            except (TypeError, ValueError) as error:
                name = self._agents[seat].name
                raise LogError(f"agent {name!r}: its insight is not plain data for JSON: {error}") from None
            self.write(line)


class MemoryRecorder(Recorder):
    """Keeps the log of a game in memory: `log` at any time."""

    def __init__(
        self,
        players: Sequence[Player] | None = None,
        match: dict[str, Any] | None = None,
        continues: Continuation | None = None,
        *,
        insight: bool = False,
    ) -> None:
        super().__init__(players, match, continues, insight=insight)
        self._decoder: Decoder | None = None
        self._lines = 0

    def write(self, line: str) -> None:
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
            LogError: it has not begun.
        """
        if self._decoder is None:
            raise LogError("nothing is logged yet: the game has not begun")
        return self._decoder.finish()


@functools.lru_cache(maxsize=256)
def describe(name: str, seed: int | None = None) -> Player:
    """A player by its agent's name, with all parameters if the registry knows an agent of that specification."""
    try:
        info, given = registry.parse(name)
    except AgentError:
        return Player(name, seed=seed)
    defaults = {key: parameter.default for key, parameter in info.parameters.items()}
    return Player(name, name, {**defaults, **given}, seed)
