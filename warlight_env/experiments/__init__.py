"""The experiments of the thesis that this project comes from, rerun: declarations, with its figures beside ours.

Palášek, "Artificial Intelligence for Warlight", Charles University 2019, chapter 3.
"""

from __future__ import annotations

import importlib
from typing import Final

from warlight_env.errors import did_you_mean
from warlight_env.experiments.base import Experiment, Outcome, Settings
from warlight_env.experiments.players import ExperimentError
from warlight_env.experiments.rows import Row

#: Experiments by name, with the modules that declare them.
MODULES: Final = {
    **{f"thesis-3.{n}": f"table_3_{n}" for n in range(2, 11)},
    "branching": "branching",
    "game-length": "game_length",
    "state-size": "state_size",
}


def experiment(name: str) -> Experiment:
    """An experiment by its name.

    Raises:
        ExperimentError: there is none.
    """
    if name not in MODULES:
        raise ExperimentError(f"no experiment {name!r}{did_you_mean(name, MODULES)}; there are {', '.join(MODULES)}")
    found: Experiment = importlib.import_module(f"{__name__}.{MODULES[name]}").TABLE
    return found


__all__ = ["MODULES", "Experiment", "ExperimentError", "Outcome", "Row", "Settings", "experiment"]
