"""Interfaces of objects that describe the faults in an agent's answers, such as malformed or late turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Fault(Protocol):
    """One fault; its text contains the cause and the time."""

    @property
    def lost(self) -> bool:
        """Whether the game ignored the answer because of the fault; otherwise the game used the faulty answer."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the fault as plain data for JSON."""
        ...


class Faults(Protocol):
    """A sequence of an agent's faults in a game. Some faults may be missing, but `total` and `lost` count all."""

    @property
    def total(self) -> int:
        """The number of all faults, including faults that are not stored."""
        ...

    @property
    def lost(self) -> int:
        """The number of faults after which the game could not use the answer."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of all faults of each kind: "late", "missing", "unreadable" or "other"."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Sequence[Fault]: ...
