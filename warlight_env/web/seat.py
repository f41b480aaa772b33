"""Who plays on a seat of a game on the server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Seat:
    """Who plays on a seat: a person (spec None) or a bot."""

    name: str
    spec: str | None
    token: str
    spent: float = 0.0  #: seconds of thought
    last: float = 0.0
    since: float | None = None  #: when it began to think
    friend: bool = False  #: a person who was invited, and has a screen of its own
