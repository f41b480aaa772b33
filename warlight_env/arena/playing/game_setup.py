"""How the games of a match go: who sits where, with which seeds, on which map, by which rules."""

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
from warlight_env.agents.adapting import PlainAgent, as_agent, made_by
from warlight_env.agents.base import check_once
from warlight_env.agents.registry import pinned
from warlight_env.arena.playing.clocks import Clock
from warlight_env.arena.playing.logs import check_logged, log_writer, open_folder
from warlight_env.arena.playing.play import AgentCrashError, GameObserver, GameRecord, Picks, play_game
from warlight_env.arena.playing.player import OnCrash, OnLate
from warlight_env.arguments import short_repr
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.record.model import Player
from warlight_env.record.recorder import describe

#: What `Setup.warm_up` plays: so many rounds, with so many simulations a turn.
_WARM_ROUNDS: Final = 3
_WARM_SIMULATIONS: Final = 64

#: An agent's specification, or a callable that makes the agent from a seed.
AgentSource = str | Callable[[int], PlainAgent]


class MatchError(InputError):
    """A match that cannot be played as it was asked for, with the reason."""


class Seating(NamedTuple):
    """A game of a match before it begins."""

    unit: int  #: games of one unit share their seed
    seed: int  #: of offers and dice
    seats: tuple[int, ...]  #: the agent on each seat
    agents: tuple[Agent, ...]  #: by seat


@dataclass(frozen=True)
class Setup:
    """All that decides how the games of a match go; travels to other processes.

    Specifications are kept as `pinned` gives them: weights out of a file are the same in all games.
    """

    agents: tuple[AgentSource, ...]
    map: maps.Map
    rules: Rules
    seed: int
    paired: bool
    picks: Picks
    max_rounds: int | None
    clocks: tuple[Clock | None, ...] = ()  #: by agent; empty: none has one
    on_crash: OnCrash = "raise"
    on_late: OnLate = "report"
    log: Path | None = None  #: a folder for a log of each game
    insight: bool = False  #: with what the agents thought

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", tuple(_pinned(source) for source in self.agents))

    @property
    def unit_size(self) -> int:
        """Games that are counted as one: with pairing, a seed in all rotations of the seats."""
        return len(self.agents) if self.paired else 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The agents' names, in their order.

        Raises:
            AgentError: an agent's specification cannot be used.
        """
        return tuple(make(source, self.seed).name for source in self.agents)

    def place(self, number: int) -> tuple[int, tuple[int, ...]]:
        """The unit of the game of that number, and the agent on each seat: agent a sits on seat (a + number) mod k."""
        k = len(self.agents)
        return number // self.unit_size, tuple((seat - number) % k for seat in range(k))

    def seat(self, number: int) -> Seating:
        """Who sits where in the game of that number, with fresh agents; depends on nothing else.

        Dice come from the unit's seed, an agent's randomness from unit and seat: with pairing, all k games of a unit
        have the same, with other agents on the seats.
        """
        unit, seats = self.place(number)
        agents = tuple(make(self.agents[a], derive_seed(self.seed, unit, seat)) for seat, a in enumerate(seats))
        return Seating(unit, derive_seed(self.seed, unit), seats, agents)

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> GameRecord:
        """Play the game of that number."""
        seating = self.seat(number)
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
        """What the header of a log says of the agent of that number."""
        source = self.agents[number]
        return describe(source, seed) if isinstance(source, str) else Player(agent.name, seed=seed)

    def _play(
        self, number: int, seating: Seating, stop: Callable[[], bool] | None, observer: GameObserver | None
    ) -> GameRecord:
        try:
            return play_game(
                seating.agents, self.map, self.rules, seating.seed,
                picks=self.picks, max_rounds=self.max_rounds, number=number, unit=seating.unit, seats=seating.seats,
                stop=stop, clocks=[self.clocks[a] for a in seating.seats] if self.clocks else None,
                on_crash=self.on_crash, on_late=self.on_late, observer=observer,
            )  # fmt: skip
        except AgentCrashError as error:
            reason = error.reason
            raise AgentCrashError(error.agent, error.seat, error.round, error.seed, reason, number) from error

    def describe(self) -> dict[str, Any]:
        """All that decides the games, as JSON takes it.

        Raises:
            MatchError: an agent is a function that has no name by which it could be told from another one.
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
        """What the logs of games say of the match, as JSON gives it back; map and rules stand elsewhere in them."""
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
        """Refuse a clock that an agent would not notice.

        Raises:
            MatchError: it has simulations alone, and the agent says by ``counts_simulations = False`` that it takes no
                orders about those, as bots in processes of their own.
        """
        for source, clock in zip(self.agents, self.clocks, strict=False):
            if clock is None or clock.simulations is None or not (clock.seconds is clock.bank is None):
                continue
            agent = make(source, self.seed)
            if not agent.counts_simulations:
                raise MatchError(
                    f"agent {agent.name!r}: a clock of simulations alone ({clock}) means nothing to a bot in a process "
                    "of its own; give it time, as in 1s or 10s+0.5s, or none"
                )

    def warm_up(self) -> None:
        """Play the first rounds of the first game: loads or compiles kernels, so that the clock runs for play alone.

        Agents get enough simulations for all parts of a search, and rounds enough to be told of one before. What one of
        them fails with it fails with again in the game, where it is counted and logged.

        Raises:
            InputError: an agent cannot play such games: its `check` says so.
        """
        for source in self.agents:
            check_once(make(source, self.seed), self.map, self.rules, len(self.agents))
        clocks = (Clock(simulations=_WARM_SIMULATIONS),) * len(self.agents)
        rounds = min(_WARM_ROUNDS, self.max_rounds or _WARM_ROUNDS)
        with contextlib.suppress(AgentCrashError):
            dataclasses.replace(self, max_rounds=rounds, clocks=clocks, log=None).play(0)

    def open_log(self, played: Iterable[int] = ()) -> None:
        """Make the folder for logs ready, if there is to be one.

        Args:
            played: games that will not be played any more.

        Raises:
            LogError: it holds logs of another match, or lacks one of a game that was played. LogWriteError: it cannot
                be made or written.
        """
        if self.log is not None:
            check_logged(self.log, played)
            open_folder(self.log, self.map, self.rules, self.match_data)


