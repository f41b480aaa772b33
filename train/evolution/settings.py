"""The settings of a run of evolution. The names of the fields are the keys of a settings file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self

from warlight_env.errors import InputError
from warlight_env.train.common.checks import check_integers, check_positive, naming, pin_agents
from warlight_env.train.weights.genes import (
    DEFAULT_PARAMETERS,
    CandidatePlayer,
    ParameterVector,
    SearchSpace,
    check_parameters,
)
from warlight_env.train.weights.trainer import WeightsSettings

#: The largest number of candidates in a generation.
MOST_CANDIDATES: Final = 10_000
#: Opponents that are not agents: the initial weights, the current champion, and the last two former champions.
START, CHAMPION, HALL = "start", "champion", "hall"


@dataclass(frozen=True)
class Stage:
    """A stage is a part of a run of evolution in which one type of agent plays with the candidates' weights.

    Args:
        player: the agent that plays with the weights.
        generations: number of generations.
        population: number of candidates in a generation; 0: CMA-ES computes it from the number of parameters.
        pairs: number of game pairs in the first generation, against each opponent; a pair is two games with one seed
            and exchanged seats.
        max_pairs: largest number of pairs in a generation.
        opponents: start (the initial weights), champion (the best weights so far), hall (the two former champions), and
            agents.
        sigma: initial standard deviation of the candidates, in the coordinates of `SearchParameter`; with sigma 0.5, a
            weight typically changes by half of its value.
        eval_interval: number of generations between reviews (matches of the new weights against the champion).
        eval_pairs: number of game pairs of a review; a pair is two games with one seed and exchanged seats.
        parameters: parameters that this stage optimizes; if empty, the `parameters` of the run.

    Raises:
        InputError: a number is invalid, the first generation has no opponent, an agent does not exist, `player` has no
            weights, or a parameter cannot evolve or is not a parameter of `player`.
    """

    player: str = "one_ply"
    generations: int = 30
    population: int = 0
    pairs: int = 40
    max_pairs: int = 400
    opponents: tuple[str, ...] = (START, CHAMPION, HALL)
    sigma: float = 0.5
    eval_interval: int = 5
    eval_pairs: int = 400
    parameters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_integers(self, 1, "generations", "pairs", "eval_interval", "eval_pairs")
        check_integers(self, self.pairs, "max_pairs")
        if self.population != 0:
            check_integers(self, 2, "population", maximum=MOST_CANDIDATES)
        check_positive(self, "sigma")
        if all(rival == HALL for rival in self.opponents):
            raise InputError(
                f"opponents = {list(self.opponents)!r}: {HALL} means the former champions, and the first generation "
                "has none; give another opponent, too"
            )
        pin_agents(self, "player")
        pin_agents(self, "opponents", allowed=(START, CHAMPION, HALL))
        with naming("player"):
            CandidatePlayer.from_candidate(self.player, ParameterVector())
        if self.parameters:
            SearchSpace(self.parameters)
            check_parameters(self.parameters, self.player)


@dataclass(frozen=True)
class EvolveSettings(WeightsSettings):
    """The settings of a run of evolution, in addition to the settings of `WeightsSettings`.

    Args:
        stages: the stages in order; each stage starts with the champion of the previous stage.
        parameters: the weights that the run optimizes; for a stage with the agent `mcts` also its parameters c and
            rounds. A stage with `parameters` of its own does not use this list.

    Raises:
        InputError: there is no stage, a number is too small, an agent does not exist or cannot play under `conditions`,
            or a parameter cannot evolve or is not a parameter of the agent of a stage.
    """

    stages: tuple[Stage, ...] = (Stage(),)
    parameters: tuple[str, ...] = DEFAULT_PARAMETERS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stages:
            raise InputError("stages: give at least one stage")
        if not all(stage.parameters for stage in self.stages):
            SearchSpace(self.parameters)
        for i, stage in enumerate(self.stages):
            self.conditions.check_agents(f"stages[{i}]: player", [stage.player])
            if not stage.parameters:
                with naming(f"stages[{i}]"):
                    check_parameters(self.parameters, stage.player)
            opponents = [opponent for opponent in stage.opponents if opponent not in (START, CHAMPION, HALL)]
            self.conditions.check_agents(f"stages[{i}]: opponents", opponents)

    def quick(self) -> Self:
        """See `RunSettings.quick`."""
        few = Stage(generations=2, population=4, pairs=2, max_pairs=4, eval_interval=2, eval_pairs=4)
        stages = tuple(
            replace(few, player=s.player, opponents=s.opponents, parameters=s.parameters) for s in self.stages
        )
        return replace(self, stages=stages, holdout_pairs=2)
