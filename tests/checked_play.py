"""Play unusual games with the checked build: ``WARLIGHT_CHECKED=1 python tests/checked_play.py few|search|all``.

The last line of the output is JSON. With `few` and `search` it has hashes of the final positions. With `all` it lists
the kernels that were not compiled, if the cache was empty. The first error ends the program, also an error in a kernel
that is called through a pointer.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import importlib
import itertools
import json
import os
import pkgutil
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import plug_in_faults
from edge_case_games import odd_game
from fuzz_states import rows
from helpers import script
from warlight_env.agents import make_agent
from warlight_env.agents.players.batch_games import play_games
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.players.flat import FlatAgent
from warlight_env.agents.players.mcts import MctsAgent, MctsSettings, TreeSearch
from warlight_env.agents.players.one_ply import OnePlyAgent
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.weights import Weights
from warlight_env.engine import checked
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.state import make_workspace
from warlight_env.envs import ENCODINGS, EnvCore, FactoredActions, InexpressibleError, WarlightVectorEnv
from warlight_env.game import Game
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.value.games import play_games as play_games_of_training
from warlight_env.train.value.labels import label_positions
from warlight_env.train.value.players import pack_network
from warlight_env.train.value.settings import ValueSettings
from warlight_env.train.weights.duel_batches import Duels

#: Packages of which `everything` compiles all kernels.
PLAYED = ("warlight_env.engine", "warlight_env.features", "warlight_env.agents", "warlight_env.envs")
#: Weights with which the evaluation uses all its terms.
ALL_TERMS = Weights(neighbor_values=0.5, largest_territory=3.0, threatened_bonus=2.0)
#: All bots, with the settings that use further kernels.
BOTS = (
    "random:chunks=9,margin=9", "aggressive", "smart_random", "one_big_army", "one_ply:samples=2", "mcts:sims=60",
    "mcts_thesis:sims=40,exploration_visits=parent,selection=duct", "mcts_no_defense:sims=40,utility=placements",
    "pmcts:sims=40,parallel=tree", "pmcts:sims=40,parallel=leaf", "pmcts:sims=40,parallel=lock,memory=1",
    "mcts:sims=20,rounds=3,playout=two_ply,outcome=realistic,picks=search,breadth=3,samples=3",
    "mcts:sims=40,playout=one_ply,outcome=pessimistic,samples=3,lookahead_samples=2,final_move=secure",
    "mcts:sims=20,rounds=3,playout=weighted,outcome=optimistic,samples=3", "mcts:sims=40,outcome=single,weights=thesis",
    "mcts:sims=60,selection=puct,leaf_batch=7,final_move=mixture,rounds=2", "flat_mc:sims=40",
    "flat_mc:sims=8,rounds=2,final_move=mode,playout=two_ply", "minimax2:samples=1", "maxn:sims=100",
    "maxn:sims=100,territory_weight=2,join_weight=1,spare_weight=1,follow_up_weight=1",
    "plan:candidates=6,samples=2", "plan:value=weights,picks=best",
    "plan:candidates=6,samples=2,contact_distance=0",
    "nash:sims=200", "nash:sims=200,value=weights,rounds=2,threads=2,final_move=mixture,candidates=12",
)  # fmt: skip


@numba.njit
def even_leaf(context, positions, count, shares):
    """Give all players equal shares in every position."""
    for k in range(count):
        for p in range(context.players):
            shares[k, p] = 1.0 / context.players


@numba.njit
def rising_prior(context, position, player, turns, count, likely):
    """Give later turns a higher prior."""
    for j in range(count):
        likely[j] = j


#: Agents without a name: with user functions, and with all terms of the evaluation.
MADE: tuple[Callable[[int], Any], ...] = (
    lambda seed: MctsAgent(
        seed, sims=30, evaluation=plug_in_faults.evaluation, generator=plug_in_faults.generator,
        policy=plug_in_faults.policy,
    ),
    lambda seed: MctsAgent(seed, sims=30, settings=MctsSettings(weights=ALL_TERMS)),
    lambda seed: OnePlyAgent(seed, weights=ALL_TERMS),
    lambda seed: MctsAgent(
        seed, sims=40, leaf=even_leaf, prior=rising_prior, selection="puct", leaf_batch=5, rounds=0, picks="search"
    ),
    lambda seed: FlatAgent(seed, sims=20, leaf=even_leaf, generator=plug_in_faults.generator, capacity=20),
)  # fmt: skip
ACTIONS: dict[str, Any] = {**ENCODINGS, "priority": functools.partial(FactoredActions, priority=True)}


def play(make: Callable[[int], Any], number: int, rounds: int) -> str:
    """Play an odd game between agents of one kind. One round has forced dice, and the game is saved and loaded once.

    Returns the hash after the last round.
    """
    game = odd_game(number)
    agents = [make(100 * number + p) for p in range(game.players)]
    while game.phase == "pick":
        game.pick({p: agents[p].pick(game.view(p)) for p in game.pickers()})
    for k in range(rounds):
        if game.done:
            break
        orders = {p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)}
        game.play_round(orders, script=script([number, 2, 0, 7]) if k == 3 else None)
        if k == 5:
            game = Game.from_dict(game.to_dict())
    return game.hash()


def believe(number: int, rounds: int) -> None:
    """Play a game under fog between two agents with beliefs."""
    kind = odd_game(number)
    if kind.players == 2:
        game = Game(kind.map, Rules.of(kind.rules.to_dict(), fog=True), seed=number, picks="random")
        agents = [make_agent("belief:mcts:sims=20", p) for p in range(2)]
        for _ in range(rounds):
            if not game.done:
                game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])


def search(number: int) -> None:
    """Run a search, and compute its statistics."""
    game = odd_game(number)
    while game.phase == "pick":
        game.pick({p: make_agent("random", p).pick(game.view(p)) for p in game.pickers()})
    if not game.done and game.alive(0):
        tree = TreeSearch(game.view(0), MctsSettings(rounds=3, samples=2, memory=1), number)
        tree.run(500)
        tree.statistics()


def step(action: str, number: int, steps: int, **settings: Any) -> None:
    """Play random legal and illegal actions in a batch of odd games, and encode turns of a bot as actions."""
    kind = odd_game(number)
    core = EnvCore(
        kind.map, kind.rules, kind.players, 3, action=ACTIONS[action], picking=("play", "random")[number % 2],
        max_cycles=50, **settings,
    )  # fmt: skip
    rng, bot = np.random.default_rng(number), make_agent("smart_random", number)
    core.reset([number + b for b in range(3)])
    for k in range(steps):
        core.step(rng.integers(0, core.limits, (3, core.slots, core.row_size)) if k % 5 == 2 else rows(core, rng))
        if k == 7:
            core.restore(core.snapshot())
        view = core.view(0)
        if k % 5 == 0 and view.phase == "play" and core.encoding.name not in ("continuous", "strategies"):
            with contextlib.suppress(InexpressibleError):
                core.encoding.encode(view, bot.act(view))


def oppose(opponent: str, number: int, steps: int) -> None:
    """Play random actions of a learner against a compiled bot."""
    kind = odd_game(number)
    env = WarlightVectorEnv(
        3, map=kind.map, opponent=opponent, rules=kind.rules, players=kind.players, action="factored"
    )
    env.reset(seed=number)
    env.action_space.seed(number)
    for _ in range(steps):
        env.step(env.action_space.sample())


def duel(number: int) -> None:
    """Play duels between weights in one kernel."""
    kind = odd_game(number)
    rules = Rules.of(kind.rules.to_dict(), fog=False, max_orders=0, dealt_apart=False)
    try:
        duels = Duels(kind.map, rules, samples=2, max_rounds=20, picks=("agents", "random")[number % 2])
    except RulesError:  # these rules allow no game of two players
        return
    duels.scores([ALL_TERMS], [Weights(), *COMPILED], 2, number)
    duels.traces(ALL_TERMS, 2, number, epsilon=0.3)


def batch(number: int) -> None:
    """Play a batch of games to their end in one kernel."""
    kind = odd_game(number)
    core = EnvCore(kind.map, kind.rules, kind.players, 8, action="orders", picking="random", observation="raw")
    core.reset(range(8))
    policies = np.arange(kind.players, dtype=np.int32) % 2
    rng = np.array([[make_rng(8 * b + p) for p in range(kind.players)] for b in range(8)])
    work = make_workspace(core.board.n_regions, core.board.n_edges, kind.players)
    play_games(core.bots_context, core.state, 0, 8, policies, rng, 100, work)


def plug_in() -> None:
    """Run user functions of each kind, and one that raises an error."""
    for kind in plug_in_faults.FAULTS:
        plug_in_faults.Case(kind, True, "none", 0).run()
    with contextlib.suppress(plug_in_faults.FaultyError):
        plug_in_faults.Case("generator", True, "raise", 0).run()


def trained(rounds: int) -> None:
    """Play with a trained policy on its map."""
    game = Game("small", seed=1, picks="random")
    agents = [make_agent("policy:small", p) for p in range(2)]
    for _ in range(rounds):
        game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])


def label() -> None:
    """Play and label training games of the value network, without a network and with one."""
    settings = ValueSettings(
        player="nash:40,value=current", opponents=("nash:40,value=current", "smart_random"), maps=("small",),
        rules=("thesis", "challenge2"), players=(0.5, 0.5), max_rounds=60, label_simulations=60,
    )  # fmt: skip
    configs = GameConfigs(settings)
    for network in (b"", pack_network(load_value("learned"))):
        games = play_games_of_training(settings, configs, network, 1, range(6), 1)
        label_positions(settings, configs, network, games, 2, range(20), 1)


def few() -> list[str]:
    """Play rounds, picks and generated turns, which most kernels use."""
    specs = ("random", "aggressive", "smart_random")
    return [play(functools.partial(make_agent, specs[number % 3]), number, 12) for number in range(0, 40, 2)]


def search_turns() -> list[str]:
    """Play rounds with a tree search."""
    return [play(functools.partial(make_agent, "mcts:sims=20,local_search=0"), 3, 4)]


def everything() -> list[str]:
    """Run all functions above; return the kernels that were never compiled."""
    for module in (m for package in PLAYED for m in _modules(package)):
        importlib.import_module(module)
    makers = [*(functools.partial(make_agent, spec) for spec in BOTS), *MADE]
    for k, make in enumerate(makers):
        for number in range(k, 230, 46):
            play(make, number, 20)
    plug_in()
    trained(5)
    label()
    for number in range(30):
        believe(number, 15)
        search(number)
        duel(number)
        batch(number)
    for action, number in itertools.product(ACTIONS, range(30)):
        step(action, number, 60, observation=("graph", "flat", "raw")[number % 3], fog=number % 2 == 0)
    for opponent, number in itertools.product(COMPILED, range(10)):
        oppose(opponent, number, 40)
    return checked.never_compiled()


def _modules(package: str) -> list[str]:
    path = importlib.import_module(package).__path__
    return [module.name for module in pkgutil.walk_packages(path, f"{package}.")]


def _end(unraisable: Any) -> None:
    traceback.print_exception(unraisable.exc_value)
    sys.stderr.flush()
    os._exit(3)


if __name__ == "__main__":
    assert checked.CHECKED
    faulthandler.enable()
    sys.unraisablehook = _end
    print(json.dumps({"few": few, "search": search_turns, "all": everything}[sys.argv[1]]()))
