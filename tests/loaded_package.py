"""Modules and kernels that most processes of a server need. A process imports this module before it forks them."""

from __future__ import annotations

import gc
from pathlib import Path
from tempfile import TemporaryDirectory

from compile_once import compile_once

import warlight_env.arena
import warlight_env.cli.app
import warlight_env.cli.browser
import warlight_env.web.http.server  # noqa: F401
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.game import Game
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.storage.game_folder import GameFolder
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities


def _load_kernels() -> None:
    game = Game("small", "thesis", 2, 1, picks="random")
    agents = [make_agent("random", 1), make_agent("aggressive", 1)]
    game.play_round(ask_orders(game, agents))
    estimate_win_probabilities(game.view(0), game.owner.tolist(), game.army.tolist(), 1, 1)


def _load_server() -> None:
    """Make the application of a server, which imports the agents and reads the maps."""
    with TemporaryDirectory() as folder:
        home = GameFolder(Path(folder))
        create_app(ServerSettings(Path(folder)), home)
        home.release()


compile_once()
_load_kernels()
_load_server()
gc.freeze()  # the garbage collector of a fork does not visit these objects, so their memory stays shared
