"""What an agent tells of answers of its own that went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Fault(Protocol):
    """One thing that went wrong; as text it says what and when."""

    @property
    def lost(self) -> bool:
        """Whether the answer was lost; else it was only taken kindly."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        ...


class Faults(Protocol):
    """The faults of a game in order, or the first of them; `total` and `lost` count all."""

    @property
    def total(self) -> int:
        """All faults, those included that are not kept."""
        ...

    @property
    def lost(self) -> int:
        """Those of them that lost an answer."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Sequence[Fault]: ...
