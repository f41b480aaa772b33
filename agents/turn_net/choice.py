"""Which turn network an agent plays by, where that goes by the game."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.turn_file import LEARNED, load_turns
from warlight_env.engine.view import View
from warlight_env.maps import load

#: The map that a network of the package was trained further for, in games of two, and the name of both.
_WORLD: Final = "world"


@dataclass(frozen=True)
class TurnNetworks:
    """A turn network for all games, and perhaps another for games of two on the world map.

    Args:
        general: plays all games that no other does.
        world: plays games of two on the world map; None: `general` does.
    """

    general: TurnNetwork
    world: TurnNetwork | None = None

    def of(self, view: View) -> TurnNetwork:
        """The network for the game that is seen."""
        if self.world is not None and view.players == 2 and view.map.digest() == _world():
            return self.world
        return self.general


@functools.cache
def _world() -> str:
    return load(_WORLD).digest()


def load_networks(source: str | Path | TurnNetwork | None) -> TurnNetworks | None:
    """What `load_turns` loads, for all games; with ``learned`` those of the package, each for its games.

    Raises:
        TurnNetworkError: as `load_turns`.
    """
    network = load_turns(source)
    if network is None:
        return None
    return TurnNetworks(network, load_turns(_WORLD) if source == LEARNED else None)
