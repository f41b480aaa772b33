"""Benchmark suites: opponents, maps, seeds and rules that never change, so that scores are comparable."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from warlight_env import maps
from warlight_env.agents.former_names import with_present_names
from warlight_env.arena.contests.contest_progress import Contest
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_loop import play_rounds
from warlight_env.arena.games.game_setup import AgentSource, MatchSetup
from warlight_env.arena.games.seated_agent import OnCrash
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError, did_you_mean
from warlight_env.game import Game

#: Version of the format of suite files.
FORMAT: Final = 1

#: Parameters of the fingerprints. A fingerprint contains the positions after this number of rounds, in this number of
#: games of an opponent against this agent, the probe.
PROBE, PROBE_GAMES, PROBE_ROUNDS = "aggressive", 4, 8


class BenchError(InputError):
    """The suite does not exist or has changed, or the policy cannot play it."""


@dataclass(frozen=True)
class SuiteRow:
    """A row of a suite: an opponent on a map."""

    opponent: str  #: its name in tables
    spec: str  #: the specification with all parameters, so that new defaults have no effect
    map: str
    games: int
    fingerprint: str  #: fingerprint of the opponent's games

    @property
    def key(self) -> str:
        """The row's unique key."""
        return f"{self.map} / {self.opponent}"


@dataclass(frozen=True)
class Suite:
    """A benchmark suite. Starting regions are random; each seed is played from both seats and counts as one unit."""

    name: str
    seed: int
    rules: Rules
    max_rounds: int
    map_digests: dict[str, str]
    rows: tuple[SuiteRow, ...]

    @classmethod
    def load(cls, name: str = "suite-v1") -> Suite:
        """Return a suite by its name.

        Raises:
            BenchError: there is no such suite, or a bundled map differs from the suite's map.
        """
        if name not in suite_names():
            raise BenchError(
                f"no suite {name!r}{did_you_mean(name, suite_names())}; there are {', '.join(suite_names())}"
            )
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
            rows=tuple(SuiteRow(**{**row, "spec": with_present_names(row["spec"])}) for row in data["rows"]),
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
        """Return the contests of the subject, which is agent 0.

        Args:
            subject: source of the subject.
            only: names of maps; empty: all maps.
            clock: clock of the subject.
            games: largest number of games of each row.
            on_crash: the reaction to a crash.
        """
        found = []
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
            found.append(Contest(row.key, setup, row.games if games is None else min(games, row.games)))
        return found

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each row's opponent against the probe. It should be the one in the file."""
        found = {}
        for contest in self.contests(PROBE, games=PROBE_GAMES):
            told: list[Any] = []
            for number in range(PROBE_GAMES):
                seating = contest.setup.make_seating(number)
                game = Game(contest.setup.map, self.rules, 2, seating.seed, picks="random")
                for _ in play_rounds(game, seating.agents, PROBE_ROUNDS):
                    pass
                told.append([game.round, game.owner.tolist(), game.army.tolist()])
            found[contest.key] = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
        return found

    def changes(self) -> list[str]:
        """Return the keys of the rows with a changed fingerprint: the opponent plays differently. Normally none."""
        now = self.fingerprints()
        return [row.key for row in self.rows if now[row.key] != row.fingerprint]


def suite_names() -> list[str]:
    """Return the names of the suites."""
    folder = resources.files("warlight_env.bench") / "suites"
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))
