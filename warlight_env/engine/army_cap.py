"""The maximum number of armies on a region; a separate module, so that the protocol needs no compiler."""

from __future__ import annotations

from typing import Final

#: The maximum number of armies on a region; more are lost. Games stay far below it, and all sums stay in range.
ARMY_CAP: Final = 2_000_000
