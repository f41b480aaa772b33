"""The catalog of opponents: the bots that the page offers, and the games that each of them supports."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from warlight_env.agents.registry import package_agents, parse
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.web.errors import RequestError
from warlight_env.web.opponents.leaderboard import ratings_of
from warlight_env.web.opponents.supported_games import SupportedGames, games_of
from warlight_env.web.opponents.user_policies import UserPolicies
from warlight_env.web.requests import NewPlayer


@dataclass(frozen=True)
class OfferedBot:
    """An agent that the page offers. kind: its origin. problem: the reason why it cannot play any game; '': it can."""

    spec: str
    kind: Literal["bot", "package", "file"]
    line: str  #: one line that describes the bot
    games: SupportedGames
    problem: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the bot's description for the page."""
        facts = {"spec": self.spec, "kind": self.kind, "line": self.line, "problem": self.problem}
        return {**facts, **self.games.to_dict(), "ratings": ratings_of(self.spec)}


class Opponents:
    """The opponents of a server.

    Args:
        bots: specifications. files: policies in a folder of the server's owner.
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
        """The specifications of the bots that are always offered, without those of the folder."""
        return list(self._known)

    async def all(self) -> list[OfferedBot]:
        """Return all bots that are offered. The folder of policies is scanned again."""
        return [*self._known.values(), *(await self._in_folder()).values()]

    async def _in_folder(self) -> dict[str, OfferedBot]:
        found = await self.files.scan()
        return {spec: OfferedBot(spec, "file", "", file.games, file.problem) for spec, file in found.items()}

    async def check(self, spec: str, players: int, regions: int | None = None, rules: Rules | None = None) -> None:
        """Raise `RequestError` for a bot that is not offered or does not support such a game. None: no check."""
        bot = self._known.get(spec) or (await self._in_folder()).get(spec)
        if bot is None:
            raise RequestError(f"this server has no bot {spec!r}", code="no-bot", bot=spec)
        if refused := bot.problem or bot.games.refusal(players, regions, rules):
            raise RequestError(f"{spec} {refused}", code="bot-failed", bot=spec, reason=refused)

    async def check_still_offered(self, bots: Sequence[str | None], game: Game) -> None:
        """Raise `RequestError` if the server no longer offers one of a game's bots. None in `bots`: a person."""
        for spec in bots:
            if spec is not None:
                await self.check(spec, game.players, game.map.n_regions, game.rules)

    async def seated(
        self, players: Sequence[NewPlayer], regions: int | None = None, rules: Rules | None = None
    ) -> list[tuple[str, str | None]]:
        """Return each seat's name and bot specification (None: a person); check that the bots support such a game."""
        chosen: list[tuple[str, str | None]] = []
        for number, player in enumerate(players, 1):
            if player.bot is not None:
                await self.check(player.bot, len(players), regions, rules)
            name = player.name or player.bot or f"Player {number}"
            if not name.isprintable():
                text = f"player {number}: the name has characters that cannot be printed"
                raise RequestError(text, code="unprintable", player=number)
            chosen.append((unique_name(name, [other for other, _ in chosen]), player.bot))
        return chosen


def unique_name(name: str, others: Collection[str]) -> str:
    """Return a name that differs from all others: the name itself, or the name with a number."""
    numbers = itertools.count(2)
    told = name
    while told in others:
        told = f"{name} {next(numbers)}"
    return told
