"""What is on disk of a game besides its log: who sits where, the tokens, its name; readable by its owner alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from warlight_env.web.gate import same

SEATS: Final = ".seats.json"


@dataclass(frozen=True)
class KeptGame:
    """See the module.

    seats: name, bot's spec (None: a person) and token of each. watch: token of those who watch bots; None: people play.
    pace, paused: how a game between bots runs. name: that somebody gave it; '': none.
    """

    seats: list[tuple[str, str | None, str]]
    watch: str | None
    pace: float
    paused: bool = False
    name: str = ""

    @classmethod
    def of(cls, data: Any) -> KeptGame:
        """From plain data; one of `NOT_OURS` where it is of something else."""
        rows, watch, pace, paused = data["seats"], data["watch"], data["pace"], data.get("paused", False)
        title = data.get("name", "")
        seats = [(name, spec, token) for name, spec, token in rows]
        texts = [text for name, _, token in seats for text in (name, token)] + [title]
        texts += [text for text in (watch, *(spec for _, spec, _ in seats)) if text is not None]
        if not all(isinstance(text, str) for text in texts) or type(paused) is not bool or not 0 <= pace < 1e9:
            raise ValueError("not of a game")
        return cls(seats, watch, pace, paused, title)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        rows = [list(seat) for seat in self.seats]
        return {"seats": rows, "watch": self.watch, "pace": self.pace, "paused": self.paused, "name": self.name}

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, (_, spec, _) in enumerate(self.seats) if spec is None]

    def knows(self, token: str) -> bool:
        """Whether it is one of the game's tokens."""
        tokens = [own for _, spec, own in self.seats if spec is None] + [self.watch or ""]
        return any(same(known, token) for known in tokens if known)
