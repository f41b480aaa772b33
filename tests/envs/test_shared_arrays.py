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
    """All arrays in a record and the records in it, with where they are."""
    found = []
    for name, value in record._asdict().items():
        if isinstance(value, np.ndarray):
            found.append((f"{place}.{name}", value))
        elif hasattr(value, "_asdict"):
            found += arrays_of(value, f"{place}.{name}")
    return found


def shared_arrays() -> list[tuple[str, np.ndarray]]:
    """Every array that more than one game, or copies of an environment, can reach."""
    view, core = Game(RING, {"picks": 1}).view(0), EnvCore(RING, {"picks": 1})
    policy = PolicyFile.load("small")
    found = arrays_of(view.board, "board") + arrays_of(view.params, "params")
    found += arrays_of(make_odds(view.params.dice), "odds")
    for name in ("board", "params", "bits", "context", "bots_context"):
        found += arrays_of(getattr(core, name), f"core.{name}")
    found += [(f"policy.{name}", array) for name, array in policy.arrays.items()]
    env, single = WarlightParallelEnv(RING, {"picks": 1}), WarlightEnv(RING, {"picks": 1}, action="continuous")
    found += [("limits", core.limits), ("edge_index", env.core.edge_index)]
    found += [("nvec", env.action_space("player_0").nvec), ("nvec", core.encoding.space.nvec)]
    found += [("low", single.action_space.low), ("high", single.observation_space.high)]
    found += [("nodes", env.observation_space("player_0")["observation"]["nodes"].low), ("state", env.state_space.high)]
    return found


def test_what_games_share_cannot_be_written_to():
    found = shared_arrays()
    assert len(found) > 40
    assert [place for place, array in found if array.flags.writeable] == []


def test_one_game_cannot_change_another_s_income():
    view = Game("small", seed=1, picks="random").view(0)
    with pytest.raises(ValueError, match="read-only"):
        view.board.bonus[:] = 500
    assert Game("small", seed=1, picks="random").income(0) == view.income


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda board: pickle.loads(pickle.dumps(board))])
def test_copies_are_read_only_too_and_kernels_take_them_as_they_are(again):
    """A kernel is compiled once for boards that are read-only, and for those that somebody made of his own arrays."""
    board = make_board(SMALL)
    owner = np.zeros(board.n_regions, dtype=np.int8)
    copied = again(board)
    assert not copied.bonus.flags.writeable and equal(tuple(copied), tuple(board))
    expected = income(board, 5, owner, 0)
    own = board._replace(bonus=board.bonus.copy())
    own.bonus[:] += 1
    assert (income(copied, 5, owner, 0), income(own, 5, owner, 0)) == (expected, expected + board.n_super_regions)
    assert len(income.signatures) == 1 and "readonly" not in str(income.signatures)
