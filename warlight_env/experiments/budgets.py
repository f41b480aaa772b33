"""The thesis's seconds as numbers of simulations.

The thesis measured medians at two budgets: 457 simulations in 10 seconds (table 3.3) and 1272 in 15 seconds (table
3.10, one thread), with other positions; these are taken as they are. Its other budgets follow from table 3.3's
rate of 45.7 a second: 91 for 2 seconds, 228 for 5 and 914 for 20. So the tables 3.7 and 3.8, which set one budget
against another, keep the ratios of their seconds. (From table 3.10's rate, 20 seconds would be 1696; set against
228 that would be 7.4 times as much, and not the 4 times of table 3.8.) Of several threads each grows its tree by
what table 3.10 measured per tree.
"""

from __future__ import annotations

from typing import Final

#: Medians that the thesis gives: by seconds and threads, simulations per tree.
MEASURED: Final = {(10.0, 1): 457, (15.0, 1): 1272, (15.0, 2): 1096, (15.0, 4): 836}

#: Simulations a second of table 3.3.
RATE: Final = 45.7


def simulations(seconds: float, threads: int = 1) -> int:
    """Simulations per tree that the thesis's program made in so many seconds; see above."""
    if (seconds, threads) in MEASURED:
        return MEASURED[seconds, threads]
    if threads != 1:
        raise ValueError(f"the thesis measured no {seconds:g} seconds in {threads} threads")
    return int(RATE * seconds)
