"""The most armies on a region, by itself: our side of the protocol reads it without loading a compiler."""

from __future__ import annotations

from typing import Final

#: The most armies on a region; what comes on top is lost. Far beyond what games reach, it keeps all sums in range.
ARMY_CAP: Final = 2_000_000
