"""Searches in two-player games give exactly the recorded results."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import RING, as_position, board_of, midgame, position, shares_of
from warlight_env import Game, Orders, Rules
from warlight_env.agents import make_agent
from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.income_forecast import forecast_share
from warlight_env.agents.evaluation.static_evaluation import position_share
from warlight_env.agents.players.mcts import THESIS_SETTINGS, MctsAgent, MctsSettings, TreeSearch
from warlight_env.agents.players.mcts.selection import select_duct, select_puct, select_uct
from warlight_env.agents.players.mcts.simulation import search as simulate
from warlight_env.agents.players.mcts.tree import make_tree
from warlight_env.agents.players.mcts.work import TreeSettings, make_tree_work
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.search.simulation import UNIT, SimulationSettings
from warlight_env.agents.value.network import network_share
from warlight_env.agents.weights import PLANNING, THESIS
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import make_rng


def endgame() -> Game:
    """A game on the ring in which each player has two or three regions."""
    game = Game(RING, Rules.of("thesis", picks=1, offers_per_super_region=0))
    return position(game, [0, 0, 0, 1, 1, -1], [9, 5, 5, 12, 5, 5])


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def orders_text(orders: Orders) -> str:
    return f"{[tuple(map(int, row)) for row in orders.deploys]} {[tuple(map(int, row)) for row in orders.attacks]}"


def results_digest(search: TreeSearch) -> str:
    """Return a digest of all results of a search except its time."""
    record = search.statistics()
    lines = [
        str((record.simulations, record.nodes, record.full, record.shallowest, record.deepest)),
        *(f"{orders_text(c.orders)} {c.picks} {c.visits} {float(c.total).hex()}" for c in record.candidates),
    ]
    return digest("\n".join(lines))


def search_digest(
    settings: MctsSettings, game: Game | None = None, player: int = 0, simulations: int = 300, seed: int = 1
) -> str:
    search = TreeSearch((game or midgame()).view(player), settings, seed)
    search.run(simulations)
    return results_digest(search)


def alternating_search_digest(settings: MctsSettings) -> str:
    """Search a tree with one thread that alternates between two working memories; return a digest of the results."""
    search = TreeSearch(midgame().view(0), settings, 1)
    one = search.trees[0]
    assert len(one.works) == 2
    for k in range(10):
        simulate(search.context, search.kernel_settings, one.tree, one.works[k % 2], 30)
    return results_digest(search)


def pick_search_digest(rules: str | Rules) -> str:
    game = Game("world", rules, seed=3)
    search = TreeSearch(game.view(game.pickers()[0]), MctsSettings(samples=3, rounds=2, weights="thesis"), 1)
    search.run(200)
    return results_digest(search)


def moves_digest(spec: str) -> str:
    """Return a digest of an agent's picks and turns in a game, from both seats."""
    agents = [make_agent(spec, seed) for seed in (4, 5)]
    game = Game("world", seed=5)
    answers = []
    while game.phase == "pick":
        preferences = {seat: agents[seat].pick(game.view(seat)) for seat in game.pickers()}
        answers.append(str(preferences))
        game.pick(preferences)
    for _ in range(6):
        orders = [agent.act(game.view(seat)) for seat, agent in enumerate(agents)]
        answers += [orders_text(order) for order in orders]
        game.play_round(orders)
    return digest("\n".join(answers))


def default(**changes: Any) -> MctsSettings:
    return MctsSettings(**{"samples": 5, "rounds": 4, "weights": "thesis", **changes})


CASES = {
    "thesis": lambda: search_digest(THESIS_SETTINGS),
    "thesis, second seat, another seed": lambda: search_digest(THESIS_SETTINGS, player=1, seed=9),
    "default": lambda: search_digest(MctsSettings(weights="thesis")),
    "default, second seat": lambda: search_digest(MctsSettings(weights="thesis"), player=1, seed=2),
    "near the end": lambda: search_digest(default(), endgame(), 1, 2000),
    "parent's visits": lambda: search_digest(default(exploration_visits="parent", exploration=0.7)),
    "blind": lambda: search_digest(default(selection="duct")),
    "blind, second seat": lambda: search_digest(default(selection="duct", exploration_visits="parent"), player=1),
    "single": lambda: search_digest(default(outcome="single")),
    "pessimistic": lambda: search_digest(default(outcome="pessimistic")),
    "optimistic, without defence": lambda: search_digest(default(outcome="optimistic", defense=False)),
    "best value": lambda: search_digest(default(final_move="max")),
    "best bound": lambda: search_digest(default(final_move="secure")),
    "other weights": lambda: search_digest(default(weights=THESIS._replace(sharpness=2.0, largest_territory=9.0))),
    "little memory": lambda: search_digest(default(rounds=1, memory=1), simulations=4000),
    "three trees": lambda: search_digest(default(trees=3)),
    "three trees, two threads": lambda: search_digest(default(trees=3, threads=2)),
    "playouts side by side": lambda: search_digest(default(parallel="leaf", threads=2)),
    "one tree": lambda: alternating_search_digest(default(parallel="tree", threads=2)),
    "one tree, heavy virtual loss, blind": lambda: alternating_search_digest(
        default(parallel="tree", threads=2, virtual_loss=3, selection="duct")
    ),
    "one tree, one lock": lambda: alternating_search_digest(default(parallel="lock", threads=2)),
    "picks, thesis": lambda: pick_search_digest("thesis"),
    "picks, challenge1": lambda: pick_search_digest("challenge1"),
    "picks, challenge2": lambda: pick_search_digest(Rules.of("challenge2", picks=3, wastelands_repeat=False)),
    "moves of mcts": lambda: moves_digest("mcts:sims=40,samples=3,rounds=3,local_search=0,picks=search,weights=thesis"),
    "moves of mcts_thesis": lambda: moves_digest("mcts_thesis:sims=40,final_move=max_robust"),
    "moves of one_ply": lambda: moves_digest("one_ply:weights=thesis"),
    "moves of smart_random": lambda: moves_digest("smart_random"),
}

