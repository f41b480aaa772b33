"""The class `Conditions`: the map, the rules and the other conditions under which matches are played."""

from __future__ import annotations

from dataclasses import dataclass

from warlight_env.arena.games.game_loop import Picks
from warlight_env.train.common.checks import check_whole


@dataclass(frozen=True)
class Conditions:
    """The map, the rules and the other conditions of games, but not the players.

    Args:
        map: the name of a bundled map, generated:REGIONS:SEED, or a map file.
        rules: the name of a preset of rules.
        picks: whether start regions are random, or picked by the agents.
        max_rounds: number of rounds after which a game is a draw.
    """

    map: str = "world"
    rules: str = "thesis"
    picks: Picks = "random"
    max_rounds: int = 300

    def __post_init__(self) -> None:
        check_whole(self, 1, "max_rounds")
