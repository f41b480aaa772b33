"""What a move may cost, as text: ``1.5s``, ``500ms``, ``2m``; ``457``, ``457sims``."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)(ms|s|m|h)")
_SIMULATIONS: Final = re.compile(r"([0-9]{1,18})(?:sims)?")


def read_seconds(text: str) -> float | None:
    """The seconds that a duration stands for, None where the text is none: a number needs its unit."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    # Divided, not multiplied by a thousandth: 100ms is 0.1 s exactly as Python reads it.
    return float(found[1]) / 1000 if found[2] == "ms" else float(found[1]) * _UNITS[found[2]]


def read_simulations(text: str) -> int | None:
    """The simulations that a whole number stands for, with or without ``sims``; None where the text is none."""
    found = _SIMULATIONS.fullmatch(text)
    return None if found is None else int(found[1])
