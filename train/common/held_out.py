"""Games that fits do not see."""

from __future__ import annotations

from typing import Final

#: Each so many games one is kept out of fits.
HELD_OUT: Final = 10
