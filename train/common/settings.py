"""The settings that all training runs have. Each training method has further settings of its own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from warlight_env.agents.weights import Weights
from warlight_env.train.common.checks import check_different_agents, check_integers, pin_maps
from warlight_env.train.common.conditions import Conditions


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """The common settings of all training runs.

    Args:
        conditions: map, rules and other conditions of the run's matches.
        seed: seed of the whole run, an integer from 0 up.
        holdout_pairs: number of game pairs of the final match; a pair is two games with one seed and exchanged seats.
        holdout: agents that are opponents only in the final match, not in training.
        map_digests: the digest (`Map.digest`) of each map file among the maps. A missing digest is added, so that a run
            continues only on the same maps.

    Raises:
        InputError: a number is too small, the map or the rules of `conditions` do not exist, or a map file differs from
            its digest.
    """

    #: Values of settings for a test run with very few games.
    quick_values: ClassVar[dict[str, Any]] = {}

    conditions: Conditions = field(default_factory=Conditions)
    seed: int = 1
    holdout_pairs: int = 100
    holdout: tuple[str, ...] = ()
    map_digests: dict[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_integers(self, 1, "holdout_pairs")
        check_integers(self, 0, "seed", maximum=math.inf)
        pin_maps(self, self.conditions.map, *getattr(self, "maps", ()))
        self.conditions.check()

    def check_agents(self, *names: str, excluded: Collection[str] = ()) -> None:
        """Check that the agents in a field are different, and can play games of two players under `conditions`.

        Args:
            names: names of the fields; each contains a tuple of agents.
            excluded: agents that may be unable to play.

        Raises:
            InputError: an agent is in a field twice, does not exist, or cannot play on the map or with the rules.
        """
        check_different_agents(self, *names)
        for name in names:
            self.conditions.check_agents(name, [agent for agent in getattr(self, name) if agent not in excluded])

    def quick(self) -> Self:
        """Return a copy of the settings with very few games, for a test run."""
        return dataclasses.replace(self, **self.quick_values)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data for JSON."""
        plain: dict[str, Any] = _plain(self)
        return plain if self.map_digests else {name: value for name, value in plain.items() if name != "map_digests"}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Weights):
        return value._asdict()
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
