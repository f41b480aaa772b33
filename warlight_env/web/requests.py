"""The bodies of requests, every field with its bounds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=32)]
Region = Annotated[int, Field(ge=0, le=999, strict=True)]
Armies = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Rounds = Annotated[int, Field(ge=0, le=1_000_000, strict=True)]


class Body(BaseModel):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class NewPlayer(Body):
    """A person by name, or a bot out of those that the server offers. friend: a person who is invited."""

    name: Name | None = None
    bot: Annotated[str, StringConstraints(max_length=200)] | None = None
    friend: bool = False


class NewGame(Body):
    """A game to be made."""

    players: Annotated[list[NewPlayer], Field(min_length=2, max_length=6)]
    map: Annotated[str, StringConstraints(max_length=64)] = "world"
    regions: Annotated[int, Field(ge=3, le=400)] = 42  # of a generated map
    rules: Annotated[str, StringConstraints(max_length=32)] = "thesis"
    fog: bool = False
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    picks: Literal["choose", "random"] = "choose"
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = 0.8
    clock: Annotated[int, Field(ge=2, le=7 * 86400, strict=True)] | None = None  # seconds of people for a turn


class PicksBody(Body):
    """Wishes, best first."""

    wishes: Annotated[list[Region], Field(max_length=1000)]


class OrdersBody(Body):
    """A turn: the number of its round, deploys and attacks, and how much help was taken."""

    round: Rounds
    deploys: Annotated[list[tuple[Region, Armies]], Field(max_length=2000)]
    attacks: Annotated[list[tuple[Region, Region, Armies]], Field(max_length=2000)]
    hint: Literal["off", "coach", "full"] = "off"


class NameBody(Body):
    """What a game is to be called; '': nothing."""

    name: Annotated[str, StringConstraints(max_length=60)]


class DrawBody(Body):
    """Whether a player agrees on a draw as things stand."""

    agree: bool


class ControlBody(Body):
    """How a game between bots runs."""

    paused: bool | None = None
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] | None = None


class InsightBody(Body):
    """A position to be thought about: this one, or one of the log; as a player sees it."""

    bot: Annotated[str, StringConstraints(max_length=200)]
    round: Rounds | None = None
    seat: Annotated[int, Field(ge=0, le=5)] | None = None


class BranchBody(Body):
    """Play on from a round of a game that is over, or between bots."""

    round: Rounds
    players: Annotated[list[NewPlayer], Field(min_length=2, max_length=6)]


class Hello(Body):
    """A socket's first message. token: of the seat; key: of the server; after: number of the last event it has."""

    token: Annotated[str, StringConstraints(max_length=64)]
    key: Annotated[str, StringConstraints(max_length=128)] = ""
    after: Annotated[int, Field(ge=-1, le=10_000_000, strict=True)] = -1
