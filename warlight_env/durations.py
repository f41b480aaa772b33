"""Functions that read an agent's budget per move: a time such as ``1.5s``, or simulations such as ``457sims``."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)(ms|s|m|h)")
_SIMULATIONS: Final = re.compile(r"([0-9]{1,18})(?:sims)?")


def read_seconds(text: str) -> float | None:
    """Return the number of seconds of a text such as ``1.5s``, ``500ms``, ``2m`` or ``1h``; None for any other text."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    # Divide by 1000 instead of multiplying by 0.001, so that 100ms is equal to the Python number 0.1.
    return float(match[1]) / 1000 if match[2] == "ms" else float(match[1]) * _UNITS[match[2]]


def read_simulations(text: str) -> int | None:
    """Return the number of simulations of a text such as ``457`` or ``457sims``; None for any other text."""
    match = _SIMULATIONS.fullmatch(text)
    return None if match is None else int(match[1])
