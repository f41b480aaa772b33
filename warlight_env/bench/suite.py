"""Benchmark suites: fixed opponents, maps, seeds and rules, so that scores of different policies are comparable."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from warlight_env import maps
from warlight_env.arena.contests.contest_progress import Contest
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_loop import play_rounds
from warlight_env.arena.games.game_setup import AgentSource, MatchSetup
from warlight_env.arena.games.seated_agent import OnCrash
from warlight_env.arguments import short_repr
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError, did_you_mean
from warlight_env.game import Game

#: The version number of the format of suite files.
FORMAT: Final = 1

#: The parameters of fingerprints. The fingerprint of an opponent is a digest of the positions after PROBE_ROUNDS rounds
#: in PROBE_GAMES games of the agent PROBE against this opponent. It changes if the opponent plays differently.
PROBE, PROBE_GAMES, PROBE_ROUNDS = "aggressive", 4, 8


class BenchError(InputError):
    """An error for a suite that does not exist or has changed, and for a policy that cannot play in the suite."""


@dataclass(frozen=True)
class SuiteRow:
    """A row of a suite: an opponent on a map, with a number of games."""

    opponent: str  #: the name of the opponent in tables
    spec: str  #: the opponent's specification; it contains all parameters, so that new default values have no effect
    map: str
    games: int
    fingerprint: str  #: the digest of the opponent's games, see `PROBE_ROUNDS`

    @property
    def key(self) -> str:
        """The key of the row, which is unique in its suite."""
        return f"{self.map} / {self.opponent}"


@dataclass(frozen=True)
class Suite:
    """A benchmark suite: the games that a policy must play.

    The starting regions are drawn at random. The policy plays each seed once on each seat; these two games are a unit.
    """

    name: str
    seed: int
    rules: Rules
    max_rounds: int
    map_digests: dict[str, str]
    rows: tuple[SuiteRow, ...]

    @classmethod
    def load(cls, name: str = "suite-v1") -> Suite:
        """Load a suite by its name.

        Raises:
            BenchError: there is no suite with this name, or a map in this package differs from the suite's map.
        """
        if not isinstance(name, str) or name not in suite_names():
            hint = did_you_mean(name, suite_names()) if isinstance(name, str) else ""
            raise BenchError(f"no suite {short_repr(name)}{hint}; there are {', '.join(suite_names())}")
        text = (resources.files("warlight_env.bench") / "suites" / f"{name}.json").read_text(encoding="utf-8")
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise BenchError(f"suite {name!r} has format {data['format']}, not {FORMAT}")
        suite = cls(
            name=data["name"],
            seed=data["seed"],
            rules=Rules.of(data["rules"]),
            max_rounds=data["max_rounds"],
            map_digests=data["maps"],
            rows=tuple(SuiteRow(**row) for row in data["rows"]),
        )
        for map_name, digest in suite.map_digests.items():
            if maps.load(map_name).digest() != digest:
                raise BenchError(f"suite {name!r}: the map {map_name!r} differs from the map of the suite")
        return suite

    def contests(
        self,
        subject: AgentSource,
        only: tuple[str, ...] = (),
        clock: Clock | None = None,
        games: int | None = None,
        on_crash: OnCrash = "forfeit",
    ) -> list[Contest]:
        """Return a contest for each row of the suite; the tested policy is agent 0, and the opponent is agent 1.

        Args:
            subject: the source of the tested policy.
            only: the names of the maps on which the policy plays; empty: all maps.
            clock: the clock of the tested policy.
            games: the maximum number of games of each row; None: all games of the suite.
            on_crash: the reaction to a failure of an agent, see `OnCrash`.
        """
        contest_list = []
        for i, row in enumerate(self.rows):
            if only and row.map not in only:
                continue
            setup = MatchSetup(
                agents=(subject, row.spec),
                map=maps.load(row.map),
                rules=self.rules,
                seed=derive_seed(self.seed, i),
                paired=True,
                picks="random",
                max_rounds=self.max_rounds,
                clocks=(clock, None),
                on_crash=on_crash,
            )
            contest_list.append(Contest(row.key, setup, row.games if games is None else min(games, row.games)))
        return contest_list

    def fingerprints(self) -> dict[str, str]:
        """Play the games for the fingerprints (see `PROBE_ROUNDS`); return a dict from each row's key to its digest.

        The digests should be equal to the digests in the suite file.
        """
        digests = {}
        for contest in self.contests(PROBE, games=PROBE_GAMES):
            positions: list[Any] = []
            for number in range(PROBE_GAMES):
                seating = contest.setup.make_seating(number)
                game = Game(contest.setup.map, self.rules, 2, seating.seed, picks="random")
                for _ in play_rounds(game, seating.agents, PROBE_ROUNDS):
                    pass
                positions.append([game.round, game.owner.tolist(), game.army.tolist()])
            digests[contest.key] = hashlib.sha256(json.dumps(positions).encode()).hexdigest()[:16]
        return digests

    def changes(self) -> list[str]:
        """Return the keys of the rows in which the opponent now plays differently, so that its digest has changed."""
        now = self.fingerprints()
        return [row.key for row in self.rows if now[row.key] != row.fingerprint]


def suite_names() -> list[str]:
    """Return the names of all suites in this package."""
    folder = resources.files("warlight_env.bench") / "suites"
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))