def check_source(source: Any) -> None:
    """Raises MatchError for what no agent can be made of."""
    if not isinstance(source, str) and not callable(source):
        raise MatchError(f"agent {short_repr(source)}: must be a specification, or make an agent of a seed")


def make(source: AgentSource, seed: int) -> Agent:
    """An agent from its source; MatchError for what is none."""
    check_source(source)
    return make_agent(source, seed) if isinstance(source, str) else as_agent(made_by(source, seed))


def _pinned(source: AgentSource) -> AgentSource:
    if not isinstance(source, str):
        return source
    try:
        return pinned(source)
    except InputError:  # which is said where the agent is made
        return source.strip()


def describe_agent(source: AgentSource) -> str:
    """An agent's source as text: its specification, or where a callable is from, with a digest of what it holds.

    Raises:
        MatchError: it is a function that has no name by which it could be told from another one.
    """
    if isinstance(source, str):
        return source.strip()
    named = source if hasattr(source, "__qualname__") else type(source)
    name = f"{named.__module__}:{named.__qualname__}"
    if "<" in name:
        raise MatchError(f"agent {name}: a run folder needs agents with names: give a class or a function of a module")
    if named is source:
        return name
    try:
        return f"{name}#{hashlib.sha256(pickle.dumps(source)).hexdigest()[:16]}"
    except Exception as error:
        raise MatchError(f"agent {name}: a run folder needs agents that pickle ({error})") from error
