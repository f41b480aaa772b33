"""Small boards and short helper functions for several tests."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import numpy as np

from warlight_env.agents import make_agent
from warlight_env.engine import cache
from warlight_env.engine.board import make_board
from warlight_env.engine.position import Position
from warlight_env.engine.rules import Rules
from warlight_env.engine.sources import KERNEL_PACKAGES
from warlight_env.game import Game
from warlight_env.maps import Map, Region, SuperRegion

PRESETS = ("thesis", "thesis_draft", "challenge1", "challenge2")


def make_map(
    super_region_of: list[int], borders: list[tuple[int, int]], bonuses: list[int], name: str = "board"
) -> Map:
    """Return a map without outlines; region i has the name ``Ri``."""
    return Map(
        name=name,
        title=name,
        description="",
        source="",
        super_regions=tuple(SuperRegion(f"S{i}", bonus) for i, bonus in enumerate(bonuses)),
        regions=tuple(Region(f"R{i}", f"R{i}", s) for i, s in enumerate(super_region_of)),
        borders=tuple(sorted((min(a, b), max(a, b)) for a, b in borders)),
        view_box=None,
        sea_links=(),
    )


#: Six regions in a ring with one additional border, in three super regions of two.
RING = make_map([0, 0, 1, 1, 2, 2], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (0, 3)], [2, 3, 1], "ring")


@functools.cache
def midgame() -> Game:
    """Return a game of two bots on the world map after six rounds. Tests must not change the game.

    The game is played at the first call, because the first game of a process compiles or loads its kernels.
    """
    game = Game("world", seed=7, picks="random")
    for _ in range(6):
        game.play_round([make_agent("aggressive", p).act(game.view(p)) for p in range(2)])
    return game


def position(game: Game, owner: list[int], army: list[int], rounds: int = 0) -> Game:
    """Return a copy of the game with another position in the play phase, after at least `rounds` rounds."""
    saved = game.to_dict()
    # round in which each player was eliminated: 1 for players without regions
    out = [int(p not in owner) for p in range(game.players)]
    played = max(game.round, rounds, *out)
    saved["state"].update(
        owner=owner, army=army, phase=1, offers=[0] * len(owner), eliminated_at=out, round=played, turn=0
    )
    del saved["hash"]
    return Game.from_dict(saved)


def as_position(owner: Any, army: Any = None, rounds: int = 0) -> Position:
    """Return owners and armies in the form for kernels, after `rounds` rounds; default: one army per region."""
    owners = np.array(owner, dtype=np.int8)
    armies = np.ones(len(owners), dtype=np.int32) if army is None else np.array(army, dtype=np.int32)
    return Position(owners, armies, np.array([rounds], dtype=np.int32))


def shares_of(evaluation: Any, context: Any, position: Position) -> list[float]:
    """Return the share of each player in a position, according to an evaluation function."""
    shares = np.zeros(context.players)
    evaluation(context, position, shares)
    return shares.tolist()


def read_terminal(terminal: int) -> bytes:
    """Read everything that was written to a pseudo-terminal, until its other end is closed."""
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            part = b""
        if not part:
            os.close(terminal)
            return shown
        shown += part


def board_of(map_: Map, rules: str = "thesis"):
    """Return a map's board, and the rules as the NamedTuple for kernels."""
    board = make_board(map_)
    return board, Rules.of(rules).params(board.n_regions, board.n_super_regions)


def script(values: list[int]) -> np.ndarray:
    """Return forced random decisions in the form for kernels: a cursor (0), then the values."""
    return np.array([0, *values], dtype=np.int64)


def copy_engine(folder: Path) -> Path:
    """Copy the modules that compile and cache kernels into a package `warlight_env.engine` in `folder`.

    The other packages with kernels are empty in the copy, so that a new cache parses few sources.
    """
    package = folder / "warlight_env" / "engine"
    for each in ("warlight_env", *(name.replace(".", os.sep) for name in KERNEL_PACKAGES)):
        (folder / each).mkdir(parents=True)
        (folder / each / "__init__.py").write_text("")
    engine = Path(cache.__file__).parent
    others = (engine.parent / f"{name}.py" for name in ("errors", "file_kinds", "output"))
    for module in (*engine.glob("[!_]*.py"), *others):
        (folder / "warlight_env" / module.relative_to(engine.parent)).write_text(module.read_text())
    return package
