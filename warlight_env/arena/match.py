"""`Match`: many games between the same agents, in one process or several, always with the same outcome."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from warlight_env import maps
from warlight_env.agents import Agent, Budget, make_agent
from warlight_env.arena.play import AgentCrashError, GameRecord, GameStopped, Picks, play_game, round_limit
from warlight_env.arena.result import MatchResult
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import MAX_PLAYERS, Rules
from warlight_env.errors import InputError

#: An agent's specification, or a callable that makes the agent from a seed.
AgentSource = str | Callable[[int], Agent]

#: Called with every batch of games that were finished.
OnGames = Callable[[Sequence[GameRecord]], None]


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
    """All that decides how the games of a match go; travels to other processes."""

    agents: tuple[AgentSource, ...]
    map: maps.Map
    rules: Rules
    seed: int
    paired: bool
    picks: Picks
    max_rounds: int | None
    budget: Budget | None

    def seat(self, number: int) -> Seating:
        """Who sits where in the game of that number, with fresh agents; depends on nothing else.

        Agent a sits on seat (a + number) mod k. Dice come from the unit's seed, an agent's randomness from unit and
        seat: with pairing, all k games of a unit have the same, with other agents on the seats.
        """
        k = len(self.agents)
        unit = number // k if self.paired else number
        seats = tuple((seat - number) % k for seat in range(k))
        agents = tuple(make(self.agents[a], derive_seed(self.seed, unit, seat)) for seat, a in enumerate(seats))
        return Seating(unit, derive_seed(self.seed, unit), seats, agents)

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> GameRecord:
        """Play the game of that number."""
        seating = self.seat(number)
        try:
            return play_game(
                seating.agents, self.map, self.rules, seating.seed,
                picks=self.picks, max_rounds=self.max_rounds, budget=self.budget,
                number=number, unit=seating.unit, seats=seating.seats, stop=stop,
            )  # fmt: skip
        except AgentCrashError as error:
            reason = error.reason
            raise AgentCrashError(error.agent, error.seat, error.round, error.seed, reason, number) from error

    def warm_up(self) -> None:
        """Play the first round of the first game: loads or compiles kernels, so that the clock runs for play alone."""
        dataclasses.replace(self, max_rounds=1).play(0)


def make(source: AgentSource, seed: int) -> Agent:
    """An agent from its source."""
    return make_agent(source, seed) if isinstance(source, str) else source(seed)


@dataclass(frozen=True)
class Match:
    """A match of two to six agents.

    Args:
        agents: specifications as in ``random:chunks=3``, or callables that make an agent from a seed.
        games: how many; with `paired` rounded up to whole units.
        seed: decides everything. Neither `jobs` nor the number of games changes the game of a given number.
        map, rules: as for `Game`.
        paired: play every seed once with each rotation of the seats, and count these games as one unit.
        picks: "random" starting regions, or chosen by the "agents".
        max_rounds: stop a game after so many rounds and count a draw; None: the rules' limit, or SAFETY_ROUNDS.
        jobs: processes. With more than one, call `run` under ``if __name__ == "__main__":``, and agents must be known
            to them: callables that pickle, or specifications of agents that are built in or come through entry points.
        budget: handed to every `act`.

    Raises:
        MatchError, AgentError, MapError, RulesError, GameError: with the reason, before anything is played.
    """

    agents: Sequence[AgentSource]
    games: int = 200
    seed: int = 1
    map: str | Path | maps.Map = "world"
    rules: str | Rules | dict[str, Any] = "thesis"
    paired: bool = False
    picks: Picks = "random"
    max_rounds: int | None = None
    jobs: int = 1
    budget: Budget | None = None

    def __post_init__(self) -> None:
        if isinstance(self.agents, str) or not 2 <= len(self.agents) <= MAX_PLAYERS:
            count = 1 if isinstance(self.agents, str) else len(self.agents)
            raise MatchError(f"a match needs 2 to {MAX_PLAYERS} agents, not {count}")
        limits = {"games": self.games, "jobs": self.jobs, "max_rounds": self.max_rounds, "seed": self.seed}
        for name, value in limits.items():
            if value is None and name == "max_rounds":
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise MatchError(f"{name} = {value!r}: must be an integer")
            if value < 1 and name != "seed":
                raise MatchError(f"{name} = {value}: must be at least 1")
        if not isinstance(self.budget, Budget | None):
            raise MatchError(f"budget = {self.budget!r}: must be a Budget or None")
        if self.picks not in ("random", "agents"):
            raise MatchError(f"picks = {self.picks!r}: must be 'random' or 'agents'")

    @property
    def n_games(self) -> int:
        """Games to play: `games`, with `paired` rounded up to whole units."""
        k = len(self.agents) if self.paired else 1
        return -(-self.games // k) * k

    def setup(self) -> Setup:
        """The match with map and rules read."""
        map_ = self.map if isinstance(self.map, maps.Map) else maps.load(self.map)
        rules = Rules.of(self.rules)
        return Setup(tuple(self.agents), map_, rules, self.seed, self.paired, self.picks, self.max_rounds, self.budget)

    def run(self, on_games: OnGames | None = None) -> MatchResult:
        """Play. Ctrl-C ends the match early; the result then holds what was played and says so.

        Raises:
            AgentCrashError: an agent failed; the match ends.
            MatchError: agents cannot be sent to processes.
            RunError: a process died.
        """
        start = time.perf_counter()
        setup = self.setup()
        names = tuple(make(source, self.seed).name for source in setup.agents)
        setup.warm_up()
        if self.jobs == 1 or self.n_games == 1:
            records, interrupted = _run_here(setup, self.n_games, on_games)
        else:
            from warlight_env.arena.pool import run_in_processes

            records, interrupted = run_in_processes(setup, self.n_games, self.jobs, on_games)
        return MatchResult(
            names=names,
            map=setup.map.name,
            rules=setup.rules.name,
            seed=self.seed,
            games_asked=self.n_games,
            paired=self.paired,
            picks=self.picks,
            round_limit=round_limit(setup.rules, setup.map.n_regions, self.max_rounds),
            jobs=self.jobs,
            records=_whole_units(records, len(names)) if self.paired else tuple(records),
            interrupted=interrupted,
            wall_seconds=time.perf_counter() - start,
        )


def _run_here(setup: Setup, games: int, on_games: OnGames | None) -> tuple[list[GameRecord], bool]:
    records: list[GameRecord] = []
    try:
        for number in range(games):
            records.append(setup.play(number))
            if on_games is not None:
                on_games(records[-1:])
    except (KeyboardInterrupt, GameStopped):
        return records, True
    return records, False


def _whole_units(records: Sequence[GameRecord], size: int) -> tuple[GameRecord, ...]:
    """Without the games of units that an interruption left incomplete."""
    played: dict[int, int] = {}
    for record in records:
        played[record.unit] = played.get(record.unit, 0) + 1
    return tuple(record for record in records if played[record.unit] == size)
