"""Modules and kernels that most processes of a server need. A process imports this module before it forks them."""

from __future__ import annotations

import gc

from compile_once import compile_once

import warlight_env.arena
import warlight_env.cli.browser
import warlight_env.web.http.server  # noqa: F401
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.game import Game
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities


def _load_kernels() -> None:
    game = Game("small", "thesis", 2, 1, picks="random")
    agents = [make_agent("random", 1), make_agent("aggressive", 1)]
    game.play_round(ask_orders(game, agents))
    estimate_win_probabilities(game.view(0), game.owner.tolist(), game.army.tolist(), 1, 1)


compile_once()
_load_kernels()
gc.freeze()  # the garbage collector of a fork does not visit these objects, so their memory stays shared
