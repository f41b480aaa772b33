"""The catalog of opponents: which bots the page offers, and which games each of them supports."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from warlight_env.agents.registry import package_agents, parse
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.web.errors import RequestError
from warlight_env.web.opponents.ladder import ratings_of
from warlight_env.web.opponents.supported_games import SupportedGames, games_of
from warlight_env.web.opponents.user_policies import UserPolicies
from warlight_env.web.requests import NewPlayer


@dataclass(frozen=True)
class OfferedBot:
    """An agent that is offered. kind: where it comes from. problem: why it cannot be played at all; '': it can."""

    spec: str
    kind: Literal["bot", "package", "file"]
    line: str  #: what it does
    games: SupportedGames
    problem: str = ""

    def told(self) -> dict[str, Any]:
        """As the page is told."""
        facts = {"spec": self.spec, "kind": self.kind, "line": self.line, "problem": self.problem}
        return {**facts, **self.games.told(), "ratings": ratings_of(self.spec)}


class Opponents:
    """The opponents of a server.

    Args:
        bots: specifications. files: policies in a folder of the owner's.
    """

    def __init__(self, bots: Sequence[str], files: UserPolicies) -> None:
        self.files = files
        others = [name for name in package_agents() if name not in bots]
        self._known = {
            spec: OfferedBot(spec, "package" if spec in others else "bot", parse(spec)[0].summary, games_of(spec))
            for spec in (*bots, *others)
        }

    @property
    def specs(self) -> list[str]:
        """Of those that are always there."""
        return list(self._known)

    async def all(self) -> list[OfferedBot]:
        """All of them, those in the folder as it is now."""
        return [*self._known.values(), *(await self._in_folder()).values()]

    async def _in_folder(self) -> dict[str, OfferedBot]:
        found = await self.files.look()
        return {spec: OfferedBot(spec, "file", "", file.games, file.problem) for spec, file in found.items()}

    async def check(self, spec: str, players: int, regions: int | None = None, rules: Rules | None = None) -> None:
        """Refuse a bot that is not offered, or not for such a game; None: not known, and not asked for."""
        bot = self._known.get(spec) or (await self._in_folder()).get(spec)
        if bot is None:
            raise RequestError(f"no bot {spec!r} is offered here", code="no-bot", bot=spec)
        if refused := bot.problem or bot.games.refusal(players, regions, rules):
            raise RequestError(f"{spec} {refused}", code="bot-failed", bot=spec, reason=refused)

    async def still(self, bots: Sequence[str | None], game: Game) -> None:
        """Refuse a game's bots (None: a person) where one of them is not offered any more."""
        for spec in bots:
            if spec is not None:
                await self.check(spec, game.players, game.map.n_regions, game.rules)

    async def seated(
        self, players: Sequence[NewPlayer], regions: int | None = None, rules: Rules | None = None
    ) -> list[tuple[str, str | None]]:
        """Name and bot's spec (None: a person) by seat, in such a game."""
        chosen: list[tuple[str, str | None]] = []
        for number, player in enumerate(players, 1):
            if player.bot is not None:
                await self.check(player.bot, len(players), regions, rules)
            name = player.name or player.bot or f"Player {number}"
            if not name.isprintable():
                text = f"player {number}: the name has characters that cannot be printed"
                raise RequestError(text, code="unprintable", player=number)
            chosen.append((told_apart(name, [other for other, _ in chosen]), player.bot))
        return chosen


def told_apart(name: str, others: Collection[str]) -> str:
    """A name that no other has: with a number where that is so already."""
    numbers = itertools.count(2)
    told = name
    while told in others:
        told = f"{name} {next(numbers)}"
    return told
