"""Settings of small runs of value networks, and files of value networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from warlight_env.agents.records.value_record import make_network, value_file
from warlight_env.output import save_file
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.value.settings import ValueSettings

TINY = ValueSettings(
    iterations=2, games=2, player="nash:16,value=current,candidates=6,rounds=2",
    opponents=("aggressive", "aggressive", "nash:10,value=current,rounds=2"), maps=("small", "generated:12:3"),
    rules=("thesis",), players=(0.6, 0.4), max_rounds=60, labels=10, label_simulations=16, candidates=6, steps=10,
    batch_size=16, gate_pairs=1, gate_threshold=0.0, holdout_pairs=1, holdout=("random",),
    conditions=Conditions("small", max_rounds=60),
)  # fmt: skip


def save_value(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write the arrays of a value network with all input features to a file for `load_value`."""
    save_file(path, value_file(make_network(arrays)))
