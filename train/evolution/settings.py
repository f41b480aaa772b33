"""All that decides a run of evolution, as people write it in a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from warlight_env.errors import InputError
from warlight_env.train.common.checks import check_positive, check_whole
from warlight_env.train.weights.genes import DEFAULT_GENES
from warlight_env.train.weights.trainer import WeightsSettings

#: Rivals that are not agents: what the run began with, who is best so far, and the last two who were before.
START, CHAMPION, HALL = "start", "champion", "hall"


@dataclass(frozen=True)
class Stage:
    """A part of a run with one kind of player.

    Args:
        player: an agent with weights, as `make_agent` takes it.
        generations, population: of the strategy; a population of 0 is its own choice for so many genes.
        units, most_units: seeds, each played in both seats, against each rival in a generation: at first, and at most.
        rivals: "start", "champion", "hall", and agents.
        step: initial standard deviation in coordinates of genes: 0.5 is about half of a weight.
        review: generations between reviews. review_units: seeds of one.
        genes: other ones than the run's; empty: those.

    Raises:
        InputError: numbers with which no stage could be played, or no rival to begin with.
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
    """All that decides a run of evolution, beside `WeightsSettings`.

    Args:
        stages: in their order; each begins with the champion of the one before.
        genes: names of what evolves, see `genes.GENES`.

    Raises:
        InputError: there is no stage, or a number is too small.
    """

    stages: tuple[Stage, ...] = (Stage(),)
    genes: tuple[str, ...] = DEFAULT_GENES

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stages:
            raise InputError("stages: at least one is needed")

    def quick(self) -> Self:
        """See `RunSettings.quick`."""
        few = Stage(generations=2, population=4, units=2, most_units=4, review=2, review_units=4)
        stages = tuple(replace(few, player=s.player, rivals=s.rivals, genes=s.genes) for s in self.stages)
        return replace(self, stages=stages, holdout_units=2)
