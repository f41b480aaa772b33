"""The lines of both versions of the AI Challenge protocol as typed records.

Ids start at 1. Times are in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Challenge = Literal[1, 2]

#: Words for owners that are not players.
NEUTRAL_NAME: Final = "neutral"
UNKNOWN_NAME: Final = "unknown"
RESERVED_NAMES: Final = (NEUTRAL_NAME, UNKNOWN_NAME)

#: The competitions' limit of orders in an answer. Their engines accept one more, and so does this package.
MAX_ORDERS: Final = 50

Kind = Literal["place_armies", "attack/transfer"]
PLACE: Final = "place_armies"
ATTACK: Final = "attack/transfer"


# Engine to bot, before the game


@dataclass(frozen=True)
class YourBot:
    """``settings your_bot player1``"""

    name: str


@dataclass(frozen=True)
class OpponentBot:
    """``settings opponent_bot player2``"""

    name: str


@dataclass(frozen=True)
class Timebank:
    """``settings timebank 10000`` (challenge 2)"""

    milliseconds: int


@dataclass(frozen=True)
class TimePerMove:
    """``settings time_per_move 500`` (challenge 2)"""

    milliseconds: int


@dataclass(frozen=True)
class MaxRounds:
    """``settings max_rounds 105`` (challenge 2)"""

    rounds: int


@dataclass(frozen=True)
class SuperRegions:
    """``setup_map super_regions 1 5 2 2``: id and bonus of each."""

    bonuses: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Regions:
    """``setup_map regions 1 1 2 1``: id and super region of each."""

    super_regions: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Neighbors:
    """``setup_map neighbors 1 2,4 2 3``: id and neighbours, each border once."""

    lists: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Wastelands:
    """``setup_map wastelands 7 12`` (challenge 2); may be empty."""

    regions: tuple[int, ...]


@dataclass(frozen=True)
class StartingRegions:
    """``settings starting_regions 3 9``: the regions that can be picked (challenge 2)."""

    regions: tuple[int, ...]


@dataclass(frozen=True)
class StartingPickAmount:
    """``settings starting_pick_amount 3``: the number of regions for each player (challenge 2)."""

    amount: int


@dataclass(frozen=True)
class PickRegions:
    """``pick_starting_regions 2000 3 9``: asks for the preferred regions, the best first (challenge 1)."""

    milliseconds: int
    regions: tuple[int, ...]


@dataclass(frozen=True)
class PickRegion:
    """``pick_starting_region 10000 3 9``: asks for one of the remaining regions (challenge 2)."""

    milliseconds: int
    regions: tuple[int, ...]


@dataclass(frozen=True)
class OpponentStartingRegions:
    """``setup_map opponent_starting_regions 4 8`` (challenge 2)"""

    regions: tuple[int, ...]


# Engine to bot, each round


@dataclass(frozen=True)
class StartingArmies:
    """``settings starting_armies 7``: the number of armies to place in this round."""

    armies: int


@dataclass(frozen=True)
class UpdateMap:
    """``update_map 1 player1 3 2 neutral 2``: id, owner and army of every region in sight."""

    regions: tuple[tuple[int, str, int], ...]


@dataclass(frozen=True)
class PlaceOrder:
    """``player1 place_armies 3 4``: region and number of armies."""

    player: str
    region: int
    armies: int


@dataclass(frozen=True)
class MoveOrder:
    """``player1 attack/transfer 3 4 5``: from, to, armies."""

    player: str
    source: int
    target: int
    armies: int


@dataclass(frozen=True)
class OpponentMoves:
    """``opponent_moves player2 place_armies 5 3 player2 attack/transfer 5 6 4``: the opponent's visible last orders."""

    orders: tuple[PlaceOrder | MoveOrder, ...]


@dataclass(frozen=True)
class Go:
    """``go place_armies 10000`` or ``go attack/transfer 9500``: asks for orders."""

    kind: Kind
    milliseconds: int


@dataclass(frozen=True)
class Other:
    """A line that is not part of this protocol. Bots ignore it."""

    text: str


Message = (
    YourBot
    | OpponentBot
    | Timebank
    | TimePerMove
    | MaxRounds
    | SuperRegions
    | Regions
    | Neighbors
    | Wastelands
    | StartingRegions
    | StartingPickAmount
    | PickRegions
    | PickRegion
    | OpponentStartingRegions
    | StartingArmies
    | UpdateMap
    | OpponentMoves
    | Go
    | Other
)

#: The messages that need an answer.
Question = PickRegions | PickRegion | Go


# Bot to engine


@dataclass(frozen=True)
class PicksAnswer:
    """``3 9 14 20 31 40`` (challenge 1), or ``9`` (challenge 2)."""

    regions: tuple[int, ...]


@dataclass(frozen=True)
class PlaceOrders:
    """``player1 place_armies 3 4, player1 place_armies 9 1``, or ``No moves``."""

    orders: tuple[PlaceOrder, ...]


@dataclass(frozen=True)
class MoveOrders:
    """``player1 attack/transfer 3 4 5, player1 attack/transfer 9 10 3``, or ``No moves``."""

    orders: tuple[MoveOrder, ...]


Answer = PicksAnswer | PlaceOrders | MoveOrders
