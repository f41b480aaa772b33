"""The catalog of opponents: the bots that the page offers, and the games that each of them supports."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from warlight_env.agents.bot_profile import Level
from warlight_env.agents.registry import package_agents, parse, profile_of
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.web.documents.faces import displayed_bot, distinct_names, face_of
from warlight_env.web.errors import RequestError
from warlight_env.web.opponents.leaderboard import ratings_of
from warlight_env.web.opponents.supported_games import SupportedGames, games_of
from warlight_env.web.opponents.user_policies import UserPolicies
from warlight_env.web.requests import NewPlayer
from warlight_env.web.workers.bot_workers import move_seconds

#: The descriptions of bots from other packages and of the user's policies.
PACKAGE_AGENT: Final = "An agent from another package."
USER_POLICY: Final = "A policy from your own folder."


@dataclass(frozen=True)
class OfferedBot:
    """An agent that the page offers.

    Attributes:
        kind: the origin of the agent: built in ("bot"), another package, or a file in the folder of policies.
        problem: the reason why the agent cannot play any game; an empty string if it can play.
    """

    spec: str
    kind: Literal["bot", "package", "file"]
    name: str
    description: str  #: one sentence
    games: SupportedGames
    level: Level | None = None
    problem: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the bot's description for the page."""
        return {
            "spec": self.spec,
            "kind": self.kind,
            "name": self.name,
            "description": self.description,
            "level": self.level,
            "face": face_of(self.spec),
            "seconds": move_seconds(self.spec),
            "problem": self.problem,
            **self.games.to_dict(),
            "ratings": ratings_of(self.spec),
        }


def _offered_bot(spec: str, kind: Literal["bot", "package"]) -> OfferedBot:
    name, games, profile = displayed_bot(spec), games_of(spec), profile_of(spec)
    if profile is not None:
        return OfferedBot(spec, kind, name, profile.description, games, profile.level)
    description = PACKAGE_AGENT if kind == "package" else parse(spec)[0].summary
    return OfferedBot(spec, kind, name, description, games)


class Opponents:
    """The opponents of a server.

    Args:
        bots: the specifications of the bots. files: policies in a folder of the server's owner.
    """

    def __init__(self, bots: Sequence[str], files: UserPolicies) -> None:
        self.files = files
        package_names = [name for name in package_agents() if name not in bots]
        self._bots = {
            spec: _offered_bot(spec, "package" if spec in package_names else "bot") for spec in (*bots, *package_names)
        }

    @property
    def specs(self) -> list[str]:
        """The specifications of the bots that the server always offers.

        The policies in the folder of the server's owner are not included.
        """
        return list(self._bots)

    async def all(self) -> list[OfferedBot]:
        """Return all bots that are offered. The folder of policies is scanned again."""
        bots = [*self._bots.values(), *(await self._folder_policies()).values()]
        names = distinct_names([bot.name for bot in bots], [bot.spec for bot in bots])
        return [replace(bot, name=name) for bot, name in zip(bots, names, strict=True)]

    async def _folder_policies(self) -> dict[str, OfferedBot]:
        policies = await self.files.scan()
        return {
            spec: OfferedBot(spec, "file", displayed_bot(spec), USER_POLICY, file.games, problem=file.problem)
            for spec, file in policies.items()
        }

    async def check(self, spec: str, players: int, regions: int | None = None, rules: Rules | None = None) -> None:
        """Raise `RequestError` for a bot that is not offered, or that does not support a game with these properties.

        regions, rules: not checked if None.
        """
        bot = self._bots.get(spec) or (await self._folder_policies()).get(spec)
        if bot is None:
            raise RequestError(f"this server has no bot {spec!r}", code="no-bot", bot=spec)
        if reason := bot.problem or bot.games.refusal(players, regions, rules):
            raise RequestError(f"{spec} {reason}", code="bot-failed", bot=spec, reason=reason)

    async def check_still_offered(self, bots: Sequence[str | None], game: Game) -> None:
        """Raise `RequestError` if the server no longer offers one of a game's bots. None in `bots`: a person."""
        for spec in bots:
            if spec is not None:
                await self.check(spec, game.players, game.map.n_regions, game.rules)

    async def seated(
        self, players: Sequence[NewPlayer], regions: int | None = None, rules: Rules | None = None
    ) -> list[tuple[str, str | None]]:
        """Return each seat's name and bot specification (None: a person); check that the bots support the game."""
        seats: list[tuple[str, str | None]] = []
        for number, player in enumerate(players, 1):
            if player.bot is not None:
                await self.check(player.bot, len(players), regions, rules)
            name = player.name or player.bot or f"Player {number}"
            if not name.isprintable():
                text = f"player {number}: the name has characters that cannot be printed"
                raise RequestError(text, code="unprintable", player=number)
            seats.append((unique_name(name, [used_name for used_name, _ in seats]), player.bot))
        return seats


def unique_name(name: str, used_names: Collection[str]) -> str:
    """Return a name that differs from all others: the name itself, or the name with a number."""
    numbers = itertools.count(2)
    candidate = name
    while candidate in used_names:
        candidate = f"{name} {next(numbers)}"
    return candidate
