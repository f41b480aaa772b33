"""What the value network's games are played on: maps, rules and numbers of players; and by whom."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from warlight_env.agents import Agent
from warlight_env.agents.registry import parse, unpinned
from warlight_env.agents.value_record import ValueNetwork, load_value, make_network
from warlight_env.agents.weights import Weights
from warlight_env.engine.board import Board, make_board
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.setup import check_players
from warlight_env.maps import Map
from warlight_env.networks.npz import read_arrays, write_arrays
from warlight_env.train.value_settings import CURRENT, ValueSettings, read_map


@dataclass(frozen=True)
class Place:
    """A map, rules without fog, and a number of players."""

    map: Map
    rules: Rules
    players: int

    @functools.cached_property
    def board(self) -> Board:
        """The map for kernels."""
        return make_board(self.map)

    @functools.cached_property
    def params(self) -> RuleParams:
        """The rules for kernels; a `RulesError` where the map cannot hold so many players."""
        return check_players(self.board, self.rules, self.players)


class Places:
    """All places of a run, by number.

    Raises:
        RulesError: a map cannot hold so many players.
    """

    def __init__(self, settings: ValueSettings) -> None:
        maps, rules = (tuple(dict.fromkeys(names)) for names in (settings.maps, settings.rules))
        keys = itertools.product(maps, rules, range(2, 2 + len(settings.players)))
        self._numbers = {key: number for number, key in enumerate(keys)}
        self._settings = settings
        self._places = [
            Place(read_map(map_), Rules.of(name, fog=False), players) for map_, name, players in self._numbers
        ]
        for place in self._places:
            if settings.players[place.players - 2] > 0:
                place.params  # noqa: B018 -- looks whether there is room

    def __getitem__(self, number: int) -> Place:
        return self._places[number]

    def draw(self, rng: np.random.Generator) -> int:
        """The number of a game's place."""
        s = self._settings
        map_, rules = s.maps[rng.integers(len(s.maps))], s.rules[rng.integers(len(s.rules))]
        players = 2 + int(rng.choice(len(s.players), p=np.array(s.players) / sum(s.players)))
        return self._numbers[map_, rules, players]


@dataclass(frozen=True)
class NetworkPlayer:
    """Makes agents by a specification, in which `value=current` is a network; travels to other processes."""

    spec: str
    network: bytes  #: as `pack_network` gives it
    weights: tuple[float, ...]

    def __call__(self, seed: int) -> Agent:
        info, values = parse(self.spec)
        if values.get("value") == CURRENT:
            network = unpack_network(self.network)
            given: dict[str, Any] = {"weights": Weights(*self.weights)}
            values = {**given, **values, "value": network}
        agent: Agent = info.load()(seed=seed, **values)
        agent.name = unpinned(self.spec)
        return agent


def pack_network(network: ValueNetwork | None) -> bytes:
    """A network as the content of a file; nothing where there is none."""
    return b"" if network is None else write_arrays({name: np.array(x) for name, x in network._asdict().items()})


@functools.lru_cache(8)
def unpack_network(content: bytes) -> ValueNetwork | None:
    """What `pack_network` was given."""
    return make_network(read_arrays(content)) if content else None


def first_network(settings: ValueSettings) -> bytes:
    """The network that a run begins with, packed."""
    return pack_network(load_value(settings.start))
