"""Games that measure the fitness of candidates: compiled games of one-ply players, or games of the match engine."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.registry import parse
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.contest_progress import Contest
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.games.game_setup import AgentSource, MatchSetup
from warlight_env.arena.matches.match_score import score
from warlight_env.engine.rules import Rules
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.weights.duel_batches import Duels, plays_compiled
from warlight_env.train.weights.genes import CandidatePlayer, ParameterVector

#: An opponent: another candidate, or the name of any agent.
Rival = ParameterVector | str


class Table(Protocol):
    """Plays the games of candidates against their opponents (rivals), and returns the scores."""

    def scores(
        self, players: Sequence[ParameterVector], rivals: Sequence[Rival], units: int, seed: int, name: str
    ) -> npt.NDArray[np.float64]:
        """Return the scores of A players against R opponents (rivals), float64[A, R, 2 · units].

        A unit is a pair of games with one seed and exchanged seats. All players and rivals play with the same seeds.
        """
        ...


class CompiledTable:
    """Plays games of one-ply players in compiled code; see `Duels`."""

    def __init__(self, conditions: Conditions, samples: int, jobs: int) -> None:
        c = conditions
        self._duels = Duels(c.map, c.rules, picks=c.picks, samples=samples, max_rounds=c.max_rounds, jobs=jobs)

    def scores(
        self, players: Sequence[ParameterVector], rivals: Sequence[Rival], units: int, seed: int, name: str
    ) -> npt.NDArray[np.float64]:
        """See `Table.scores`."""
        opponents = [rival if isinstance(rival, str) else rival.weights for rival in rivals]
        return self._duels.scores([player.weights for player in players], opponents, units, seed)


class ArenaTable:
    """Plays games of any agents in the match engine, in processes or on a cluster.

    Each call stores its games in a folder, so that a killed run can continue. The folder with the games is removed
    after the last game, because the journal (the log of the run) then contains the scores.
    """

    def __init__(self, conditions: Conditions, spec: str, jobs: int, backend: str | Backend, folder: Path) -> None:
        self._conditions, self._spec = conditions, spec
        self._jobs, self._backend, self._folder = jobs, backend, folder

    def source(self, rival: Rival) -> AgentSource:
        """Return the source of the agent that plays as the opponent `rival`."""
        return rival if isinstance(rival, str) else CandidatePlayer.of(self._spec, rival)

    def scores(
        self, players: Sequence[ParameterVector], rivals: Sequence[Rival], units: int, seed: int, name: str
    ) -> npt.NDArray[np.float64]:
        """See `Table.scores`."""
        c = self._conditions
        map_, rules = maps.load(c.map), Rules.of(c.rules)

        def contest(i: int, j: int) -> Contest:
            agents = (self.source(players[i]), self.source(rivals[j]))
            return Contest(f"{i}-{j}", MatchSetup(agents, map_, rules, seed, True, c.picks, c.max_rounds), 2 * units)

        contests = [contest(i, j) for i in range(len(players)) for j in range(len(rivals))]
        results = play_contests(contests, jobs=self._jobs, backend=self._backend, folder=self._folder / name)
        if any(result.interrupted for result in results.values()):
            raise KeyboardInterrupt
        shutil.rmtree(self._folder / name)
        scores = [[score(record, 0) for record in results[contest.key].records] for contest in contests]
        return np.array(scores).reshape(len(players), len(rivals), 2 * units)


def make_table(
    conditions: Conditions, spec: str, rivals: Sequence[str], jobs: int, backend: str | Backend, folder: Path
) -> Table:
    """Return the fastest class of games (`Table`) that supports the player, the opponents (rivals) and the rules."""
    info, values = parse(spec)
    known = all(rival in COMPILED for rival in rivals)
    if info.name == "one_ply" and "weights" not in values and known and plays_compiled(Rules.of(conditions.rules)):
        samples: Any = values.get("samples", info.parameters["samples"].default)
        return CompiledTable(conditions, samples, jobs)
    return ArenaTable(conditions, spec, jobs, backend, folder)
