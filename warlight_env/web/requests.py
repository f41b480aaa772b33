"""The bodies of requests; every field has limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=32)]
Region = Annotated[int, Field(ge=0, le=999, strict=True)]
Armies = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Rounds = Annotated[int, Field(ge=0, le=1_000_000, strict=True)]


class Body(BaseModel):
    """A body that accepts no unknown fields."""

    model_config = ConfigDict(extra="forbid")


class NewPlayer(Body):
    """A person, given by name, or one of the bots that the server offers. friend: the person is an invited friend."""

    name: Name | None = None
    bot: Annotated[str, StringConstraints(max_length=200)] | None = None
    friend: bool = False


class NewGame(Body):
    """The settings of a new game."""

    players: Annotated[list[NewPlayer], Field(min_length=2, max_length=6)]
    map: Annotated[str, StringConstraints(max_length=64)] = "world"
    regions: Annotated[int, Field(ge=3, le=400)] = 42  # of a generated map only
    rules: Annotated[str, StringConstraints(max_length=32)] = "thesis"
    fog: bool = False
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    picks: Literal["choose", "random"] = "choose"
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = 0.8
    clock: Annotated[int, Field(ge=2, le=7 * 86400, strict=True)] | None = None  # seconds that a person has for a turn


class PicksBody(Body):
    """The list of preferred regions, the best first."""

    wishes: Annotated[list[Region], Field(max_length=1000)]


class OrdersBody(Body):
    """A turn: the number of its round, deploys, attacks, and the level of help that the player used."""

    round: Rounds
    deploys: Annotated[list[tuple[Region, Armies]], Field(max_length=2000)]
    attacks: Annotated[list[tuple[Region, Region, Armies]], Field(max_length=2000)]
    hint: Literal["off", "coach", "full"] = "off"


class NameBody(Body):
    """The name for a game; '': no name."""

    name: Annotated[str, StringConstraints(max_length=60)]


class DrawBody(Body):
    """Whether a player agrees to a draw in the current position."""

    agree: bool


class ControlBody(Body):
    """Speed and pause of a game between bots."""

    paused: bool | None = None
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] | None = None


class AnalysisBody(Body):
    """A question to a bot about the current position or a position of the log, as one player sees it."""

    bot: Annotated[str, StringConstraints(max_length=200)]
    round: Rounds | None = None
    seat: Annotated[int, Field(ge=0, le=5)] | None = None


class BranchBody(Body):
    """A request for a new game from a round of a finished game or of a game between bots."""

    round: Rounds
    players: Annotated[list[NewPlayer], Field(min_length=2, max_length=6)]


class Hello(Body):
    """A socket's first message. token: of the seat; key: of the server; after: number of the last event it received."""

    token: Annotated[str, StringConstraints(max_length=64)]
    key: Annotated[str, StringConstraints(max_length=128)] = ""
    after: Annotated[int, Field(ge=-1, le=10_000_000, strict=True)] = -1
