"""Colours and badge shapes that viewers with colour blindness can also distinguish.

The shapes distinguish all players, so no viewer needs the colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warlight_env.arguments import is_integer, short_repr
from warlight_env.errors import InputError

BadgeShape = Literal["circle", "square", "diamond", "triangle", "wedge", "star"]

MAX_PLAYERS = 6

BACKGROUND = "#0f181f"  # background of header and footer
SEA = "#16222b"
TEXT = "#e6edf1"
MUTED = "#9fb3bf"
SEA_LINK = "#7d95a3"
FOG = "#3a4954"
FOG_LINE = "#2b3842"
HIGHLIGHT = "#ffffff"

#: For each player: the shape behind the number of armies in pictures, and the same shape as a character for text.
SHAPES: tuple[BadgeShape, ...] = ("circle", "square", "diamond", "triangle", "wedge", "star")
SYMBOLS = ("●", "■", "◆", "▲", "▼", "★")
NEUTRAL_SYMBOL, UNKNOWN_SYMBOL = "·", "?"

#: The colours of the outlines of super regions. Neighbouring super regions have different colours.
OUTLINES = ("#e9b93c", "#3fb8a0", "#b39cf0", "#f08070", "#8fd14f", "#f492c4", "#6fb7ff", "#d8cfc0")


@dataclass(frozen=True)
class Theme:
    """The colours of the players' regions and of neutral regions in a picture."""

    players: tuple[str, ...]
    neutral: str

    def fill(self, owner: int) -> str:
        """Return the colour of a player's region, or of a neutral region if `owner` is -1."""
        return self.players[owner] if owner >= 0 else self.neutral

    def dark(self, owner: int) -> str:
        """Return a darker colour of a player, for badges. White text on the returned colour is readable."""
        return mix(self.fill(owner), "#000000", 0.62)

    def light(self, owner: int) -> str:
        """Return a lighter colour of a player, for arrows and deployed armies.

        The returned colour differs from the colour of the player's regions, and dark text on the returned colour is
        readable.
        """
        return mix(self.fill(owner), "#ffffff", 0.6)


class RenderError(InputError):
    """An argument of a drawing function is not valid."""


_TWO = Theme(("#0072b2", "#d55e00"), "#e9e6dd")
_FOUR = Theme(("#0072b2", "#f0e442", "#a63d00", "#88ccee"), "#8f8b80")
_FIVE = Theme((*_FOUR.players, "#dd8877"), "#776666")
_SIX = Theme(("#0072b2", "#ddee00", "#883300", "#99ddbb", "#eeaaee", "#889944"), "#776666")


def theme(players: int) -> Theme:
    """Return the colours for a number of players, 1 to 6.

    The difference (CIEDE2000) between any two of the returned colours, or between a returned colour and the sea, is at
    least 28 for two players, 23 for three and four players, and 20 for five and six players. For viewers with protan,
    deutan or tritan colour blindness, the differences between the colours have the same minimum values.
    """
    if not is_integer(players) or not 1 <= players <= MAX_PLAYERS:
        raise RenderError(f"players = {short_repr(players)}: there are colours for 1 to {MAX_PLAYERS}")
    base = _TWO if players <= 2 else _FOUR if players <= 4 else _FIVE if players == 5 else _SIX
    return Theme(base.players[:players], base.neutral)


def rgb(colour: str) -> tuple[int, int, int]:
    """Convert a colour ``"#rrggbb"`` to red, green and blue from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(colour: str, other: str, share: float) -> str:
    """Return a mixture of two colours: the part `share` (0 to 1) of `other`, and the rest of `colour`."""
    parts = (round(a + (b - a) * share) for a, b in zip(rgb(colour), rgb(other), strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour as WCAG 2 defines it, 0 to 1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, other: str) -> float:
    """Return the contrast ratio of two colours as WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def text_colour(ground: str) -> str:
    """Return black or white for text on a background: the colour with the higher contrast."""
    return max("#0b1217", "#ffffff", key=lambda colour: contrast(colour, ground))
