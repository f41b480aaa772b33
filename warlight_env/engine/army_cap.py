"""The maximum number of armies on a region.

The module is separate, so that the text protocol can import the number without Numba.
"""

from __future__ import annotations

from typing import Final

#: The maximum number of armies on a region; armies above it are lost. Games stay far below it, and no sum overflows.
ARMY_CAP: Final = 2_000_000
