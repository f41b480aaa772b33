"""The common part of training runs that find weights of the evaluation."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, TypeVar

from warlight_env.agents.weights import Weights
from warlight_env.train.common.checks import pin_agents
from warlight_env.train.common.matches import Pair
from warlight_env.train.common.report import Report, percent
from warlight_env.train.common.settings import RunSettings
from warlight_env.train.common.trainer import Trainer
from warlight_env.train.weights.genes import CandidatePlayer, ParameterVector


@dataclass(frozen=True, kw_only=True)
class WeightsSettings(RunSettings):
    """The settings of all runs that find weights, in addition to the settings of `RunSettings`.

    Args:
        start: the initial weights; the final match compares the result with the initial weights.

    Raises:
        InputError: an agent of `holdout` does not exist, is in the list twice, or cannot play under `conditions`.
    """

    holdout_pairs: int = 400
    holdout: tuple[str, ...] = ("one_big_army",)
    start: ParameterVector = field(default_factory=ParameterVector)

    def __post_init__(self) -> None:
        super().__post_init__()
        pin_agents(self, "holdout")
        self.check_agents("holdout")


S = TypeVar("S", bound=WeightsSettings)


class WeightsTrainer(Trainer[S, ParameterVector]):
    """A run that finds weights of the evaluation; see `Trainer`."""

    #: The name of the file with the weights, which `Weights.load` can read.
    artifact_name = "found.json"

    @abstractmethod
    def player(self) -> str:
        """Return the specification, without weights, of the agent that plays the final match."""

    def pairs(self, artifact: ParameterVector) -> list[Pair]:
        """Return the pairs of players of the final match.

        In the first pair, the weights that the run found play against the initial weights. In the further pairs, the
        found weights and the initial weights each play against every opponent.
        """
        new, old = (CandidatePlayer.from_candidate(self.player(), each) for each in (artifact, self.settings.start))
        pairs: list[Pair] = [("found", "start", new, old)]
        for opponent in self.settings.holdout:
            pairs += [(name, opponent, player, opponent) for name, player in (("found", new), ("start", old))]
        return pairs

    def content(self, artifact: ParameterVector, result: dict[str, Any]) -> str:
        """See `Trainer.content`."""
        return artifact.weights.to_json()

    def facts(self, artifact: ParameterVector) -> dict[str, Any]:
        """See `Trainer.facts`."""
        return {"player": self.player(), "found": artifact.to_dict()}

    def summary(self, result: dict[str, Any]) -> str:
        """See `Trainer.summary`."""
        first = result["holdout"][0]
        return (
            f"{self.player()} with the new weights scores {percent(first['score'], first['interval'])} against itself "
            f"with the initial weights, in {first['games']} games with seeds that training never used. Training "
            f"took {result['games']:,} games and {result['seconds'] / 60:.1f} minutes."
        )

    def describe(self, report: Report, artifact: ParameterVector, result: dict[str, Any]) -> None:
        """See `Trainer.describe`."""
        report.text("All opponents except the first were kept out of training. Each seed is played in both seats.")
        report.heading("Course of the training")
        self.describe_course(report, result)
        report.heading("Result")
        start = self.settings.start.weights
        rows = [
            [name, f"{getattr(start, name):g}", f"{getattr(artifact.weights, name):.4g}"] for name in Weights._fields
        ]
        report.table(["weight", "start", "found"], rows)
        if artifact.search:
            report.table(["search", "value"], [[k, f"{v:g}"] for k, v in artifact.search.items()])

    @abstractmethod
    def describe_course(self, report: Report, result: dict[str, Any]) -> None:
        """Add the curves and tables of the training to the report."""
