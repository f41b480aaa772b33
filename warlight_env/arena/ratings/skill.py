"""Ratings for games with more than two players, with the Plackett-Luce model of the package openskill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from warlight_env.arena.ratings.bradley_terry import GameRanking
from warlight_env.errors import RunError


@dataclass(frozen=True)
class Skill:
    """The rating of an agent on the scale of openskill. Before the first game, mu is 25 and sigma is 8.3."""

    name: str
    mu: float
    sigma: float

    @property
    def ordinal(self) -> float:
        """mu - 3 sigma, a lower bound of the agent's skill. The package openskill ranks players by their ordinals."""
        return self.mu - 3 * self.sigma


def skills(names: Sequence[str], games: Iterable[GameRanking]) -> list[Skill]:
    """Return the openskill ratings of the agents after all games, in the order of `names`.

    The order of the games has a small effect: later games have a higher weight.

    The package is from Joshy, "OpenSkill: a faster asymmetric multi-team, multiplayer rating system", Journal of Open
    Source Software 9 (2024). The method is from Weng and Lin, "A Bayesian approximation method for online ranking",
    JMLR 12 (2011).

    Raises:
        RunError: openskill is not installed.
    """
    model = openskill_model()
    now = [model.rating() for _ in names]
    for game in games:
        teams = model.rate([[now[player]] for player in game.players], ranks=[float(place) for place in game.places])
        for player, (rating,) in zip(game.players, teams, strict=True):
            now[player] = rating
    return [Skill(name, float(rating.mu), float(rating.sigma)) for name, rating in zip(names, now, strict=True)]


def openskill_model() -> Any:
    """Return openskill's Plackett-Luce model. If openskill is missing, raise `RunError` with an install command."""
    try:
        from openskill.models import PlackettLuce
    except ImportError as error:
        raise RunError(
            "ratings for more than two players need openskill: pip install 'warlight-env[arena]' or '.[arena]'"
        ) from error
    return PlackettLuce()
