"""The games that an opponent supports: numbers of players, sizes of maps, rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from warlight_env.agents.registry import parse
from warlight_env.arena.policies.policy_agent import turn_network_of
from warlight_env.arena.policies.policy_file import PolicyFile, differing_rules, regions_of
from warlight_env.engine.rules import MAX_PLAYERS, PRESETS, Rules

#: An upper bound on the regions of a map: this value means "no limit".
ANY_SIZE: Final = 10**6


@dataclass(frozen=True)
class SupportedGames:
    """The games that an opponent plays.

    Attributes:
        players, regions: smallest and largest number of players, and of regions.
        rules: the rules of the opponent's training; None: any rules.
        picks_itself: whether the opponent picks its starting regions itself, so that the rules of the picking phase
            must also be equal.
    """

    players: tuple[int, int] = (2, MAX_PLAYERS)
    regions: tuple[int, int] = (1, ANY_SIZE)
    rules: Rules | None = None
    picks_itself: bool = True

    def refusal(self, players: int, regions: int | None = None, rules: Rules | None = None) -> str:
        """Return the reason why the opponent does not play a game with these properties.

        The reason is the second part of a sentence that begins with the opponent's name. An empty string means that the
        opponent plays the game.

        Args:
            regions, rules: the number of regions and the rules; not checked if None.
        """
        low, high = self.players
        if not low <= players <= high:
            return f"plays games of {'two' if high == 2 else f'{low} to {high}'} players, not of {players}"
        min_regions, max_regions = self.regions
        if regions is not None and not min_regions <= regions <= max_regions:
            size_text = (
                f"up to {max_regions}"
                if min_regions == 1
                else f"from {min_regions}"
                if max_regions == ANY_SIZE
                else f"{min_regions} to {max_regions}"
            )
            return f"plays on maps of {size_text} regions, not of {regions}"
        differing = differing_rules(self.rules, rules, self.picks_itself) if self.rules and rules else []
        if differing and self.rules:
            return f"was trained for the rules {self.rules.name!r}: {', '.join(differing)}"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the page; ``rules`` has the supported presets, each with and without fog (null: all
        rules).
        """
        presets = [
            [name, fog]
            for name in PRESETS
            for fog in (False, True)
            if self.rules is None or not differing_rules(self.rules, Rules.of(name, fog=fog), self.picks_itself)
        ]
        return {
            "players": self.players,
            "regions": self.regions,
            "rules": None if len(presets) == 2 * len(PRESETS) else presets,
        }


ALL_GAMES: Final = SupportedGames()


def games_of(spec: str) -> SupportedGames:
    """Return the games that a bot plays, from its specification; reads the file of a policy."""
    info, values = parse(spec)
    if info.name != "policy" or turn_network_of(values["text"]) is not None:
        return SupportedGames((2, info.players))
    file = PolicyFile.load(values["text"])
    return SupportedGames((file.players, file.players), regions_of(file.size), file.rules, file.action != "strategies")
