"""Conversion of the thesis's budgets in seconds to budgets in simulations.

The thesis measured medians at two budgets: 457 simulations in 10 seconds (table 3.3), and 1272 in 15 seconds (table
3.10, one thread), at other positions than in table 3.3. For 10 and 15 seconds, this module uses the measured medians
without change. All other budgets follow from the rate of table 3.3, 45.7 simulations per second: 91 simulations for 2
seconds, 228 for 5 seconds and 914 for 20 seconds. Tables 3.7 and 3.8 compare two budgets; with one rate, their
simulations have the same ratio as their seconds. (The rate of table 3.10 would give 1696 simulations for 20 seconds.
1696 is 7.4 times 228, but the ratio of the seconds in table 3.8 is 4.) With several threads, each thread has its own
tree, with the number of simulations per tree of table 3.10.
"""

from __future__ import annotations

from typing import Final

#: Medians in the thesis: simulations per tree, by seconds and threads.
MEASURED: Final = {(10.0, 1): 457, (15.0, 1): 1272, (15.0, 2): 1096, (15.0, 4): 836}

#: Simulations per second in table 3.3.
RATE: Final = 45.7


def simulations(seconds: float, threads: int = 1) -> int:
    """Return the number of simulations per tree that the thesis's program makes in this time; see the module."""
    if (seconds, threads) in MEASURED:
        return MEASURED[seconds, threads]
    if threads != 1:
        raise ValueError(f"the thesis has no measurement of {seconds:g} seconds in {threads} threads")
    return int(RATE * seconds)
