"""`Tournament`: the settings of a tournament (its agents, pairings, maps, rules and games), and its log folders."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from warlight_env import maps
from warlight_env.agents.imported import is_imported
from warlight_env.agents.registry import parse
from warlight_env.arena.contests.contest_progress import Contest
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_loop import Picks
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.arena.games.seated_agent import OnCrash, OnLate
from warlight_env.arguments import check_choice, is_integer, is_number, short_repr
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import SEEDS, derive_seed
from warlight_env.engine.rules import MAX_PLAYERS, Rules
from warlight_env.engine.setup import check_players
from warlight_env.errors import InputError

#: The maximum number of pairings (sets of agents that play against each other). More pairings are probably a mistake:
#: 20 agents in games of 6 players have 38,760 pairings.
MAX_CONTESTS: Final = 10_000

#: The maximum number of characters of the name of a contest's folder for logs.
LONGEST: Final = 100


class TournamentError(InputError):
    """An error for a tournament with impossible settings. The error message contains the key and the reason."""


Format = Literal["round-robin", "gauntlet"]


@dataclass(frozen=True)
class Entrant:
    """An agent in a tournament."""

    name: str  #: the agent's name in the tables of results
    spec: str  #: the agent's specification, such as ``mcts:sims=50``
    clock: Clock | None = None  #: the agent's clock; None: the clock of the tournament
    #: whether the agent plays in its own process, see `IsolatedAgent`; None: only an agent from a module or a file
    isolate: bool | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not isinstance(self.spec, str):
            raise TournamentError(f"agents: name and spec must be strings, not {short_repr((self.name, self.spec))}")
        if not isinstance(self.clock, Clock | None):
            raise TournamentError(f"agents: clock = {short_repr(self.clock)}: must be a `Clock` or None")
        if not isinstance(self.isolate, bool | None):
            raise TournamentError(f"agents: isolate = {short_repr(self.isolate)}: must be True, False or None")

    @property
    def played_spec(self) -> str:
        """The specification with which the agent plays.

        The specification begins with ``isolated:`` if the agent has its own process. If `isolate` is None, the agent
        has its own process only on systems that support isolated processes.
        """
        isolate = is_imported(self.spec) and hasattr(os, "setsid") if self.isolate is None else self.isolate
        return f"isolated:{self.spec}" if isolate else self.spec


@dataclass(frozen=True)
class Tournament:
    """The settings of a tournament.

    Args:
        name: the title of the tournament.
        entrants: two or more agents with different names.
        format: "round-robin": all agents play against each other. "gauntlet": each challenger plays against all agents
            that are not challengers; no other games are played.
        challengers: the names of the challengers in a gauntlet.
        players: the number of players in a game, 2 to 6. Every set of `players` agents plays games together; in a
            gauntlet, each set contains one challenger.
        games: the number of games of each set of agents, on each map and with each set of rules.
        seed: the seed of all random choices.
        maps, rules: the tournament is played with every combination of a map and a set of rules.
        paired: whether each seed is played once with each rotation of the seats.
        picks: "random": the starting regions are drawn at random. "agents": the agents pick them.
        max_rounds: the number of rounds after which a game is stopped as a draw; None: the limit of the rules, or 500.
        clock: the limit on time or simulations of each agent without an own clock; None: the agents' own parameters.
        on_crash, on_late: the reaction to an agent that fails or answers too late; see `OnCrash` and `OnLate`.
        anchor: the name of an agent with a fixed rating; None: the mean of all ratings is 0.
        anchor_elo: the rating of the agent `anchor`.
    """

    name: str
    entrants: tuple[Entrant, ...]
    format: Format = "round-robin"
    challengers: tuple[str, ...] = ()
    players: int = 2
    games: int = 100
    seed: int = 1
    maps: tuple[maps.Map, ...] = field(default_factory=lambda: (maps.load("world"),))
    rules: tuple[Rules, ...] = (Rules(),)
    paired: bool = True
    picks: Picks = "random"
    max_rounds: int | None = None
    clock: Clock | None = None
    on_crash: OnCrash = "forfeit"
    on_late: OnLate = "report"
    anchor: str | None = None
    anchor_elo: float = 0.0

    def _check_types(self) -> None:
        """Raise TournamentError if a field has a wrong type or an impossible value."""

        def require(is_valid: bool, name: str, expected: str) -> None:
            if not is_valid:
                raise TournamentError(f"{name} = {short_repr(getattr(self, name))}: must be {expected}")

        for name, kind in (("entrants", Entrant), ("challengers", str), ("maps", maps.Map), ("rules", Rules)):
            values = getattr(self, name)
            is_valid = isinstance(values, tuple | list) and all(isinstance(value, kind) for value in values)
            require(is_valid, name, f"a list of {kind.__name__}")
        for name, choices in (
            ("format", get_args(Format)), ("picks", get_args(Picks)), ("on_crash", get_args(OnCrash)),
            ("on_late", get_args(OnLate)),
        ):  # fmt: skip
            check_choice(getattr(self, name), name, choices, TournamentError)
        require(isinstance(self.name, str), "name", "a string")
        require(is_integer(self.players) and 2 <= self.players <= MAX_PLAYERS, "players", f"in 2 .. {MAX_PLAYERS}")
        require(is_integer(self.games) and 1 <= self.games < 2**63, "games", "an integer from 1 up")
        require(is_integer(self.seed) and abs(self.seed) < SEEDS, "seed", "an integer of fewer than 300 digits")
        require(isinstance(self.paired, bool), "paired", "True or False")
        rounds = self.max_rounds
        require(rounds is None or (is_integer(rounds) and rounds >= 1), "max_rounds", "an integer from 1 up, or None")
        require(isinstance(self.clock, Clock | None), "clock", "a `Clock` or None")
        require(isinstance(self.anchor, str | None), "anchor", "a name or None")
        require(is_number(self.anchor_elo), "anchor_elo", "a number")

    def __post_init__(self) -> None:
        self._check_types()
        names = [entrant.name for entrant in self.entrants]
        for name in names:
            if names.count(name) > 1:
                raise TournamentError(f"agents: two agents have the name {name!r}; give them different names")
        if len(names) < self.players:
            raise TournamentError(
                f"agents: games of {self.players} players need at least {self.players} agents, not {len(names)}"
            )
        for key, named in (("anchor", [] if self.anchor is None else [self.anchor]), ("challengers", self.challengers)):
            for name in named:
                if name not in names:
                    raise TournamentError(f"{key}: no agent is named {name!r}; there are {', '.join(names)}")
        if (self.format == "gauntlet") != bool(self.challengers):
            raise TournamentError("challengers: a gauntlet needs challengers, a round robin must not have any")
        if self.format == "gauntlet" and len(names) - len(self.challengers) < self.players - 1:
            raise TournamentError(
                f"challengers: a game needs {self.players - 1} agents that are not challengers; there are too few"
            )
        if self.anchor is None and self.anchor_elo != 0:
            raise TournamentError("anchor_elo: needs anchor, the name of the agent with this rating")
        for entrant in self.entrants:
            parse(entrant.played_spec)
        for map_, rules in itertools.product(self.maps, self.rules):
            check_players(make_board(map_), rules, self.players)
        if len(self.tables()) * len(self.maps) * len(self.rules) > MAX_CONTESTS:
            raise TournamentError(f"agents: more than {MAX_CONTESTS:,} pairings")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agents, in the order of `entrants`."""
        return tuple(entrant.name for entrant in self.entrants)

    def tables(self) -> list[tuple[int, ...]]:
        """Return the sets of agents that play against each other, as tuples of increasing indices of `entrants`."""
        indices = range(len(self.entrants))
        if self.format == "round-robin":
            return list(itertools.combinations(indices, self.players))
        hosts = {self.names.index(name) for name in self.challengers}
        guests = [i for i in indices if i not in hosts]
        guest_groups = list(itertools.combinations(guests, self.players - 1))
        return [tuple(sorted((host, *group))) for host in sorted(hosts) for group in guest_groups]

    def contests(self, log: Path | None = None) -> list[Contest]:
        """Return all contests: one for each map, each set of rules and each set of agents.

        The key of a contest contains the names of the map, the rules and the agents.

        Args:
            log: a folder for logs. Each contest writes the logs of its games to a subfolder, see `log_folder`. None: no
                logs.
        """
        contest_list: list[Contest] = []
        for map_, rules, table in itertools.product(self.maps, self.rules, self.tables()):
            setup = MatchSetup(
                agents=tuple(self.entrants[i].played_spec for i in table),
                map=map_,
                rules=rules,
                seed=derive_seed(self.seed, len(contest_list)),
                paired=self.paired,
                picks=self.picks,
                max_rounds=self.max_rounds,
                clocks=tuple(self.entrants[i].clock or self.clock for i in table),
                on_crash=self.on_crash,
                on_late=self.on_late,
                log=None if log is None else log_folder(log, len(contest_list) + 1, [self.names[i] for i in table]),
                labels=tuple(self.names[i] for i in table),
            )
            matchup = " : ".join(self.entrants[i].name for i in table)
            contest_list.append(Contest(f"{map_.name} / {rules.name} / {matchup}", setup, self.games))
        return contest_list

    def seated(self) -> list[tuple[int, ...]]:
        """Return the agents in each contest, in the order of `contests`, as tuples of indices of `entrants`."""
        return self.tables() * (len(self.maps) * len(self.rules))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings of the tournament as JSON data."""
        return {
            "name": self.name,
            "format": self.format,
            "challengers": list(self.challengers),
            "players": self.players,
            "games": self.games,
            "seed": self.seed,
            "maps": [map_.name for map_ in self.maps],
            "rules": [rules.name for rules in self.rules],
            "paired": self.paired,
            "picks": self.picks,
            "max_rounds": self.max_rounds,
            "clock": str(self.clock or "none"),
            "on_crash": self.on_crash,
            "on_late": self.on_late,
            "anchor": self.anchor,
            "anchor_elo": self.anchor_elo,
            "agents": [
                {"name": e.name, "spec": e.played_spec, "clock": str(e.clock or self.clock or "none")}
                for e in self.entrants
            ],
        }


def log_folder(logs: Path, number: int, names: Sequence[str]) -> Path:
    """Return the folder for the logs of a contest, such as ``12-Ann-vs-Bo``.

    Characters of names other than letters, digits, "_" and "." become "-".

    Args:
        logs: the folder for all logs of the tournament.
        number: the number of the contest, from 1.
        names: the names of the players.
    """
    players = "-vs-".join(re.sub(r"[^\w.]+", "-", name).strip("-.") or "player" for name in names)
    return logs / f"{number}-{players}"[:LONGEST].rstrip("-.")


def find_log_folder(logs: Path, number: int) -> Path:
    """Return the path of the folder with the logs of a contest.

    In a tournament without logs, the returned folder does not exist.
    """
    return next((path for path in sorted(logs.glob(f"{number}-*")) if path.is_dir()), logs / str(number))
