"""The choice of the turn network that an agent uses in a game."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.turn_network_file import LEARNED, load_turn_network
from warlight_env.engine.view import View
from warlight_env.maps import load

#: The name of a map, and also of the package's turn network that was trained further on this map in two-player games.
_WORLD: Final = "world"
#: The name of the package's turn network with a memory, for two-player games under fog on the world map.
_FOG: Final = "fog"


@dataclass(frozen=True)
class TurnNetworks:
    """A turn network for all games, and possibly others for two-player games on the world map.

    Args:
        general: the network for all other games.
        world: the network for two-player games on the world map, or None if `general` also plays these games.
        fog: the network with which a player chooses its own turns in two-player games under fog on the world map, or
            None if it is the same network as without fog.
    """

    general: TurnNetwork
    world: TurnNetwork | None = None
    fog: TurnNetwork | None = None

    def of(self, view: View) -> TurnNetwork:
        """Return the turn network for the game of a view, for positions that are completely known."""
        return self.world if self.world is not None and _is_duel_on_world(view) else self.general

    def own(self, view: View) -> TurnNetwork:
        """Return the turn network with which the player of a view chooses its own turns. It may read a memory."""
        return self.fog if self.fog is not None and view.rules.fog and _is_duel_on_world(view) else self.of(view)


def _is_duel_on_world(view: View) -> bool:
    return view.players == 2 and view.map.digest() == _world()


@functools.cache
def _world() -> str:
    return load(_WORLD).digest()


def load_networks(source: str | Path | TurnNetwork | None, name: str = "net") -> TurnNetworks | None:
    """Load the turn networks of an agent.

    For ``learned``, the package's general network and its networks for two-player games on the world map are loaded.
    For any source other than ``learned``, one network is loaded for all games, see `load_turn_network`. name: the name
    of the argument, for error messages.

    Raises:
        TurnNetworkError: see `load_turn_network`.
    """
    network = load_turn_network(source, name)
    if network is None:
        return None
    if source != LEARNED:
        return TurnNetworks(network)
    return TurnNetworks(network, load_turn_network(_WORLD), load_turn_network(_FOG))
