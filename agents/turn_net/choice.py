"""The choice of the turn network that an agent uses in a game."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.turn_network_file import LEARNED, bundled_network, load_turn_network
from warlight_env.engine.view import View
from warlight_env.maps import load

#: The name of a map, and also of the package's turn network that was trained further on this map in two-player games.
_WORLD: Final = "world"
#: The names of the package's turn networks with a memory, for two-player games under fog on the world map and for all
#: other games under fog.
_FOG, _ANY_FOG = "fog", "any_fog"


@dataclass(frozen=True)
class TurnNetworks:
    """A turn network for all games, and possibly others for two-player games on the world map.

    Args:
        general: the network for all other games.
        world: the network for two-player games on the world map, or None if `general` also plays these games.
        under_fog: the networks with which a player chooses its own turns under fog, or None if they are the same
            networks as without fog.
    """

    general: TurnNetwork
    world: TurnNetwork | None = None
    under_fog: TurnNetworks | None = None

    def __iter__(self) -> Iterator[TurnNetwork]:
        """Iterate over all the networks."""
        yield self.general
        if self.world is not None:
            yield self.world
        if self.under_fog is not None:
            yield from self.under_fog

    def for_known_position(self, view: View) -> TurnNetwork:
        """Return the turn network for the game of a view, for positions that are completely known."""
        if self.world is not None and view.players == 2 and view.map.digest() == _world():
            return self.world
        return self.general

    def for_own_turn(self, view: View) -> TurnNetwork:
        """Return the turn network with which the player of a view chooses its own turns. It may read a memory."""
        return (self if self.under_fog is None or not view.rules.fog else self.under_fog).for_known_position(view)


@functools.cache
def _world() -> str:
    return load(_WORLD).digest()


def load_networks(source: str | Path | TurnNetwork | None, name: str = "net") -> TurnNetworks | None:
    """Load the turn networks of an agent.

    For ``learned``, the package's networks are loaded: for all games, for two-player games on the world map, and for
    games under fog. For any source other than ``learned``, one network is loaded for all games, see
    `load_turn_network`. name: the name of the argument, for error messages.

    Raises:
        TurnNetworkError: see `load_turn_network`.
    """
    network = load_turn_network(source, name)
    if network is None or source != LEARNED:
        return None if network is None else TurnNetworks(network)
    under_fog = TurnNetworks(bundled_network(_ANY_FOG), bundled_network(_FOG))
    return TurnNetworks(network, bundled_network(_WORLD), under_fog)
