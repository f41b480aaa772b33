"""Views of a game as plain data for other processes, and a function that converts these data to views."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import pickle
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from warlight_env import maps
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.game import Game
from warlight_env.maps.loader import is_bundled
from warlight_env.step_results import RoundResult

SETUPS: Final = 64  # the maximum number of setups and players whose boards a process stores


@dataclass(frozen=True)
class WorkerSetup:
    """The part of a game that never changes: its map, rules and number of players, as plain data.

    Attributes:
        digest: a digest of map, rules and number of players, by which setups are compared.
        map: the pickled map, or the name of a bundled map.
    """

    digest: str
    map: bytes | str = field(compare=False)
    rules: dict[str, Any] = field(compare=False)
    players: int = field(compare=False)

    @classmethod
    def for_game(cls, map_: maps.Map, rules: Rules, players: int) -> WorkerSetup:
        """Return map, rules and number of players of a game as plain data."""
        rules_data = rules.to_dict()
        text = json.dumps([map_.digest(), rules_data, players], sort_keys=True)
        return cls(
            hashlib.sha256(text.encode()).hexdigest(),
            map_.name if is_bundled(map_) else pickle.dumps(map_),
            rules_data,
            players,
        )


@dataclass(frozen=True)
class QueriedPosition:
    """The part of a game that a player sees, with the fields of a `View`."""

    player: int
    phase: str
    round: int
    owner: list[int]
    army: list[int]
    income: int
    offers: tuple[int, ...]
    picks_left: int
    starts: tuple[tuple[int, ...], ...] | None = None
    last_round: RoundResult | None = None  #: the part of the last round's events that the player saw

    @classmethod
    def from_view(cls, view: View) -> QueriedPosition:
        """Return the part of a view that changes during a game, as plain data."""
        return cls(
            view.player, view.phase, view.round, view.owner.tolist(), view.army.tolist(), view.income, view.offers,
            view.picks_left, view.starts, view.last_round,
        )  # fmt: skip


@functools.lru_cache(maxsize=SETUPS)
def _first_view(setup: WorkerSetup, player: int) -> View:
    map_ = maps.load(setup.map) if isinstance(setup.map, str) else pickle.loads(setup.map)
    return Game(map_, Rules.of(setup.rules), setup.players).view(player)


def view_of_position(setup: WorkerSetup, position: QueriedPosition) -> View:
    """Return the view of a position. The boards (compiled maps) of the last setups are stored.

    Boards are compared by identity, so each setup has only one board object.
    """
    base = _first_view(setup, position.player)
    regions = base.board.n_regions
    if not len(position.owner) == len(position.army) == regions:
        raise ValueError(f"the position has {len(position.owner)} regions, but the map has {regions}")
    owner, army = np.array(position.owner, dtype=np.int8), np.array(position.army, dtype=np.int32)
    fields = {**vars(position), "owner": owner, "army": army}
    last_round = fields.pop("last_round")
    return dataclasses.replace(base, **fields, _last_round=lambda: last_round)
