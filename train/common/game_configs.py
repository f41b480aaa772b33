"""The game configs of trainers: combinations of a map, rules and a number of players."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

import numpy as np

from warlight_env import maps
from warlight_env.engine.board import Board, make_board
from warlight_env.engine.rules import MAX_PLAYERS, RuleParams, Rules, RulesError
from warlight_env.engine.setup import check_players
from warlight_env.errors import InputError


class GameConfigSettings(Protocol):
    """The settings that determine the game configs (maps, rules and numbers of players) of a training run. All entries
    of a list are equally likely; an entry may occur several times."""

    @property
    def maps(self) -> tuple[str, ...]: ...
    @property
    def rules(self) -> tuple[str, ...]: ...
    @property
    def players(self) -> tuple[float, ...]: ...


def check_game_configs(settings: GameConfigSettings) -> None:
    """Raise InputError if a map or rules are unknown, or if `players` (see `ExpertIterationSettings`) is invalid."""
    shares = settings.players
    if not (len(shares) < MAX_PLAYERS and all(0 <= share <= 1 for share in shares) and sum(shares) > 0):
        raise InputError(
            f"players = {list(shares)!r}: must be relative frequencies, in 0 .. 1, of games with 2, 3, … {MAX_PLAYERS} "
            "players"
        )
    for name in ("maps", "rules"):
        if not getattr(settings, name):
            raise InputError(f"{name}: give at least one entry")
    for name in settings.maps:
        maps.check(name)
    for name in settings.rules:
        Rules.of(name)


#: In which games the players have fog: the values of the setting `fog`.
Fog = Literal["never", "rules", "always"]
NEVER: Final = "never"
_FOG: Final[dict[Fog, dict[str, Any]]] = {NEVER: {"fog": False}, "rules": {}, "always": {"fog": True}}


@functools.cache
def read_map(text: str) -> maps.Map:
    """Return the map that `maps.load` finds for a name or file; each map is read once.

    Raises:
        MapError: the map does not exist.
    """
    return maps.load(text)


@dataclass(frozen=True)
class GameConfig:
    """A map, rules, and a number of players."""

    map: maps.Map
    rules: Rules
    players: int

    @functools.cached_property
    def board(self) -> Board:
        """The map in the form that compiled functions (kernels) take."""
        return make_board(self.map)

    @functools.cached_property
    def params(self) -> RuleParams:
        """The parameters of the rules, for compiled functions.

        Raises RulesError if the map has too few regions for the players.
        """
        return check_players(self.board, self.rules, self.players)


class GameConfigs:
    """All game configs of a run, with their indices. Games use only configs with enough regions for all players.

    fog: in which games the players have fog: never, rules (as the presets of rules say), or always.

    Raises:
        RulesError: a map has too few regions for all combinations of the rules and numbers of players.
    """

    def __init__(self, settings: GameConfigSettings, fog: Fog = NEVER) -> None:
        maps, rules = (tuple(dict.fromkeys(names)) for names in (settings.maps, settings.rules))
        keys = itertools.product(maps, rules, range(2, 2 + len(settings.players)))
        self._numbers = {key: number for number, key in enumerate(keys)}
        self._settings = settings
        self._configs = [
            GameConfig(read_map(map_), Rules.of(name, **_FOG[fog]), players) for map_, name, players in self._numbers
        ]
        refusals: dict[str, RulesError] = {}
        self._open = [self._has_room(config, refusals) for config in self._configs]
        map_names = {config.map.name for config, open_ in zip(self._configs, self._open, strict=True) if open_}
        for name in refusals.keys() - map_names:
            raise refusals[name]

    def _has_room(self, config: GameConfig, refusals: dict[str, RulesError]) -> bool:
        if self._settings.players[config.players - 2] == 0:
            return False
        try:
            config.params  # noqa: B018 -- checks whether there is room
        except RulesError as error:
            refusals[config.map.name] = error
            return False
        return True

    @property
    def played(self) -> list[GameConfig]:
        """The game configs of the run that have enough regions for all players."""
        return [config for config, open_ in zip(self._configs, self._open, strict=True) if open_]

    def __getitem__(self, number: int) -> GameConfig:
        return self._configs[number]

    def draw(self, rng: np.random.Generator) -> int:
        """Draw the index of a game config; draw again if its map has too few regions for the players."""
        s = self._settings
        while True:
            map_, rules = s.maps[rng.integers(len(s.maps))], s.rules[rng.integers(len(s.rules))]
            players = 2 + int(rng.choice(len(s.players), p=np.array(s.players) / sum(s.players)))
            index = self._numbers[map_, rules, players]
            if self._open[index]:
                return index
