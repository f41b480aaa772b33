"""`MatchSetup`: the agents and all settings of a match's games, the seats and seeds of each game, and the warm-up.

The warm-up plays short games before a match, so that compiled code is ready before clocks run.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import pickle
import time
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from warlight_env import maps
from warlight_env.agents import Agent, make_agent
from warlight_env.agents.agent_adapter import PlainAgent, as_agent, call_factory, method_fault
from warlight_env.agents.base import check_once
from warlight_env.agents.registry import pinned
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_loop import AgentCrashError, GameObserver, GameStopped, Picks, play_game
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.match_logs import check_logged, open_folder
from warlight_env.arena.games.play_options import PlayOptions
from warlight_env.arena.games.seated_agent import OnCrash, OnLate
from warlight_env.arguments import short_repr
from warlight_env.engine.compile_progress import compiled_count
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.record.model import Player
from warlight_env.record.names import game_name
from warlight_env.record.recorder import describe
from warlight_env.record.writer import LogWriter

#: An agent's specification, such as ``mcts:sims=50``, or a function that takes a seed and returns an agent.
AgentSource = str | Callable[[int], PlainAgent]

#: The number of rounds of a warm-up game, and the number of simulations per turn in these rounds. The agent gets enough
#: simulations to use all parts of a search, and enough rounds to receive the events of an earlier round.
WARM_UP_ROUNDS: Final = 3
WARM_UP_SIMULATIONS: Final = 64
#: This number of seconds after the last compilation, a warm-up game ends with its current round. An agent in its own
#: process that does not answer within this time has no further questions in the warm-up.
WARM_UP_SECONDS: Final = 30.0
#: The opponents in the warm-up game of an agent with a process of its own.
STAND_IN: Final = "random"

#: A function that is called before each warm-up game, with the number of finished warm-up games, the total number, and
#: the agent.
OnWarmUp = Callable[[int, int, str], None]

#: The warm-up games that this process has played.
_warmed_up: set[tuple[Hashable, ...]] = set()


class MatchError(InputError):
    """An error for a match with invalid arguments. The error message contains the reason."""


class Seating(NamedTuple):
    """The seed, the seats and the agents of a game at its start."""

    unit: int  #: the number of the unit; all games of a unit have the same seed
    seed: int  #: the seed of the offered regions and of the battles
    seats: tuple[int, ...]  #: the number of the agent on each seat
    agents: tuple[Agent, ...]  #: the agent objects, in the order of their seats


@dataclass(frozen=True)
class MatchSetup:
    """The agents and all settings that determine the games of a match.

    The object is pickled and sent to worker processes.

    Specifications of agents are stored with a digest of each weight file that they name (see `pinned`), so that all
    games use the same weights.
    """

    agents: tuple[AgentSource, ...]
    map: maps.Map
    rules: Rules
    seed: int
    paired: bool
    picks: Picks
    max_rounds: int | None
    clocks: tuple[Clock | None, ...] = ()  #: a clock or None for each agent; an empty tuple: no agent has a clock
    on_crash: OnCrash = "stop"
    on_late: OnLate = "report"
    log: Path | None = None  #: the folder for a log of each game; None: no logs
    insight: bool = False  #: whether the logs contain data that explain the agents' decisions
    labels: tuple[str, ...] = ()  #: the names of the agents in logs; an empty tuple: their own names

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", tuple(_pinned(source) for source in self.agents))

    @property
    def unit_size(self) -> int:
        """The number of games in a unit: with pairing, one game for each rotation of the seats; otherwise 1."""
        return len(self.agents) if self.paired else 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the agents, in the order of `agents`.

        Raises:
            AgentError: the specification of an agent is invalid.
        """
        return tuple(self.sample_agent(index).name for index in range(len(self.agents)))

    def seat_order(self, number: int) -> tuple[int, tuple[int, ...]]:
        """Return the unit of a game, and the number of the agent on each seat.

        In the game with the given number, agent a of k agents has the seat (a + number) mod k.
        """
        k = len(self.agents)
        return number // self.unit_size, tuple((seat - number) % k for seat in range(k))

    def make_seating(self, number: int) -> Seating:
        """Return the seed, the seats and new agents of the game with the given number.

        The unit of the game determines the seed of the game. The unit and the seat determine the seed of an agent. With
        pairing, all k games of a unit therefore use the same seeds, with different agents on the seats.
        """
        unit, seats = self.seat_order(number)
        agents = tuple(
            agent_from_source(self.agents[a], derive_seed(self.seed, unit, seat)) for seat, a in enumerate(seats)
        )
        return Seating(unit, derive_seed(self.seed, unit), seats, agents)

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> GameRecord:
        """Play the game with the given number, and return its result. stop: see `play_game`."""
        seating = self.make_seating(number)
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
            with self._observer(number, seating) as observer:
                return play_game(
                    seating.agents, self.map, self.rules, seating.seed,
                    picks=self.picks, max_rounds=self.max_rounds, observer=observer, options=options,
                )  # fmt: skip
        except AgentCrashError as error:
            raise AgentCrashError(
                error.agent, error.seat, error.round, error.seed, error.reason, number, error.detail
            ) from error

    def _observer(self, number: int, seating: Seating) -> AbstractContextManager[GameObserver | None]:
        if self.log is None:
            return contextlib.nullcontext()
        players = [
            self._logged(agent, a, derive_seed(self.seed, seating.unit, seat))
            for seat, (agent, a) in enumerate(zip(seating.agents, seating.seats, strict=True))
        ]
        match_data = {"game": number, "unit": seating.unit, "seats": seating.seats, **self.match_data}
        return LogWriter(self.log / game_name(number), players, match_data, insight=self.insight)

    def _logged(self, agent: Agent, number: int, seed: int) -> Player:
        """Return the data about an agent for the header of a game log. number: the agent's number in `agents`."""
        source = self.agents[number]
        player = describe(source, seed) if isinstance(source, str) else Player(agent.name, seed=seed)
        return dataclasses.replace(player, name=self.labels[number]) if self.labels else player

    def describe(self) -> dict[str, Any]:
        """Return all settings that determine the games, as JSON data.

        Raises:
            MatchError: an agent is a function that cannot be imported by its name.
        """
        return {
            "agents": [describe_agent(source) for source in self.agents],
            "map": {"name": self.map.name, "digest": self.map.digest()},
            "rules": self.rules.to_dict(),
            **self._options,
        }

    @property
    def _options(self) -> dict[str, Any]:
        return {
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
        """The description of the match in the logs of its games, as JSON data.

        The description of the match does not contain the map and the rules, because logs store both in other fields.
        """
        return {
            "agents": [
                source if isinstance(source, str) else name
                for source, name in zip(self.agents, self.names, strict=True)
            ],
            **self._options,
        }

    def check_clocks(self) -> None:
        """Raise an error if a clock has no effect on its agent.

        Raises:
            MatchError: the clock limits only simulations, and the agent has ``counts_simulations = False``, for example
                because it is a bot in another process.
        """
        for index, clock in enumerate(self.clocks):
            if clock is None or clock.simulations is None or not (clock.seconds is clock.bank is None):
                continue
            agent = self.sample_agent(index)
            if not agent.counts_simulations:
                raise MatchError(
                    f"agent {agent.name!r}: a clock that limits only simulations ({clock}) has no effect on a bot in a "
                    "process of its own; give it a clock with time, such as 1s or 10s+0.5s, or none"
                )

    def sample_agent(self, index: int) -> Agent:
        """Return a new agent with the number `index` in the match; the agent is for checks, not for games."""
        return agent_from_source(self.agents[index], self.seed)

    def warm_up_setup(self, index: int, clock: Clock) -> MatchSetup:
        """Return the setup of the warm-up game of an agent. clock: the clock of the agent.

        The opponents are copies of the agent, because some kernels are called only for a strong opponent. For an agent
        with a process of its own, the opponents are simple built-in agents and not copies of the agent.
        """
        process = self.sample_agent(index).warm_up_scope == "process"
        opponents = (self.agents[index] if process else STAND_IN,) * (len(self.agents) - 1)
        return dataclasses.replace(
            self,
            agents=(self.agents[index], *opponents),
            max_rounds=min(WARM_UP_ROUNDS, self.max_rounds or WARM_UP_ROUNDS),
            clocks=(clock,) * len(self.agents),
            on_crash="stop",
            on_late="report",
            log=None,
        )

    def check_agents(self) -> None:
        """Raise an error if an agent cannot play the games of the match.

        Raises:
            InputError: the method `check` of an agent rejects the map, the rules or the number of players.
        """
        for index in range(len(self.agents)):
            check_once(self.sample_agent(index), self.map, self.rules, len(self.agents))

    def warm_up(self) -> None:
        """Check the agents, and play their warm-up games in a worker process, see `warm_up_all`."""
        self.check_agents()
        warm_up_all([self], worker=True)

    def open_log(self, finished: Iterable[int] = ()) -> None:
        """Prepare the folder for logs, if the match has one.

        Args:
            finished: the numbers of games that were played earlier, and that are not played again.

        Raises:
            LogError: the folder contains logs of another match, or the log of a played game is missing.
            LogWriteError: the folder cannot be made or written.
        """
        if self.log is not None:
            check_logged(self.log, finished)
            open_folder(self.log, self.map, self.rules, self.match_data)


def warm_up_all(setups: Iterable[MatchSetup], on_warm_up: OnWarmUp | None = None, *, worker: bool = False) -> None:
    """Play a warm-up game with each agent that needs one, once in this process for each set of rules.

    The failures of agents are ignored here, because they occur again in the real games. An `InvalidAgentError` is
    raised, because the agent can never play.

    Args:
        setups: the setups of the games that are played after the warm-up.
        on_warm_up: see `OnWarmUp`.
        worker: whether this is a worker process. In a worker process, only agents with the scope "process" get a
            warm-up game.
    """
    keys = set(_warmed_up)
    games: list[tuple[MatchSetup, set[tuple[Hashable, ...]]]] = []  # with the keys to store after the game
    for setup in setups:
        for index, source in enumerate(setup.agents):
            # Agents with equal keys need only one warm-up game.
            key: tuple[Hashable, ...] = source, setup.rules, len(setup.agents), setup.picks
            if key in keys:
                continue
            keys.add(key)
            scope = setup.sample_agent(index).warm_up_scope
            if scope == "process" or (scope == "machine" and not worker):
                clock = Clock(WARM_UP_SIMULATIONS, None if scope == "process" else WARM_UP_SECONDS)
                stored_keys = {key} if isinstance(source, str) else set()  # the set must not keep functions alive
                games.append((setup.warm_up_setup(index, clock), stored_keys))
    for done, (game, stored_keys) in enumerate(games):
        if on_warm_up is not None:
            on_warm_up(done, len(games), game.names[0])
        _play_warm_up(game)
        _warmed_up.update(stored_keys)


def _play_warm_up(setup: MatchSetup) -> None:
    """Play a warm-up game until `WARM_UP_SECONDS` have passed since the last compilation of a kernel."""
    end, compiled = time.perf_counter() + WARM_UP_SECONDS, compiled_count()

    def is_late() -> bool:
        nonlocal end, compiled
        if (count := compiled_count()) > compiled:
            end, compiled = time.perf_counter() + WARM_UP_SECONDS, count
        return time.perf_counter() > end

    with contextlib.suppress(AgentCrashError, GameStopped):
        setup.play(0, is_late)


def check_source(source: Any) -> None:
    """Raise MatchError unless `source` is a string or a callable; see `AgentSource`."""
    if not isinstance(source, str) and not callable(source):
        raise MatchError(
            f"agent {short_repr(source)}: must be a specification, or a callable that makes an agent from a seed"
        )


def agent_from_source(source: AgentSource, seed: int) -> Agent:
    """Make an agent from a specification or a function, see `AgentSource`.

    Raise MatchError if `source` is neither a specification nor a function, or the function's result has no method
    `pick` or `act`, or has a method that does not accept the arguments of a match.
    """
    check_source(source)
    if isinstance(source, str):
        return make_agent(source, seed)
    agent = call_factory(source, seed)
    if isinstance(agent, type):
        raise MatchError(
            f"agent {short_repr(source)}: the function returned the class {agent.__name__}; it must return an object"
        )
    if (fault := method_fault(agent)) is not None:
        raise MatchError(f"agent {short_repr(source)}: {fault}")
    return as_agent(agent)


def _pinned(source: AgentSource) -> AgentSource:
    if not isinstance(source, str):
        return source
    try:
        return pinned(source)
    except InputError:  # ignored here, because the same error is raised again when the agent is made
        return source.strip()


def describe_agent(source: AgentSource) -> str:
    """Return a text that identifies an agent.

    The text is the agent's specification, or the name of the function or class that makes the agent. For any other
    callable object, the text is the name of the object's class and a digest of the pickled object.

    Raises:
        MatchError: the function cannot be imported by its name, or the object cannot be pickled.
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
