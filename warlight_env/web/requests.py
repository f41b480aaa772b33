"""Models of the JSON bodies of HTTP requests. Every field has limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=32)]
Region = Annotated[int, Field(ge=0, le=999, strict=True)]
Armies = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
Seconds = Annotated[float, Field(ge=0.05, le=10, allow_inf_nan=False)]
Rounds = Annotated[int, Field(ge=0, le=1_000_000, strict=True)]


class Body(BaseModel):
    """The base class of request bodies, which accepts no unknown fields."""

    model_config = ConfigDict(extra="forbid")


class NewPlayer(Body):
    """A player of a new game: a person with a name, or a bot of the server.

    Attributes:
        friend: whether the person is invited by a link.
    """

    name: Name | None = None
    bot: Annotated[str, StringConstraints(max_length=200)] | None = None
    friend: bool = False


class NewGame(Body):
    """The settings of a new game."""

    players: Annotated[list[NewPlayer], Field(min_length=2, max_length=6)]
    map: Annotated[str, StringConstraints(max_length=64)] = "world"
    regions: Annotated[int, Field(ge=3, le=400)] = 42  # only for a generated map
    rules: Annotated[str, StringConstraints(max_length=32)] = "thesis"
    fog: bool = False
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    picks: Literal["choose", "random"] = "choose"
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = 0.8
    clock: Annotated[int, Field(ge=2, le=7 * 86400, strict=True)] | None = None  # seconds that a person has for a turn


class PicksBody(Body):
    """A player's list of preferred start regions, best first."""

    wishes: Annotated[list[Region], Field(max_length=1000)]


class OrdersBody(Body):
    """A player's orders for a round: the round, deploys, attacks, and the level of help that the player used."""

    round: Rounds
    deploys: Annotated[list[tuple[Region, Armies]], Field(max_length=2000)]
    attacks: Annotated[list[tuple[Region, Region, Armies]], Field(max_length=2000)]
    hint: Literal["off", "coach", "full"] = "off"


class NameBody(Body):
    """The new name of a game; an empty string removes the name."""

    name: Annotated[str, StringConstraints(max_length=60)]


class DrawBody(Body):
    """A message about whether a player agrees to a draw in the current position."""

    agree: bool


class ControlBody(Body):
    """A change of the speed of a game between bots, or a request to pause or continue it."""

    paused: bool | None = None
    pace: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] | None = None


class AnalysisBody(Body):
    """A request for a bot's turn in the current position of a player.

    Attributes:
        seconds: the time in which the bot searches the turn.
    """

    bot: Annotated[str, StringConstraints(max_length=200)]
    seconds: Seconds = 1.0


class LogAnalysisBody(Body):
    """A request for the analysis of a log.

    Attributes:
        seconds: the time in which the bot searches a turn.
        focus: the number of rounds before the displayed position.
        since: the version of the last answer that the client has received.
    """

    bot: Annotated[str, StringConstraints(max_length=200)]
    seconds: Seconds = 1.0
    focus: Rounds = 0
    since: Annotated[int, Field(ge=0, le=10**9, strict=True)] = 0


class PreparationBody(Body):
    """A request to load a bot for the analysis after the end of a game."""

    bot: Annotated[str, StringConstraints(max_length=200)]


Text = Annotated[str, StringConstraints(max_length=2000)]
Seat = Annotated[int, Field(ge=0, le=5, strict=True)]
Number = Annotated[int, Field(ge=1, le=2**53, strict=True)]


class TurnBody(Body):
    """A player's orders in a variation."""

    deploys: Annotated[list[tuple[Region, Armies]], Field(max_length=2000)] = []
    attacks: Annotated[list[tuple[Region, Region, Armies]], Field(max_length=2000)] = []


class TryBody(TurnBody):
    """A request to try a turn in a position of a game or a study.

    Attributes:
        parent: the number of the variation in whose position the turn is tried; None: the position of the game after
            `round` rounds.
        reply: the way in which the turns of the other players are chosen.
        bot, seconds: if `reply` is "believed", the bot that chooses the turns of the other players, and its time for a
            turn.
        others: if `reply` is "given", the turns of the other players, by player.
        seed: the seed of the dice; None: the server chooses the seed.
    """

    parent: Number | None = None
    round: Rounds
    seat: Seat
    reply: Literal["known", "believed", "given"]
    bot: Annotated[str, StringConstraints(max_length=200)] | None = None
    seconds: Seconds | None = None
    others: Annotated[list[TurnBody | None], Field(max_length=6)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**53, strict=True)] | None = None


class VariationNoteBody(Body):
    """A new name and comment of a variation, or with node None, of the position of the game after `round` rounds."""

    node: Number | None = None
    round: Rounds = 0
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)] = ""
    comment: Text = ""


class DeleteVariationBody(Body):
    """A request to delete a variation and all variations after it."""

    node: Number


class JudgeBody(TurnBody):
    """A request to judge a turn that the user would have played instead of the player's turn in a round."""

    round: Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
    seat: Seat
    bot: Annotated[str, StringConstraints(max_length=200)]
    seconds: Seconds = 1.0


class NewStudyBody(Body):
    """The settings of a new study.

    Attributes:
        owner, army: the owner and the number of armies of each region; None: a random start position.
        round: the number of rounds before the position.
    """

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)] = ""
    players: Annotated[list[Name], Field(min_length=2, max_length=6)]
    map: Annotated[str, StringConstraints(max_length=64)] = "world"
    regions: Annotated[int, Field(ge=3, le=400)] = 42  # only for a generated map
    rules: Annotated[str, StringConstraints(max_length=32)] = "thesis"
    fog: bool = False
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    owner: Annotated[list[Annotated[int, Field(ge=-1, le=5, strict=True)]], Field(max_length=1000)] | None = None
    army: Annotated[list[Armies], Field(max_length=1000)] | None = None
    round: Rounds = 0


class BranchBody(Body):
    """A request for a new game that starts from a round of a finished game, or of a game between bots."""

    round: Rounds
    players: Annotated[list[NewPlayer], Field(min_length=2, max_length=6)]


class Hello(Body):
    """The first message on a WebSocket.

    Attributes:
        token: the token of the seat.
        key: the token of the server.
        after: the number of the last event that the client has received.
    """

    token: Annotated[str, StringConstraints(max_length=64)]
    key: Annotated[str, StringConstraints(max_length=128)] = ""
    after: Annotated[int, Field(ge=-1, le=10_000_000, strict=True)] = -1
