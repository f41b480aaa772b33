"""The class `Conditions`: the map, the rules and the other conditions under which matches are played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warlight_env import maps
from warlight_env.agents import make_agent
from warlight_env.agents.base import check_once
from warlight_env.arena.games.game_loop import Picks
from warlight_env.engine.rules import Rules
from warlight_env.train.common.checks import check_integers, naming


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
        check_integers(self, 1, "max_rounds")

    def check(self) -> None:
        """Raise SettingsError if the map or the rules do not exist."""
        with naming("conditions", self.map):
            maps.load(self.map)
            Rules.of(self.rules)

    def check_agents(self, setting: str, agents: Sequence[str]) -> None:
        """Check that agents can play games of two players under these conditions.

        Args:
            setting: the name of the setting that contains the agents, for error messages.
            agents: specifications of agents.

        Raises:
            SettingsError: an agent does not exist, or cannot play on the map or with the rules.
        """
        map_, rules = maps.load(self.map), Rules.of(self.rules)
        with naming(setting, *agents):
            for agent in agents:
                check_once(make_agent(agent, 0), map_, rules, 2)
