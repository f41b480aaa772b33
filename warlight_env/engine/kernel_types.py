"""Names for the types of kernel arguments: numbers, and arrays with their shapes.

N is the number of regions, E the number of directed borders, P the number of players. These names in a kernel's
signature describe its inputs and outputs. Records (`Position`, `Scratch`, …) document their own arrays.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

#: Numbers: Python's and NumPy's, because kernels compute with both. A type checker rejects a `Real` as an `Int`, and an
#: array as a number. It accepts elements of arrays as any of the three types. Declare a local variable that begins as
#: a constant and gets such a number later: `total: Int = np.int64(0)`.
Int: TypeAlias = int | np.integer[Any]
Real: TypeAlias = float | np.floating[Any]
Bool: TypeAlias = bool | np.bool_

#: int8[N]: for each region a player, NEUTRAL or UNKNOWN.
Owners: TypeAlias = npt.NDArray[np.int8]
#: int8[N]: for each region (or player), 0 or a code.
Marks: TypeAlias = npt.NDArray[np.int8]
#: int32[N]: armies of each region.
Armies: TypeAlias = npt.NDArray[np.int32]
#: int64[N]: for each region, the armies without an order.
FreeArmies: TypeAlias = npt.NDArray[np.int64]
#: int32[A, 3] of (from, to, armies), A ≥ the number of orders.
AttackRows: TypeAlias = npt.NDArray[np.int32]
#: integers, a list of regions.
Regions: TypeAlias = npt.NDArray[np.integer[Any]]
#: float64[N]: a number for each region.
RegionValues: TypeAlias = npt.NDArray[np.float64]
#: float64[P]: a share for each player.
Shares: TypeAlias = npt.NDArray[np.float64]
#: int64[P]: a number for each player.
PlayerNumbers: TypeAlias = npt.NDArray[np.int64]
#: uint64[2]: the state of a random generator.
RandomState: TypeAlias = npt.NDArray[np.uint64]
#: int64[K]: a kernel row of an action.
ActionRow: TypeAlias = npt.NDArray[np.int64]
#: int64[1 + K]: decisions instead of dice, see `dice.scripted_below`; None: dice. Kernels are compiled for each case.
Script: TypeAlias = Any
#: int32[M, EVENT_COLUMNS], filled during the execution of orders; None: events are not stored.
Events: TypeAlias = Any
