"""A dataclass for each type of line in the text protocol of the Warlight AI Challenges, versions 1 and 2.

The docstring of each dataclass begins with an example of its line. The ids of regions and super regions start at 1.
Times are in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Challenge = Literal[1, 2]

#: The words in ``update_map`` for a region that no player owns, and for a region with an unknown owner.
NEUTRAL_NAME: Final = "neutral"
UNKNOWN_NAME: Final = "unknown"
RESERVED_NAMES: Final = (NEUTRAL_NAME, UNKNOWN_NAME)

#: The documented limit of orders in an answer. The game engines of the AI Challenges and this package accept one more
#: order.
MAX_ORDERS: Final = 50

Kind = Literal["place_armies", "attack/transfer"]
PLACE: Final = "place_armies"
ATTACK: Final = "attack/transfer"


# From the game engine to the bot, before the game


@dataclass(frozen=True)
class YourBot:
    """``settings your_bot player1``: the bot's name."""

    name: str


@dataclass(frozen=True)
class OpponentBot:
    """``settings opponent_bot player2``: the opponent's name."""

    name: str


@dataclass(frozen=True)
class Timebank:
    """``settings timebank 10000``: the time bank at the start, which is also its maximum (challenge 2)."""

    milliseconds: int


@dataclass(frozen=True)
class TimePerMove:
    """``settings time_per_move 500``: the time that each answer adds to the time bank (challenge 2)."""

    milliseconds: int


@dataclass(frozen=True)
class MaxRounds:
    """``settings max_rounds 105``: the number of rounds after which the game is a draw (challenge 2)."""

    rounds: int


@dataclass(frozen=True)
class SuperRegions:
    """``setup_map super_regions 1 5 2 2``: the id and the bonus of each super region."""

    bonuses: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Regions:
    """``setup_map regions 1 1 2 1``: the id and the super region of each region."""

    super_regions: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Neighbors:
    """``setup_map neighbors 1 2,4 2 3``: ids of regions and lists of neighbours. Each border appears only once."""

    lists: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Wastelands:
    """``setup_map wastelands 7 12``: neutral regions with more armies; there may be none (challenge 2)."""

    regions: tuple[int, ...]


@dataclass(frozen=True)
class StartingRegions:
    """``settings starting_regions 3 9``: all regions that the players may pick (challenge 2)."""

    regions: tuple[int, ...]


@dataclass(frozen=True)
class StartingPickAmount:
    """``settings starting_pick_amount 3``: the number of regions that each player picks (challenge 2)."""

    amount: int


@dataclass(frozen=True)
class PickRegions:
    """``pick_starting_regions 2000 3 9``: asks for a list of preferred regions, best first (challenge 1).

    The first number is the time for the answer; the ids of the offered regions follow.
    """

    milliseconds: int
    regions: tuple[int, ...]


@dataclass(frozen=True)
class PickRegion:
    """``pick_starting_region 10000 3 9``: asks for one region to pick (challenge 2).

    The first number is the time for the answer; the ids of the regions that are still free follow.
    """

    milliseconds: int
    regions: tuple[int, ...]


@dataclass(frozen=True)
class OpponentStartingRegions:
    """``setup_map opponent_starting_regions 4 8``: the regions that the opponent picked (challenge 2)."""

    regions: tuple[int, ...]


# From the game engine to the bot, in each round


@dataclass(frozen=True)
class StartingArmies:
    """``settings starting_armies 7``: the number of armies to place in this round."""

    armies: int


@dataclass(frozen=True)
class UpdateMap:
    """``update_map 1 player1 3 2 neutral 2``: the id, the owner and the army of every visible region."""

    regions: tuple[tuple[int, str, int], ...]


@dataclass(frozen=True)
class PlaceOrder:
    """``player1 place_armies 3 4``: an order to place 4 armies on region 3."""

    player: str
    region: int
    armies: int


@dataclass(frozen=True)
class MoveOrder:
    """``player1 attack/transfer 3 4 5``: an order to attack region 4 from region 3 with 5 armies, or to move them."""

    player: str
    source: int
    target: int
    armies: int


@dataclass(frozen=True)
class OpponentMoves:
    """``opponent_moves player2 place_armies 5 3``: the opponent's orders in the last round that the bot may see."""

    orders: tuple[PlaceOrder | MoveOrder, ...]


@dataclass(frozen=True)
class Go:
    """``go place_armies 10000`` or ``go attack/transfer 9500``: asks for orders.

    The number is the time that the bot has left, in milliseconds.
    """

    kind: Kind
    milliseconds: int


@dataclass(frozen=True)
class Other:
    """A line that is not part of the protocol. Bots ignore unknown lines."""

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

#: The types of messages that the bot must answer.
Question = PickRegions | PickRegion | Go


# From the bot to the game engine


@dataclass(frozen=True)
class PicksAnswer:
    """``3 9 14 20 31 40`` (challenge 1) or ``9`` (challenge 2): the ids of the regions that the bot picks."""

    regions: tuple[int, ...]


@dataclass(frozen=True)
class PlaceOrders:
    """``player1 place_armies 3 4, player1 place_armies 9 1``, or ``No moves``: the answer to ``go place_armies``."""

    orders: tuple[PlaceOrder, ...]


@dataclass(frozen=True)
class MoveOrders:
    """``player1 attack/transfer 3 4 5``, or ``No moves``: the answer to ``go attack/transfer``.

    Commas separate several orders.
    """

    orders: tuple[MoveOrder, ...]


Answer = PicksAnswer | PlaceOrders | MoveOrders
