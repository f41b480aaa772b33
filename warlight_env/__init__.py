"""Warlight, a game with simultaneous orders: engine, environments, bots and arena.

The import of the package is fast, because Python loads each public name, for example `Game`, at its first use. The
public names are only for users of the package; the modules of the package import each other directly.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from warlight_env import registration_hooks
from warlight_env.lazy import lazy_attributes
from warlight_env.version import __version__

if TYPE_CHECKING:
    from warlight_env.battle import BattleOdds, battle_odds
    from warlight_env.engine.orders import Orders
    from warlight_env.engine.rules import Rules
    from warlight_env.game import Game, GameError, IllegalOrder, IllegalOrdersError
    from warlight_env.maps import Map
    from warlight_env.record import GameLog
    from warlight_env.simulation import Outcomes, simulate
    from warlight_env.tensor_env import WarlightTensorVectorEnv

_HERE = os.path.dirname(os.path.abspath(__file__))
if not os.path.isdir(os.path.join(_HERE, "agents")):
    # The package runs from a checkout without an installation. There the folders of the subpackages agents, maps and
    # train are next to this folder.
    __path__.append(os.path.dirname(_HERE))

_HOMES = {
    "BattleOdds": "battle",
    "battle_odds": "battle",
    "Orders": "engine.orders",
    "Rules": "engine.rules",
    "Game": "game",
    "GameError": "game",
    "IllegalOrder": "game",
    "IllegalOrdersError": "game",
    "Map": "maps",
    "Outcomes": "simulation",
    "simulate": "simulation",
}

__all__ = [
    "BattleOdds",
    "Game",
    "GameError",
    "IllegalOrder",
    "IllegalOrdersError",
    "Map",
    "Orders",
    "Outcomes",
    "Rules",
    "__version__",
    "battle_odds",
    "simulate",
]


def _framed(item: Game | GameLog) -> str | None:
    from warlight_env.web.export import framed

    return framed(item)


def _register_agents() -> None:
    from warlight_env.arena.policies import policy_registration as of_arena
    from warlight_env.beliefs import belief_registration as of_beliefs
    from warlight_env.protocol import bot_registration as of_protocol

    for package in (of_protocol, of_beliefs, of_arena):
        package.register_agents()


def _tensor_env(num_envs: int, **arguments: Any) -> WarlightTensorVectorEnv:
    from warlight_env.tensor_env.vector_env import WarlightTensorVectorEnv

    return WarlightTensorVectorEnv(num_envs, **arguments)


# These calls are here because of the imports: the modules of games and logs must not import the package `web`, the
# agent registry must not import the packages that register agents, and `envs` must not import `tensor_env`.
registration_hooks.set_html_renderer(_framed)
registration_hooks.add(_register_agents)
registration_hooks.set_tensor_env(_tensor_env)

__getattr__, __dir__ = lazy_attributes(__name__, _HOMES)
