"""Arrays that games share are read-only, and kernels accept copies of them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from env_helpers import SMALL, equal
from helpers import RING
from warlight_env import Game
from warlight_env.agents.players.maxn.odds import make_odds
from warlight_env.arena.policies.policy_file import PolicyFile
from warlight_env.engine.board import make_board
from warlight_env.engine.round import income
from warlight_env.envs import EnvCore, WarlightEnv, WarlightParallelEnv


def arrays_of(record: Any, place: str) -> list[tuple[str, np.ndarray]]:
    """All arrays in a record and its nested records, with their paths."""
    arrays = []
    for name, value in record._asdict().items():
        if isinstance(value, np.ndarray):
            arrays.append((f"{place}.{name}", value))
        elif hasattr(value, "_asdict"):
            arrays += arrays_of(value, f"{place}.{name}")
    return arrays


def shared_arrays() -> list[tuple[str, np.ndarray]]:
    """Every array that more than one game, or copies of an environment, can reach."""
    view, core = Game(RING, {"picks": 1}).view(0), EnvCore(RING, {"picks": 1})
    policy = PolicyFile.load("small")
    arrays = arrays_of(view.board, "board") + arrays_of(view.params, "params")
    arrays += arrays_of(make_odds(view.params.dice), "odds")
    for name in ("board", "params", "bits", "context", "bots_context"):
        arrays += arrays_of(getattr(core, name), f"core.{name}")
    arrays += [(f"policy.{name}", array) for name, array in policy.arrays.items()]
    env, single = WarlightParallelEnv(RING, {"picks": 1}), WarlightEnv(RING, {"picks": 1}, action="continuous")
    arrays += [("limits", core.limits), ("edge_index", env.core.edge_index)]
    arrays += [("nvec", env.action_space("player_0").nvec), ("nvec", core.encoding.space.nvec)]
    arrays += [("low", single.action_space.low), ("high", single.observation_space.high)]
    arrays += [
        ("nodes", env.observation_space("player_0")["observation"]["nodes"].low),
        ("state", env.state_space.high),
    ]
    return arrays


def test_shared_arrays_are_read_only():
    arrays = shared_arrays()
    assert len(arrays) > 40
    assert [place for place, array in arrays if array.flags.writeable] == []


def test_one_game_cannot_change_the_income_of_another():
    view = Game("small", seed=1, picks="random").view(0)
    with pytest.raises(ValueError, match="read-only"):
        view.board.bonus[:] = 500
    assert Game("small", seed=1, picks="random").income(0) == view.income


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda board: pickle.loads(pickle.dumps(board))])
def test_copies_are_read_only_and_need_no_other_kernel(again):
    """One compiled kernel serves read-only boards and boards with writable arrays of a user."""
    board = make_board(SMALL)
    owner = np.zeros(board.n_regions, dtype=np.int8)
    copied = again(board)
    assert not copied.bonus.flags.writeable and equal(tuple(copied), tuple(board))
    expected = income(board, 5, owner, 0)
    writable = board._replace(bonus=board.bonus.copy())
    writable.bonus[:] += 1
    assert (income(copied, 5, owner, 0), income(writable, 5, owner, 0)) == (expected, expected + board.n_super_regions)
    assert len(income.signatures) == 1 and "readonly" not in str(income.signatures)
