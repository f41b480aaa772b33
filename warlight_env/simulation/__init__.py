"""`simulate`: the results of many turns under many dice, on the CPU or on a GPU.

`rounds` checks the arguments, `scenarios` has the kernels, and `gpu` runs these kernels with one thread for each
result. Users import this package.
"""

from __future__ import annotations

from warlight_env.simulation.rounds import Outcomes, TensorOutcomes, simulate

__all__ = ["Outcomes", "TensorOutcomes", "simulate"]
