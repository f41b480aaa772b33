"""Records of faults in an agent's answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Fault(Protocol):
    """One fault; its text contains the cause and the time."""

    @property
    def lost(self) -> bool:
        """Whether the answer was lost. Otherwise it was only corrected."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the fault as plain data for JSON."""
        ...


class Faults(Protocol):
    """The faults of a game in order, or only the first ones; `total` and `lost` count all faults."""

    @property
    def total(self) -> int:
        """The number of all faults, stored or not."""
        ...

    @property
    def lost(self) -> int:
        """The number of faults that lost an answer."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Sequence[Fault]: ...
