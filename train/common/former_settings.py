"""Former names of settings, so that the run folders of older versions can be read."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, Final

#: Former name → present name of a setting, for each settings class that declares the present name.
_FORMER: Final[dict[str, dict[str, str]]] = {
    "RunSettings": {"holdout_units": "holdout_pairs"},
    "EvolveSettings": {"genes": "parameters"},
    "Stage": {
        "units": "pairs",
        "most_units": "max_pairs",
        "rivals": "opponents",
        "step": "sigma",
        "review": "eval_interval",
        "review_units": "eval_pairs",
        "genes": "parameters",
    },
    "TdSettings": {
        "trace": "td_lambda",
        "rate": "learning_rate",
        "passes": "n_epochs",
        "minibatch": "batch_size",
        "explore": "epsilon",
        "review": "eval_interval",
        "review_units": "eval_pairs",
    },
    "ExpertIterationSettings": {
        "dealt": "random_start_share",
        "batch": "batch_size",
        "rate": "learning_rate",
        "decay": "weight_decay",
        "outcome": "outcome_weight",
        "gate_units": "gate_pairs",
        "accept": "gate_threshold",
    },
    "ValueSettings": {
        "plays": "label_simulations",
        "playouts": "playout_rounds",
        "leaves": "random_move_share",
    },
    "ExitSettings": {
        "seats": "seat_agents",
        "heat": "policy_temperature",
        "temperature": "target_temperature",
        "keep": "window",
    },
    "PpoSettings": {
        "envs": "n_envs",
        "steps": "n_steps",
        "epochs": "n_epochs",
        "minibatch": "batch_size",
        "rate": "learning_rate",
        "trace": "gae_lambda",
        "clip": "clip_range",
        "entropy": "ent_coef",
        "value": "vf_coef",
        "snapshot": "snapshot_interval",
        "snapshots": "max_snapshots",
        "priority": "pfsp_exponent",
        "least": "min_opponent_weight",
        "evaluation": "eval_interval",
        "evaluation_units": "eval_pairs",
        "evaluate": "eval_opponents",
    },
    "TurnPpoSettings": {"decay": "weight_decay"},
}


def former_names(kind: type) -> dict[str, str]:
    """Return a dict from former names to present names for the settings of a class."""
    return {former: name for each in kind.__mro__ for former, name in _FORMER.get(each.__name__, {}).items()}


def present_settings(kind: type, data: Any) -> Any:
    """Return settings as plain data, after replacing the setting names of older versions by the present names.

    Args:
        kind: the dataclass of the settings.
        data: the content of a settings file in a run folder.
    """
    if not isinstance(data, dict):
        return data
    former, hints = former_names(kind), typing.get_type_hints(kind)
    found = {}
    for key, value in data.items():
        name = str(former.get(key, key))
        hint = hints.get(name)
        inner: Any = next(filter(dataclasses.is_dataclass, (hint, *typing.get_args(hint))), None)
        if inner is None:
            found[name] = value
        elif isinstance(value, list):
            found[name] = [present_settings(inner, each) for each in value]
        else:
            found[name] = present_settings(inner, value)
    return found
