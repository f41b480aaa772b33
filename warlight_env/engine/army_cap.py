"""The maximum number of armies on a region. In a separate module, so that the protocol need not load the compiler."""

from __future__ import annotations

from typing import Final

#: The maximum number of armies on a region; armies above it are lost. Games stay far below it, and no sum overflows.
ARMY_CAP: Final = 2_000_000
