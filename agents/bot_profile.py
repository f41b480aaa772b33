"""Profiles of bots: the name, level, face and description with which the page and the command line show a bot."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final, Literal, get_args, get_type_hints

from warlight_env.arguments import check_choice, short_repr
from warlight_env.errors import InputError

#: The possible levels: each word describes the strength of a bot. The page's leaderboard has measured ratings.
Level = Literal["easy", "medium", "hard"]

Ground = Literal["slate", "violet", "brown", "green", "olive", "navy"]
Skin = Literal["yellow", "orange", "mint", "blue", "purple", "pink", "lime", "tan", "steel", "grey"]
Head = Literal["round", "block", "tall", "wide", "gem", "drop"]
Top = Literal[
    "none", "antenna", "horns", "ears", "crown", "leaf", "tuft", "helmet", "cap", "halo", "bun", "hat"
]  # fmt: skip
Eyes = Literal["dots", "open", "apart", "sleepy", "angry", "visor", "one", "glasses", "veil"]
Mouth = Literal["smile", "grin", "flat", "smirk", "oh", "fangs", "grid", "beard"]

#: The largest number of characters in the name of a profile. The page shows this name as a player's name.
MAX_NAME: Final = 32


class ProfileError(InputError):
    """Error for a profile or a face with a value that is not possible."""


@dataclass(frozen=True)
class Face:
    """The face of a bot, as the names of the colours and shapes that the page draws.

    Attributes:
        ground, skin: colours of the background and of the head.
        head, top, eyes, mouth: shapes.

    Raises:
        ProfileError: there is no colour or shape with one of the names.
    """

    ground: Ground
    skin: Skin
    head: Head
    top: Top
    eyes: Eyes
    mouth: Mouth

    def __post_init__(self) -> None:
        for field, hint in get_type_hints(Face).items():
            check_choice(getattr(self, field), f"face: {field}", get_args(hint), ProfileError)


@dataclass(frozen=True)
class BotProfile:
    """The name, level, face and description that people see of a bot.

    Attributes:
        name: 1 to 32 printable characters.
        face: a face, or None for a face that the page derives from the specification.
        description: one sentence, or an empty string to show the agent's summary instead.

    Raises:
        ProfileError: a value is not allowed.
    """

    name: str
    level: Level | None = None
    face: Face | None = None
    description: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isprintable() or not 1 <= len(self.name) <= MAX_NAME:
            raise ProfileError(
                f"profile: name = {short_repr(self.name)}: must be a string of 1 to {MAX_NAME} printable characters"
            )
        label = f"profile {self.name!r}"
        if self.level is not None and self.level not in get_args(Level):
            raise ProfileError(
                f"{label}: level = {short_repr(self.level)}: must be one of {', '.join(get_args(Level))}, or None"
            )
        if self.face is not None and not isinstance(self.face, Face):
            raise ProfileError(f"{label}: face = {short_repr(self.face)}: must be a Face or None")
        if not isinstance(self.description, str) or not self.description.isprintable():
            raise ProfileError(
                f"{label}: description = {short_repr(self.description)}: must be a string of printable characters"
            )

    def described(self, summary: str) -> BotProfile:
        """Return the profile with a description: its own, or else the summary of the agent."""
        return self if self.description else dataclasses.replace(self, description=summary)
