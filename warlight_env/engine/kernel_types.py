"""Names for the types of kernel arguments: numbers, and arrays with their shapes.

N is the number of regions, E the number of directed borders, P the number of players. The names in the signature of a
kernel describe its inputs and outputs. NamedTuples (`Position`, `Scratch`, …) document their own arrays.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

#: Each type allows numbers of Python and of NumPy, because kernels compute with both. A type checker rejects a `Real`
#: as an `Int`, and an array as a number. A type checker accepts an element of an array as `Int`, `Real` or `Bool`. A
#: local variable that begins as a constant and gets an element of an array later needs a declared type:
#: `total: Int = np.int64(0)`.
Int: TypeAlias = int | np.integer[Any]
Real: TypeAlias = float | np.floating[Any]
Bool: TypeAlias = bool | np.bool_

#: int8[N]: the owner of each region: a player, NEUTRAL or UNKNOWN.
Owners: TypeAlias = npt.NDArray[np.int8]
#: int8[N]: for each region (or player), 0 or a code that the kernel defines.
Marks: TypeAlias = npt.NDArray[np.int8]
#: int32[N]: armies of each region.
Armies: TypeAlias = npt.NDArray[np.int32]
#: int64[N]: for each region, the armies that no order of the turn uses.
FreeArmies: TypeAlias = npt.NDArray[np.int64]
#: int32[A, 3] of (from, to, armies), A ≥ the number of orders.
AttackRows: TypeAlias = npt.NDArray[np.int32]
#: Integers: a list of regions.
Regions: TypeAlias = npt.NDArray[np.integer[Any]]
#: float64[N]: a number for each region.
RegionValues: TypeAlias = npt.NDArray[np.float64]
#: float64[P]: for each player, a number in 0 .. 1 such as a win probability.
Shares: TypeAlias = npt.NDArray[np.float64]
#: int64[P]: an integer for each player.
PlayerNumbers: TypeAlias = npt.NDArray[np.int64]
#: uint64[2]: the state of a random generator.
RandomState: TypeAlias = npt.NDArray[np.uint64]
#: int64[K]: one action as a row of integers.
ActionRow: TypeAlias = npt.NDArray[np.int64]
#: int64[1 + K]: decisions that replace random numbers, see `dice.scripted_below`; None: random numbers are drawn.
Script: TypeAlias = Any
#: int32[M, EVENT_COLUMNS], filled during the execution of orders; None: events are not stored.
Events: TypeAlias = Any
