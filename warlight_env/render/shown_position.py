"""The class `ShownPosition`: a position with the players' names, as the input of the drawing functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import integers_of, is_integer, short_repr
from warlight_env.engine.orders import Orders
from warlight_env.maps import Map
from warlight_env.render.theme import MAX_PLAYERS, RenderError
from warlight_env.tables import counted, printable

NEUTRAL, UNKNOWN = -1, -2

Integers = Sequence[int] | npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class ShownPosition:
    """A position to draw, as one viewer sees it. All values are checked.

    The armies of regions that are hidden by fog are replaced by 0, so that no picture can show them.
    """

    map: Map
    owner: Integers  # [N]: for each region -1 (neutral), -2 (hidden by fog), or the player who owns it
    army: Integers  # [N]: for each region its number of armies
    players: int
    round: int | None = None  # number of rounds played
    names: tuple[str, ...] | None = None  # names of the players
    title: str = ""  # title of the picture; "": the map's title

    def __post_init__(self) -> None:
        if not isinstance(self.map, Map):
            raise RenderError(f"map = {short_repr(self.map)}: must be a `Map`")
        n = self.map.n_regions
        if not is_integer(self.players) or not 1 <= self.players <= MAX_PLAYERS:
            raise RenderError(f"players = {short_repr(self.players)}: must be 1 to {MAX_PLAYERS}")
        owner, armies = tuple(integers_of(self.owner, "owner")), tuple(integers_of(self.army, "army"))
        if len(owner) != n or len(armies) != n:
            raise RenderError(f"owner and army must have {n} entries, not {len(owner)} and {len(armies)}")
        if not all(UNKNOWN <= o < self.players for o in owner):
            raise RenderError(f"owner: every entry must be from {UNKNOWN} to {self.players - 1}")
        if not all(abs(army) < 2**63 for army in armies):
            raise RenderError("army: every number must fit into 64 bits")
        if self.round is not None and not is_integer(self.round):
            raise RenderError(f"round = {short_repr(self.round)}: must be an integer or None")
        names = self.names
        if names is not None and not (isinstance(names, Sequence) and all(isinstance(name, str) for name in names)):
            raise RenderError(f"names = {short_repr(names)}: must be a list of strings")
        if names is not None and len(names) != self.players:
            raise RenderError(f"names: must be {self.players} names, one for each player, not {len(names)}")
        if not isinstance(self.title, str):
            raise RenderError(f"title = {short_repr(self.title)}: must be a string")
        army = tuple(0 if o == UNKNOWN else a for o, a in zip(owner, armies, strict=True))
        object.__setattr__(self, "owner", owner)
        object.__setattr__(self, "army", army)

    @property
    def foggy(self) -> bool:
        """Whether at least one region is hidden by fog."""
        return UNKNOWN in self.owner

    def name(self, player: int) -> str:
        """Return a player's name, without unprintable characters."""
        return printable(self.names[player]) if self.names else f"player {player + 1}"

    def count(self, owner: int) -> tuple[int, int]:
        """Return the number of visible regions of an owner, and the number of armies in these regions."""
        regions = [r for r, o in enumerate(self.owner) if o == owner]
        return len(regions), sum(self.army[r] for r in regions)

    def holder(self, members: Sequence[int]) -> int | None:
        """Return the player who owns all regions in `members`; None if no player owns all of them."""
        first = self.owner[members[0]]
        return first if first >= 0 and all(self.owner[r] == first for r in members) else None

    def bonus(self, player: int) -> int:
        """Return the sum of the bonuses of all super regions in which a player visibly owns every region."""
        pairs = zip(self.map.super_regions, self.map.members, strict=True)
        return sum(s.bonus for s, members in pairs if self.holder(members) == player)

    def describe(self, region: int) -> str:
        """Return a description of a region, such as "Brazil, player 1, 9 armies"."""
        name, owner = printable(self.map.regions[region].name), self.owner[region]
        if owner == UNKNOWN:
            return f"{name}, unknown"
        owner_name = "neutral" if owner == NEUTRAL else f"player {owner + 1}"
        if self.names and owner >= 0:
            owner_name += f" ({self.name(owner)})"
        return f"{name}, {owner_name}, {counted(self.army[region], 'army', 'armies')}"

    def knows(self, *regions: int) -> bool:
        """Return whether all `regions` exist and are visible; a picture shows an order only if this is true."""
        return all(0 <= r < len(self.owner) and self.owner[r] != UNKNOWN for r in regions)


def check_position(position: Any) -> None:
    """Raise RenderError if `position` is not a `ShownPosition`."""
    if not isinstance(position, ShownPosition):
        raise RenderError(f"position = {short_repr(position)}: must be a `ShownPosition`")


def by_player(orders: Sequence[Any] | Mapping[int, Any] | None) -> Iterator[tuple[int, Orders]]:
    """Yield each player with its orders.

    orders: a list with the orders of each player, or a mapping from players to orders; None: no orders.
    """
    if not isinstance(orders, Mapping | Sequence | None) or isinstance(orders, str | bytes):
        raise RenderError(f"orders = {short_repr(orders)}: must be a list in the players' order, or a dict by player")
    pairs = orders.items() if isinstance(orders, Mapping) else enumerate(() if orders is None else orders)
    for player, player_orders in pairs:
        if not is_integer(player):
            raise RenderError(f"orders: {short_repr(player)} is not a player's number")
        if player_orders is None:
            continue
        if not isinstance(player_orders, Orders):
            raise RenderError(f"orders: {short_repr(player_orders)} of player {player} must be `Orders` or None")
        yield int(player), player_orders.normalized()
