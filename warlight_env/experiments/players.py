"""Players of experiments: the requested agent, or a given bot, with a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from warlight_env.agents import Agent, Budget
from warlight_env.agents.registry import parse, pinned, unpinned
from warlight_env.arena.games.game_setup import AgentSource, agent_from_source
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import below, make_rng
from warlight_env.engine.view import View
from warlight_env.errors import InputError
from warlight_env.experiments.base import BudgetType, ExperimentSettings

#: Medians in the thesis: simulations per tree, by seconds and threads.
MEASURED: Final = {(10.0, 1): 457, (15.0, 1): 1272, (15.0, 2): 1096, (15.0, 4): 836}

#: Simulations per second in table 3.3.
RATE: Final = 45.7

#: For estimates of a run's duration: simulations per second on one core.
SIMULATIONS_PER_SECOND = 8000

#: Simulations per move in a quick run, which only tests that everything works.
QUICK_SIMULATIONS = 20


def simulations(seconds: float, threads: int = 1) -> int:
    """Return the number of simulations per tree that the thesis's program makes in this time.

    The thesis measured medians at two budgets: 457 simulations in 10 seconds (table 3.3), and 1272 in 15 seconds (table
    3.10, one thread), at other positions than in table 3.3. For 10 and 15 seconds, `simulations` uses the measured
    medians without change. All other budgets follow from the rate of table 3.3, 45.7 simulations per second: 91
    simulations for 2 seconds, 228 for 5 seconds and 914 for 20 seconds. Tables 3.7 and 3.8 compare two budgets; with
    one rate, their simulations have the same ratio as their seconds. (The rate of table 3.10 would give 1696
    simulations for 20 seconds. 1696 is 7.4 times 228, but the ratio of the seconds in table 3.8 is 4.) With several
    threads, each thread has its own tree, with the number of simulations per tree of table 3.10.
    """
    if (seconds, threads) in MEASURED:
        return MEASURED[seconds, threads]
    if threads != 1:
        raise ValueError(f"the thesis has no measurement of {seconds:g} seconds in {threads} threads")
    return int(RATE * seconds)


class ExperimentError(InputError):
    """The experiment cannot be run with these arguments. The message gives the reason."""


@dataclass(frozen=True)
class Side:
    """One side of the games of an experiment: a bot with its budget per move: simulations, seconds, or none.

    Attributes:
        spec: the specification of a bot; "": the requested agent.
        simulations, seconds: the budget, which is the same for both budget types.
        thesis_seconds: a budget in the thesis. It is a number of simulations, or with the budget type "seconds" the
            same number of seconds.
        cost: estimated seconds per move, for a bot without a budget.
        threads: number of threads; each has its own tree.
        defense: whether the defensive deploy and the two waiting ways to attack are available.
        start: super regions in which the side starts, with one random region in each; (): as in the rules.
    """

    spec: str = ""
    simulations: int | None = None
    seconds: float | None = None
    thesis_seconds: float | None = None
    cost: float = 0.0
    threads: int = 1
    defense: bool = True
    start: tuple[str, ...] = ()

    def source(self, settings: ExperimentSettings) -> AgentSource:
        """Return the source of the player; in a quick run, a player with a budget or a cost has a tiny budget."""
        limits, budget = self._limits(settings.budget_type), {}
        if settings.quick and (limits != Budget() or self.cost > 0):
            budget["sims"] = str(QUICK_SIMULATIONS)
        elif limits.simulations is not None:
            budget["sims"] = str(limits.simulations)
        elif limits.seconds is not None:
            budget["secs"] = f"{limits.seconds:g}"
        if self.threads != 1:
            budget["threads"] = str(self.threads)
        spec = with_parameters(self.spec or settings.agent, budget)
        if self.defense and not self.start:
            return spec
        return PlayerSource(pinned(spec), self.defense, self.start)

    def seconds_per_move(self, budget_type: BudgetType) -> float:
        """Return the estimated seconds per move on one core."""
        limits = self._limits(budget_type)
        if limits.simulations is not None:
            return self.threads * limits.simulations / SIMULATIONS_PER_SECOND
        return self.cost if limits.seconds is None else self.threads * limits.seconds

    def _limits(self, budget_type: BudgetType) -> Budget:
        if self.thesis_seconds is None:
            return Budget(self.simulations, self.seconds)
        if budget_type == "seconds":
            return Budget(seconds=self.thesis_seconds)
        return Budget(simulations(self.thesis_seconds, self.threads))


@dataclass(frozen=True)
class PlayerSource:
    """Makes players that no agent specification describes: without defence, or with given starting regions."""

    spec: str
    defense: bool
    start: tuple[str, ...]

    def __call__(self, seed: int) -> Agent:
        if self.defense:
            agent = agent_from_source(self.spec, seed)
        else:
            info, values = parse(self.spec)
            factory: Callable[..., Any] = info.load()
            try:
                agent = factory(seed=seed, **values, defense=False)
            except TypeError:
                raise ExperimentError(
                    f"agent {self.spec!r} cannot play without defence; give mcts or mcts_thesis"
                ) from None
            agent.name = f"{unpinned(self.spec)} without defence"
        return FixedStartAgent(agent, self.start, seed) if self.start else agent


class FixedStartAgent(Agent):
    """An agent that picks a random region in each of some super regions, and then plays like the wrapped agent.

    This agent needs rules that offer all regions to all players, see `FREE_PICKS`. The opponent must not pick the
    regions that this agent picks.
    """

    def __init__(self, agent: Agent, super_regions: tuple[str, ...], seed: int) -> None:
        self.agent, self.super_regions = agent, super_regions
        self.name = f"{agent.name} from {' and '.join(super_regions)}"
        self._rng = make_rng(seed)

    def pick(self, view: View) -> list[int]:
        """Return different regions, one for each named super region; raise `ExperimentError` for unknown names."""
        names = [super_region.name for super_region in view.map.super_regions]
        preferred: list[int] = []
        for name in self.super_regions:
            if name not in names:
                raise ExperimentError(
                    f"map {view.map.name!r} has no super region {name!r}; there are {', '.join(names)}"
                )
            free = [r for r in view.map.members[names.index(name)] if r in view.offers and r not in preferred]
            preferred.append(free[int(below(self._rng, len(free)))])
        return preferred

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`."""
        return self.agent.act(view, budget)

    def close(self) -> None:
        """See `Agent.close`."""
        self.agent.close()


def with_parameters(spec: str, parameters: dict[str, str]) -> str:
    """Add parameters to an agent's specification; the parameters that it already contains have precedence."""
    spec = spec.strip()
    if not parameters:
        return spec
    info, spec_parameters = parse(spec)
    if info.text is not None:
        raise ExperimentError(
            f"agent {spec!r}: an experiment sets {' and '.join(parameters)}, which {info.form} does not take; give a "
            "search such as mcts"
        )
    if spec_parameters.keys() & {"sims", "secs"}:
        parameters = {key: value for key, value in parameters.items() if key not in ("sims", "secs")}
    added = ",".join(f"{key}={value}" for key, value in parameters.items() if key not in spec_parameters)
    return f"{spec}{',' if ':' in spec else ':'}{added}" if added else spec
