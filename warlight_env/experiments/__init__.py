"""Experiments: the tables of the thesis and of related theses, with the published numbers, and our own experiments.

The thesis is Palášek, "Artificial Intelligence for Warlight", Charles University 2019, chapter 3. `METHOD_NAMES` are
experiments of other students' theses on other games. The experiments in `GROWTH_NAMES` measure expansion without
opponents. Imported by `cli`.
To add an experiment, define it as a constant of a module, and add its name to `MODULES`.
"""

from __future__ import annotations

import importlib
from typing import Final

from warlight_env.arguments import short_repr
from warlight_env.errors import did_you_mean
from warlight_env.experiments.base import Experiment, ExperimentOutcome, ExperimentSettings
from warlight_env.experiments.players import ExperimentError
from warlight_env.experiments.rows import Row

#: Experiments with methods of other works.
METHOD_NAMES: Final = (
    "methods-maxn-depth", "methods-maxn-terms", "methods-flat-middle", "methods-cut-playouts", "methods-playouts",
    "methods-exploration", "methods-final-child", "methods-top-turns", "methods-placements", "methods-round-robin",
)  # fmt: skip

#: Our own experiments.
GROWTH_NAMES: Final = ("growth", "growth-best", "growth-later")

#: All experiments: for each name, the module that declares it.
MODULES: Final = {
    **dict.fromkeys(
        (*(f"thesis-3.{n}" for n in range(2, 11)), "branching", "game-length", "state-size"), "thesis_tables"
    ),
    **dict.fromkeys(METHOD_NAMES, "methods"),
    **dict.fromkeys(GROWTH_NAMES, "growth"),
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
    constants = vars(importlib.import_module(f"{__name__}.{MODULES[name]}")).values()
    return next(value for value in constants if isinstance(value, Experiment) and value.name == name)


__all__ = [
    "GROWTH_NAMES",
    "METHOD_NAMES",
    "MODULES",
    "Experiment",
    "ExperimentError",
    "ExperimentOutcome",
    "ExperimentSettings",
    "Row",
    "experiment",
]
