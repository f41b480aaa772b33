"""Estimates of the time that an experiment takes, from the measured times in the documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from warlight_env.experiments.base import Experiment, ExperimentSettings

#: The measured minutes on one core of a full run with the default agent, from docs/results/thesis-tables.md and
#: docs/results/methods.md.
MEASURED_MINUTES: Final = {
    "thesis-3.2": 83,
    "thesis-3.3": 32,
    "thesis-3.4": 29,
    "thesis-3.5": 7,
    "thesis-3.6": 27,
    "thesis-3.7": 102,
    "thesis-3.8": 203,
    "thesis-3.9": 45,
    "thesis-3.10": 6,
    "branching": 7,
    "game-length": 38,
    "methods-maxn-depth": 71,
    "methods-maxn-terms": 67,
    "methods-flat-middle": 10,
    "methods-cut-playouts": 46,
    "methods-playouts": 72,
    "methods-exploration": 136,
    "methods-final-child": 31,
    "methods-top-turns": 79,
    "methods-placements": 67,
    "methods-round-robin": 119,
}


def estimate_seconds(experiment: Experiment, settings: ExperimentSettings) -> float:
    """Return the estimated time of a run on one core, in seconds.

    For the default agent with budgets in simulations, the estimate is the measured time, in proportion to the
    number of games. For another agent, or for budgets in seconds, the estimate is computed from the budgets of the
    agents.
    """
    measured = MEASURED_MINUTES.get(experiment.name)
    is_default = settings.agent in experiment.agents and settings.budget_type == (experiment.budget or "simulations")
    if measured is None or settings.quick or not is_default:
        return experiment.seconds(settings)
    return 60 * measured * experiment.units(settings) / experiment.units(replace(settings, games=None))