RECORDED = {
    "thesis": "7804cd7d3408bcd4",
    "thesis, second seat, another seed": "33c08d09fff895ba",
    "default": "6c4f5d02c009d157",
    "default, second seat": "d9f27b67c8e8b71f",
    "near the end": "2fa306ecee9ffe2b",
    "parent's visits": "33e5ec25c6b6157f",
    "blind": "c81d03611b20711a",
    "blind, second seat": "b0f27ec496dc79d6",
    "single": "f114866396905948",
    "pessimistic": "86e7ac8b5c6173aa",
    "optimistic, without defence": "a44c7d9b7ca7bd5e",
    "best value": "c081625ff4c4a84a",
    "best bound": "c081625ff4c4a84a",
    "other weights": "b1c025c8655e3e0b",
    "little memory": "c1a1b308123bfd01",
    "three trees": "3c5135f497047e31",
    "three trees, two threads": "3c5135f497047e31",
    "playouts side by side": "576cdb4e6bcc7532",
    "one tree": "3a9d076aadcdb91a",
    "one tree, heavy virtual loss, blind": "5c1b24b7f29c8973",
    "one tree, one lock": "3a9d076aadcdb91a",
    "picks, thesis": "cc7d957c3e622261",
    "picks, challenge1": "2a1e885fe19085a1",
    "picks, challenge2": "e14a5795ed7f68af",
    "moves of mcts": "42ee68bd66505203",
    "moves of mcts_thesis": "fb2d263964d2f2d8",
    "moves of one_ply": "d425467dd6348d2b",
    "moves of smart_random": "e16b7e663ed0e45c",
}


@pytest.mark.parametrize("name", CASES)
def test_two_player_search_matches_the_reference(name):
    assert CASES[name]() == RECORDED[name]


def run_python(expression: str, *options: str, **environment: str) -> str:
    """Print an expression with this module's names in a new process at the default optimization level."""
    folders = [str(folder) for folder in Path(__file__).parents[:2]]
    paths = {"PYTHONPATH": os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")])}
    usual = {name: value for name, value in os.environ.items() if name != "NUMBA_OPT"}
    program = f"import numba\nfrom test_search_regression import *\nprint({expression})"
    done = subprocess.run(
        [sys.executable, *options, "-c", program], env={**usual, **paths, **environment}, capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


def evaluations() -> list[str]:
    """Return the shares of the players in some positions of the ring, with all bits, from three evaluations."""
    board, params = board_of(RING)
    context = bare_context(board, params, 2, PLANNING)._replace(value=load_value("learned"))
    draw, shares = np.random.default_rng(1), []
    for _ in range(20):
        at = as_position(draw.integers(-1, 2, 6).tolist(), draw.integers(1, 30, 6).tolist())
        for evaluation in (position_share, forecast_share, network_share):
            shares += [float(share).hex() for share in shares_of(evaluation, context, at)]
    return shares


def selections() -> list[int]:
    """Return the nodes that the selection rules select in some trees with random statistics.

    The root has the children 1 to 4; node n has the children 4 n + 1 to 4 n + 4.
    """
    settings = TreeSettings(reference(SimulationSettings()), exploration=0.7, root_visits=False)
    tree, work, draw, nodes = make_tree(1, 1, 1), make_tree_work(1, 1, 2, 1, 4), np.random.default_rng(1), []
    tree.first[:5], tree.children[:5] = range(1, 21, 4), 4
    for _ in range(20):
        tree.visits[:21] = draw.integers(0, 40, 21)
        tree.total[:21] = tree.visits[:21] * draw.uniform(0.0, float(UNIT), 21)
        for rule, (node, level) in itertools.product((select_uct, select_duct, select_puct), ((0, 0), (2, 1), (3, 1))):
            nodes.append(int(rule(tree, reference(settings), work, 0, node, level, make_rng(1))))
    return nodes


def test_evaluations_and_selections_are_equal_at_the_default_optimization_level():
    """Tests compile kernels at a lower level by default; see `tests/conftest.py`.

    These kernels compute with floating-point numbers. The compilation of a whole search takes half a minute.
    """
    assert len(set(evaluations())) > 60 and len(set(selections())) == 12
    results = run_python("(int(numba.config.OPT), evaluations(), selections())")
    assert results == str((3, evaluations(), selections()))


@pytest.mark.slow
def test_searches_are_equal_at_the_default_optimization_level():
    assert run_python("int(numba.config.OPT), CASES['default']()") == f"3 {RECORDED['default']}"


def small_searches() -> list[str]:
    """Search with few simulations, because plain Python is slow."""
    return [search_digest(default(selection=selection), endgame(), 1, 60) for selection in ("uct", "duct")]


def test_results_are_equal_in_plain_python():
    """Plain Python raises an error for indices beyond the end of an array, and here also for overflows."""
    overflow = "error:overflow:RuntimeWarning"
    assert run_python("small_searches()", "-W", overflow, NUMBA_DISABLE_JIT="1") == str(small_searches())


def test_reused_memory_does_not_change_the_turn():
    fresh, used = MctsAgent(3, sims=60), MctsAgent(3, sims=60)
    used.act(midgame().view(1))
    used._moves = 0
    assert orders_text(used.act(midgame().view(0))) == orders_text(fresh.act(midgame().view(0)))
