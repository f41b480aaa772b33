"""The setup of a match's games: seats, seeds, map and rules."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import pickle
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from warlight_env import maps
from warlight_env.agents import Agent, make_agent
from warlight_env.agents.agent_adapter import PlainAgent, as_agent, call_factory
from warlight_env.agents.base import check_once
from warlight_env.agents.registry import pinned
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_loop import AgentCrashError, GameObserver, GameRecord, Picks, play_game
from warlight_env.arena.games.match_logs import check_logged, log_writer, open_folder
from warlight_env.arena.games.play_options import PlayOptions
from warlight_env.arena.games.seated_agent import OnCrash, OnLate
from warlight_env.arguments import short_repr
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.record.model import Player
from warlight_env.record.recorder import describe

#: The number of rounds that `MatchSetup.warm_up` plays, and the number of simulations per turn.
_WARM_ROUNDS: Final = 3
_WARM_SIMULATIONS: Final = 64

#: An agent's specification, or a callable that makes the agent from a seed.
AgentSource = str | Callable[[int], PlainAgent]


class MatchError(InputError):
    """A match has impossible arguments. The message gives the reason."""


class Seating(NamedTuple):
    """Seats and agents of a game at its start."""

    unit: int  #: games of one unit share their seed
    seed: int  #: seed of offers and dice
    seats: tuple[int, ...]  #: the agent on each seat
    agents: tuple[Agent, ...]  #: by seat


@dataclass(frozen=True)
class MatchSetup:
    """Everything that decides how the games of a match go. Pickle sends it to other processes.

    Specifications are stored in their `pinned` form, so that weights from a file are the same in all games.
    """

    agents: tuple[AgentSource, ...]
    map: maps.Map
    rules: Rules
    seed: int
    paired: bool
    picks: Picks
    max_rounds: int | None
    clocks: tuple[Clock | None, ...] = ()  #: by agent; empty: no agent has a clock
    on_crash: OnCrash = "raise"
    on_late: OnLate = "report"
    log: Path | None = None  #: a folder for a log of each game
    insight: bool = False  #: whether logs contain the agents' evaluations

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", tuple(_pinned(source) for source in self.agents))

    @property
    def unit_size(self) -> int:
        """Number of games in a unit: with pairing, one seed in all rotations of the seats."""
        return len(self.agents) if self.paired else 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The agents' names, in their order.

        Raises:
            AgentError: an agent's specification is wrong.
        """
        return tuple(agent_from_source(source, self.seed).name for source in self.agents)

    def seat_order(self, number: int) -> tuple[int, tuple[int, ...]]:
        """Return the unit of a game and the agent on each seat: agent a sits on seat (a + number) mod k."""
        k = len(self.agents)
        return number // self.unit_size, tuple((seat - number) % k for seat in range(k))

    def make_seating(self, number: int) -> Seating:
        """Return the seeds, the seats and new agents of the game with this number. They depend only on the number.

        The unit's seed decides the dice. The unit and the seat decide an agent's randomness. So with pairing, all k
        games of a unit use the same seeds, with different agents on the seats.
        """
        unit, seats = self.seat_order(number)
        agents = tuple(
            agent_from_source(self.agents[a], derive_seed(self.seed, unit, seat)) for seat, a in enumerate(seats)
        )
        return Seating(unit, derive_seed(self.seed, unit), seats, agents)

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> GameRecord:
        """Play the game with this number."""
        seating = self.make_seating(number)
        with self._observer(number, seating) as observer:
            return self._play(number, seating, stop, observer)

    def _observer(self, number: int, seating: Seating) -> AbstractContextManager[GameObserver | None]:
        if self.log is None:
            return contextlib.nullcontext()
        players = [
            self._logged(agent, a, derive_seed(self.seed, seating.unit, seat))
            for seat, (agent, a) in enumerate(zip(seating.agents, seating.seats, strict=True))
        ]
        return log_writer(self.log, number, seating.unit, seating.seats, players, self.match_data, self.insight)

    def _logged(self, agent: Agent, number: int, seed: int) -> Player:
        """Return the entry of a log's header for an agent."""
        source = self.agents[number]
        return describe(source, seed) if isinstance(source, str) else Player(agent.name, seed=seed)

    def _play(
        self, number: int, seating: Seating, stop: Callable[[], bool] | None, observer: GameObserver | None
    ) -> GameRecord:
        options = PlayOptions(
            clocks=[self.clocks[a] for a in seating.seats] if self.clocks else None,
            on_crash=self.on_crash,
            on_late=self.on_late,
            stop=stop,
            number=number,
            unit=seating.unit,
            seats=seating.seats,
        )
        try:
            return play_game(
                seating.agents, self.map, self.rules, seating.seed,
                picks=self.picks, max_rounds=self.max_rounds, observer=observer, options=options,
            )  # fmt: skip
        except AgentCrashError as error:
            reason = error.reason
            raise AgentCrashError(error.agent, error.seat, error.round, error.seed, reason, number) from error

    def describe(self) -> dict[str, Any]:
        """Return everything that decides the games, in a form for JSON.

        Raises:
            MatchError: an agent is a function without an importable name.
        """
        return {
            "agents": [describe_agent(source) for source in self.agents],
            "map": {"name": self.map.name, "digest": self.map.digest()},
            "rules": self.rules.to_dict(),
            "seed": int(self.seed),
            "paired": self.paired,
            "picks": self.picks,
            "max_rounds": self.max_rounds,
            "clocks": [str(clock) if clock else "none" for clock in self.clocks or [None] * len(self.agents)],
            "on_crash": self.on_crash,
            "on_late": self.on_late,
        }

    @cached_property
    def match_data(self) -> dict[str, Any]:
        """The match's entry in the logs of its games, as read back from JSON. Logs store map and rules elsewhere."""
        return {
            "agents": [
                source if isinstance(source, str) else name
                for source, name in zip(self.agents, self.names, strict=True)
            ],
            "seed": int(self.seed),
            "paired": self.paired,
            "picks": self.picks,
            "max_rounds": self.max_rounds,
            "clocks": [str(clock) if clock else "none" for clock in self.clocks or [None] * len(self.agents)],
            "on_crash": self.on_crash,
            "on_late": self.on_late,
        }

    def check_clocks(self) -> None:
        """Raise an error for a clock that an agent would ignore.

        Raises:
            MatchError: the clock limits only simulations, and the agent has ``counts_simulations = False``, as bots in
                their own processes do.
        """
        for source, clock in zip(self.agents, self.clocks, strict=False):
            if clock is None or clock.simulations is None or not (clock.seconds is clock.bank is None):
                continue
            agent = agent_from_source(source, self.seed)
            if not agent.counts_simulations:
                raise MatchError(
                    f"agent {agent.name!r}: a clock that limits only simulations ({clock}) has no effect on a bot in a "
                    "process of its own; give it a clock with time, such as 1s or 10s+0.5s, or none"
                )

    def warm_up(self) -> None:
        """Play the first rounds of the first game, so that kernels are loaded or compiled before the clock runs.

        Agents get enough simulations for all parts of a search. The rounds are enough for agents to receive the events
        of an earlier round. An agent that fails here also fails in the real game, which counts and logs the failure.

        Raises:
            InputError: the `check` of an agent refuses such games.
        """
        for source in self.agents:
            check_once(agent_from_source(source, self.seed), self.map, self.rules, len(self.agents))
        clocks = (Clock(simulations=_WARM_SIMULATIONS),) * len(self.agents)
        rounds = min(_WARM_ROUNDS, self.max_rounds or _WARM_ROUNDS)
        with contextlib.suppress(AgentCrashError):
            dataclasses.replace(self, max_rounds=rounds, clocks=clocks, log=None).play(0)

    def open_log(self, played: Iterable[int] = ()) -> None:
        """Prepare the folder for logs, if there is one.

        Args:
            played: numbers of games that will not be played again.

        Raises:
            LogError: the folder contains logs of another match, or has no log of a played game.
            LogWriteError: the folder cannot be made or written.
        """
        if self.log is not None:
            check_logged(self.log, played)
            open_folder(self.log, self.map, self.rules, self.match_data)


