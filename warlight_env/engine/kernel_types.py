"""Types of kernel arguments, by name: numbers, and arrays with their shapes.

N is the number of regions, E of directed borders, P of players. These names in a kernel's signature describe its inputs
and outputs. Records (`Position`, `Scratch`, …) document their own arrays.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

#: Numbers: Python's and NumPy's, because kernels compute with both. A type checker refuses a `Real` as an `Int`, and an
#: array as a number. It accepts elements of arrays as any of the three. A local variable that starts with a constant
#: and takes such a number later is declared: `total: Int = np.int64(0)`.
Int: TypeAlias = int | np.integer[Any]
Real: TypeAlias = float | np.floating[Any]
Bool: TypeAlias = bool | np.bool_

#: int8[N]: by region a player, NEUTRAL or UNKNOWN.
Owners: TypeAlias = npt.NDArray[np.int8]
#: int8[N]: by region (or player), 0 or a code.
Marks: TypeAlias = npt.NDArray[np.int8]
#: int32[N]: armies by region.
Armies: TypeAlias = npt.NDArray[np.int32]
#: int64[N]: armies by region without an order.
FreeArmies: TypeAlias = npt.NDArray[np.int64]
#: int32[A, 3] of (from, to, armies), A ≥ the number of orders.
AttackRows: TypeAlias = npt.NDArray[np.int32]
#: integers, a list of regions.
Regions: TypeAlias = npt.NDArray[np.integer[Any]]
#: float64[N] by region.
RegionValues: TypeAlias = npt.NDArray[np.float64]
#: float64[P] by player.
Shares: TypeAlias = npt.NDArray[np.float64]
#: int64[P] by player.
PlayerNumbers: TypeAlias = npt.NDArray[np.int64]
#: uint64[2]: the state of a random generator.
RandomState: TypeAlias = npt.NDArray[np.uint64]
#: int64[K]: a kernel row of an action.
ActionRow: TypeAlias = npt.NDArray[np.int64]
#: int64[1 + K]: decisions instead of dice, see `dice.scripted_below`, or None: dice. Each has its own compiled kernels.
Script: TypeAlias = Any
#: int32[M, EVENT_COLUMNS], filled during the execution of orders, or None: no record.
Events: TypeAlias = Any
