"""`Match`: many games between the same agents. The number of processes does not change the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from warlight_env import maps
from warlight_env.agents import Budget
from warlight_env.arena.backends.backend import Backend, LocalBackend, make_backend
from warlight_env.arena.contests.contest_progress import Contest, StoppingRule
from warlight_env.arena.contests.contest_runner import check_count, check_jobs, play_contests
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_loop import Picks, round_limit
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.game_setup import AgentSource, MatchError, MatchSetup, OnWarmUp, check_source
from warlight_env.arena.games.seated_agent import OnCrash, OnLate
from warlight_env.arena.matches.result import MatchResult
from warlight_env.arguments import check_flag, path_of, seed_of, short_repr
from warlight_env.engine.rng import SEEDS
from warlight_env.engine.rules import MAX_PLAYERS, Rules

#: The key of the only contest of a match.
MATCH: Final = "match"

#: A function that is called with the results of newly finished games.
OnGames = Callable[[Sequence[GameRecord]], None]


@dataclass(frozen=True)
class Match:
    """A match of two to six agents.

    Args:
        agents: specifications such as ``random:chunks=3``, or functions that take a seed and return an agent.
        games: the number of games. With `paired`, `games` is rounded up to complete units.
        seed: the seed of all random choices. The seed and the number of a game determine the result of the game; `jobs`
            and `games` have no effect on this result.
        map, rules: the same as for `Game`.
        paired: play every seed once with each rotation of the agents' seats, and count these games as one unit.
        picks: "random": the starting regions are drawn at random. "agents": the agents pick the starting regions.
        max_rounds: a game is stopped as a draw after this number of rounds. If `max_rounds` is None, the limit of the
            rules or, without such a limit, SAFETY_ROUNDS is used.
        jobs: the number of games at the same time. If `jobs` is None, it is 1 on this machine, and the number of CPUs
            on a cluster. With more than one game at the same time, call `run` under ``if __name__ == "__main__":``, and
            give agents that other processes can make. Other processes can make an agent from a function that can be
            pickled, and from the specification of an agent that is built in or that an installed package registers with
            an entry point.
        budget: the argument `budget` of every call of `act`. A budget is a short form of `clocks` with the same
            simulations and seconds for all agents.
        stop: a rule that may end the match early, see `Sprt`. With a stop rule, `games` is the maximum number of games.
        clocks: limits for the agents: one `Clock` for all, or one for each agent. A clock may be a text: ``"1s"``,
            ``"457sims"``, ``"10s+0.5s"`` or ``"none"``.
        on_crash: the reaction to the failure of an agent. "forfeit": the agent loses that game. "skip": the agent gives
            no orders in that answer. "stop": the match ends with an error. `failure_rule` lists the failures.
        on_late: "report": answers that take longer than the clock allows are only counted. "forfeit": an agent loses
            the game after a late answer.
        log: a folder for a log of each game (see `warlight_env.record`). If the folder does not exist, it is created.
        insight: whether the logs contain data that explain the agents' decisions (see
            `warlight_env.record.decision_info`).

    Raises:
        MatchError, AgentError, MapError, RulesError, GameError: an argument is invalid. An invalid argument raises the
            error before any game is played.
    """

    agents: Sequence[AgentSource]
    games: int = 200
    seed: int = 1
    map: str | Path | maps.Map = "world"
    rules: str | Rules | dict[str, Any] = "thesis"
    paired: bool = False
    picks: Picks = "random"
    max_rounds: int | None = None
    jobs: int | None = None
    budget: Budget | None = None
    stop: StoppingRule | None = None
    clocks: str | Clock | Sequence[str | Clock | None] | None = None
    on_crash: OnCrash = "forfeit"
    on_late: OnLate = "report"
    log: str | Path | None = None
    insight: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.agents, Sequence):
            raise MatchError(f"agents = {short_repr(self.agents)}: must be a list of agents")
        for source in self.agents:
            check_source(source)
        if isinstance(self.agents, str) or not 2 <= len(self.agents) <= MAX_PLAYERS:
            count = 1 if isinstance(self.agents, str) else len(self.agents)
            raise MatchError(f"a match needs 2 to {MAX_PLAYERS} agents, not {count}")
        check_count("games", self.games)
        check_jobs(self.jobs, optional=True)
        check_count("max_rounds", self.max_rounds, optional=True)
        if abs(seed_of(self.seed, MatchError)) >= SEEDS:
            raise MatchError("seed: must have fewer than 300 digits")
        if not isinstance(self.budget, Budget | None):
            raise MatchError(f"budget = {short_repr(self.budget)}: must be a Budget or None")
        for name, literal in (("picks", Picks), ("on_crash", OnCrash), ("on_late", OnLate)):
            value, choices = getattr(self, name), get_args(literal)
            if not isinstance(value, str) or value not in choices:
                raise MatchError(f"{name} = {short_repr(value)}: must be {' or '.join(map(repr, choices))}")
        for name in ("paired", "insight"):
            check_flag(getattr(self, name), name, MatchError)
        if self.log is not None:
            path_of(self.log, "log", MatchError)
        self._clocks()

    def setup(self) -> MatchSetup:
        """Return the agents and the settings of the match as a `MatchSetup`; load the map and the rules."""
        map_ = self.map if isinstance(self.map, maps.Map) else maps.load(self.map)
        rules = Rules.of(self.rules)
        return MatchSetup(
            tuple(self.agents), map_, rules, self.seed, self.paired, self.picks, self.max_rounds,
            self._clocks(), self.on_crash, self.on_late, None if self.log is None else Path(self.log), self.insight,
        )  # fmt: skip

    def _clocks(self) -> tuple[Clock | None, ...]:
        """Return a tuple with a clock or None for each agent; the tuple is empty if no agent has a clock."""
        if self.budget is not None:
            if self.clocks is not None:
                raise MatchError("give either clocks or a budget, not both")
            setting: Any = Clock(self.budget.simulations, self.budget.seconds)
        else:
            setting = self.clocks
        many = not (setting is None or isinstance(setting, str | Clock))
        if many and not isinstance(setting, Sequence):
            raise MatchError(f"clocks = {short_repr(setting)}: must be a Clock, or a list of clocks")
        clocks = tuple(setting) if many else (setting,) * len(self.agents)
        if len(clocks) != len(self.agents):
            raise MatchError(
                f"clocks: there are {len(clocks)} clocks for {len(self.agents)} agents; "
                "give one clock for all agents, or one for each"
            )
        for clock in clocks:
            if not isinstance(clock, str | Clock | None):
                raise MatchError(f"clock {short_repr(clock)}: must be a Clock, a text such as '1s', or None")
        clocks = tuple(Clock.parse(clock) if isinstance(clock, str) else clock for clock in clocks)
        return clocks if any(clocks) else ()

    def contest(self) -> Contest:
        """Return the match as a `Contest`, the argument of `play_contests`."""
        return Contest(MATCH, self.setup(), self.games, self.stop)

    def run(
        self,
        on_games: OnGames | None = None,
        *,
        backend: str | Backend = "local",
        folder: str | Path | None = None,
        on_warm_up: OnWarmUp | None = None,
    ) -> MatchResult:
        """Play the match, and return its result.

        Ctrl-C ends the match early: the result then contains only the finished games, and the field `interrupted` of
        the result is True.

        Args:
            on_games: a function that receives the result of every game once.
            backend: the backend that plays the games, see `play_contests`.
            folder: a run folder, in which every finished game is stored. A later call with the same folder continues an
                interrupted or killed match.
            on_warm_up: a function that is called before the warm-up game of each agent, see `OnWarmUp`.

        Raises:
            AgentCrashError: an agent failed, and `on_crash` is "stop".
            MatchError: an argument is invalid, or the agents cannot be sent to other processes.
            RunFolderError: the folder belongs to another match, is damaged, or is in use.
            RunError: a process died, or the folder cannot be written.
        """
        if on_games is not None and not callable(on_games):
            raise MatchError(f"on_games = {short_repr(on_games)}: must be a function or None")
        start = time.perf_counter()
        game_backend = make_backend(backend)
        contest = self.contest()
        setup = contest.setup
        names = setup.names
        results = play_contests(
            [contest], jobs=self.jobs, backend=game_backend, folder=folder,
            on_games=None if on_games is None else lambda _, records: on_games(records), on_warm_up=on_warm_up,
        )  # fmt: skip
        result = results[MATCH]
        return MatchResult(
            names=names,
            map=setup.map.name,
            rules=setup.rules.name,
            seed=self.seed,
            games_asked=contest.n_games,
            paired=self.paired,
            picks=self.picks,
            round_limit=round_limit(setup.rules, setup.map.n_regions, self.max_rounds),
            jobs=1 if self.jobs is None and isinstance(game_backend, LocalBackend) else self.jobs,
            records=result.records,
            interrupted=result.interrupted,
            wall_seconds=time.perf_counter() - start,
            clocks=tuple(str(clock) if clock else "none" for clock in setup.clocks),
            stop=self.stop,
            decided=result.decided,
            resumed_games=result.resumed_games,
            on_crash=self.on_crash,
            on_late=self.on_late,
        )
