"""Experiments: the tables of the thesis and of related theses, with the published numbers, and our own experiments.

The thesis is Palášek, "Artificial Intelligence for Warlight", Charles University 2019, chapter 3. `METHODS` are
experiments of other students' theses on other games. `GROWTH` measures expansion without opponents. Imported by `cli`.
To add an experiment, write a module and name it in `MODULES`.
"""

from __future__ import annotations

import importlib
from typing import Final

from warlight_env.arguments import short_repr
from warlight_env.errors import did_you_mean
from warlight_env.experiments.base import Experiment, ExperimentOutcome
from warlight_env.experiments.experiment_settings import ExperimentSettings
from warlight_env.experiments.players import ExperimentError
from warlight_env.experiments.rows import Row

#: Experiments with methods of other works: for each name, the module that declares it.
METHODS: Final = {
    f"methods-{name}": f"methods_{name.replace('-', '_')}"
    for name in (
        "maxn-depth", "maxn-terms", "flat-middle", "cut-playouts", "playouts", "exploration", "final-child",
        "top-turns", "placements", "round-robin",
    )
}  # fmt: skip

#: Our own experiments.
GROWTH: Final = {"growth": "growth", "growth-best": "growth_best", "growth-later": "growth_later"}

#: All experiments: for each name, the module that declares it.
MODULES: Final = {
    **{f"thesis-3.{n}": f"table_3_{n}" for n in range(2, 11)},
    "branching": "branching",
    "game-length": "game_length",
    "state-size": "state_size",
    **METHODS,
    **GROWTH,
}


def experiment(name: str) -> Experiment:
    """Return an experiment by its name.

    Raises:
        ExperimentError: no experiment has this name.
    """
    if not isinstance(name, str):
        raise ExperimentError(f"name = {short_repr(name)}: must be the name of an experiment")
    if name not in MODULES:
        raise ExperimentError(f"no experiment {name!r}{did_you_mean(name, MODULES)}; there are {', '.join(MODULES)}")
    found: Experiment = importlib.import_module(f"{__name__}.{MODULES[name]}").TABLE
    return found


__all__ = [
    "GROWTH",
    "METHODS",
    "MODULES",
    "Experiment",
    "ExperimentError",
    "ExperimentOutcome",
    "ExperimentSettings",
    "Row",
    "experiment",
]
