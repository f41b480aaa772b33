"""The settings of a run of evolution, as a settings file gives them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from warlight_env.errors import InputError
from warlight_env.train.common.checks import check_positive, check_whole
from warlight_env.train.weights.genes import DEFAULT_PARAMETERS
from warlight_env.train.weights.trainer import WeightsSettings

#: Rivals that are not agents: the initial weights, the current champion, and the last two former champions.
START, CHAMPION, HALL = "start", "champion", "hall"


@dataclass(frozen=True)
class Stage:
    """A part of a run with one kind of player.

    Args:
        player: the agent that plays with the weights.
        generations: number of generations.
        population: number of candidates in a generation; 0: a number that follows from the number of genes.
        units: number of seeds in the first generation; each is played in both seats against each rival.
        most_units: largest number of seeds in a generation.
        rivals: start (the initial weights), champion (the best so far), hall (the two champions before it), and agents.
        step: initial standard deviation in coordinates of genes; 0.5 is about half of a weight.
        review: number of generations between reviews.
        review_units: number of seeds of a review.
        genes: genes of this stage; empty: the genes of the run.

    Raises:
        InputError: the numbers do not allow a stage, or there is no rival at first.
    """

    player: str = "one_ply"
    generations: int = 30
    population: int = 0
    units: int = 40
    most_units: int = 400
    rivals: tuple[str, ...] = (START, CHAMPION, HALL)
    step: float = 0.5
    review: int = 5
    review_units: int = 400
    genes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_whole(self, 1, "generations", "units", "review", "review_units")
        check_whole(self, self.units, "most_units")
        if self.population != 0:
            check_whole(self, 2, "population")
        check_positive(self, "step")
        if all(rival == HALL for rival in self.rivals):
            raise InputError(f"rivals = {list(self.rivals)!r}: at first the hall is empty; give another one")


@dataclass(frozen=True)
class EvolveSettings(WeightsSettings):
    """The settings of a run of evolution, beside those of `WeightsSettings`.

    Args:
        stages: stages in order; each starts with the champion of the previous one.
        genes: the weights that evolve; also c and rounds, for players that are `mcts`.

    Raises:
        InputError: there is no stage, or a number is too small.
    """

    stages: tuple[Stage, ...] = (Stage(),)
    genes: tuple[str, ...] = DEFAULT_PARAMETERS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stages:
            raise InputError("stages: at least one is needed")

    def quick(self) -> Self:
        """See `RunSettings.quick`."""
        few = Stage(generations=2, population=4, units=2, most_units=4, review=2, review_units=4)
        stages = tuple(replace(few, player=s.player, rivals=s.rivals, genes=s.genes) for s in self.stages)
        return replace(self, stages=stages, holdout_units=2)