def check_source(source: Any) -> None:
    """Raise MatchError unless an agent can be made from this source."""
    if not isinstance(source, str) and not callable(source):
        raise MatchError(
            f"agent {short_repr(source)}: must be a specification, or a callable that makes an agent from a seed"
        )


def agent_from_source(source: AgentSource, seed: int) -> Agent:
    """Return an agent from its source. Raise MatchError for a wrong source."""
    check_source(source)
    return make_agent(source, seed) if isinstance(source, str) else as_agent(call_factory(source, seed))


def _pinned(source: AgentSource) -> AgentSource:
    if not isinstance(source, str):
        return source
    try:
        return pinned(source)
    except InputError:  # the error is raised again when the agent is made
        return source.strip()


def describe_agent(source: AgentSource) -> str:
    """Return an agent's source as text: its specification, or the name of a callable with a digest of its content.

    Raises:
        MatchError: it is a function without an importable name, or an object that does not pickle.
    """
    if isinstance(source, str):
        return source.strip()
    named = source if hasattr(source, "__qualname__") else type(source)
    name = f"{named.__module__}:{named.__qualname__}"
    if "<" in name:
        raise MatchError(
            f"agent {name}: a run folder needs agents that can be imported: give a class or a function of a module"
        )
    if named is source:
        return name
    try:
        return f"{name}#{hashlib.sha256(pickle.dumps(source)).hexdigest()[:16]}"
    except Exception as error:
        raise MatchError(f"agent {name}: a run folder needs agents that can be pickled ({error})") from error
