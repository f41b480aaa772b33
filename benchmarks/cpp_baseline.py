"""The C++ baseline: compiles `playout.cpp` with g++, if installed, and calls it on the engine's arrays."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from warlight_env.engine.board import Board
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import State

SOURCE = Path(__file__).with_name("playout.cpp")


def build() -> ctypes.CDLL | None:
    """Return the compiled baseline, or None if g++ is not installed."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "playout.so"
        command = [compiler, "-O3", "-std=c++17", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
        subprocess.run(command, check=True)
        loaded = ctypes.CDLL(str(library))
    loaded.play_out.restype = ctypes.c_int64
    return loaded


def play_out(library: ctypes.CDLL, board: Board, params: RuleParams, state: State, policy_rng: np.ndarray, first: int,
             last: int, rounds: int) -> int:  # fmt: skip
    """Play as `batch_games.play_games` does with two random players and the thesis rules, in C++; return the rounds."""
    attacks = np.zeros((2, board.n_edges, 3), dtype=np.int32)
    pointer = ctypes.c_void_p

    def at(array: np.ndarray) -> ctypes.c_void_p:
        assert array.flags.c_contiguous
        return pointer(array.ctypes.data)

    return int(
        library.play_out(
            board.n_regions, board.n_super_regions, board.n_edges, at(board.neighbor_start), at(board.edge_target),
            at(board.member_start), at(board.members), at(board.bonus), at(params.dice.kills[0]),
            at(params.dice.kills[1]), ctypes.c_int64(params.base_income), at(state.owner), at(state.army),
            at(state.round), at(state.phase), at(state.eliminated_at), at(state.winner), at(state.rng),
            at(policy_rng), ctypes.c_int64(first), ctypes.c_int64(last), ctypes.c_int64(rounds), at(attacks),
        )
    )  # fmt: skip
