"""Batches of games between one-ply players, in compiled code in several threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.players.duels import FEATURES, DuelGames, DuelSettings, make_duel_work, play_duels
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.weights import THESIS, Weights, super_region_terms
from warlight_env.arena.contests.contest_runner import check_jobs
from warlight_env.arena.games.game_loop import Picks
from warlight_env.engine.board import make_board
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules
from warlight_env.engine.setup import check_players, start_game
from warlight_env.engine.state import State, copy_state, make_state, make_workspace
from warlight_env.errors import InputError
from warlight_env.train.common.threads import in_threads

#: The number of games of one kernel call. The number is small, so that all threads get about the same work.
_CHUNK: Final = 64

#: A player: the weights of a one-ply player, or the name of an agent in `agents.players.compiled.COMPILED`.
Duellist = Weights | str


class Traces(NamedTuple):
    """The results of games, and the features of the games' positions."""

    scores: npt.NDArray[np.float64]  #: [B] 1, 0.5 or 0 for agent 0
    rounds: npt.NDArray[np.int32]  #: [B]
    features: npt.NDArray[np.float32]  #: [B, T, 2, F] `players.duels.FEATURES` of agents 0 and 1 before each round


class Duels:
    """Plays two-player games of one-ply players and compiled agents.

    With the same players and seeds, the match engine plays exactly the same games.

    Args:
        map: the map.
        rules: rules without fog and without a limit on the orders of a turn.
        picks: how start regions are chosen, see `Conditions`.
        samples: number of simulated rounds for each candidate turn of a one-ply player.
        max_rounds: a game without a winner after this number of rounds is a draw.
        jobs: number of threads; the games do not depend on it.

    Raises:
        InputError: compiled games do not support the rules, the map is too small for the rules, or `jobs` is below 1.
    """

    def __init__(
        self, map: str | maps.Map = "world", rules: str | Rules = "thesis", *, picks: Picks = "random",
        samples: int = 5, max_rounds: int = 300, jobs: int = 1,
    ) -> None:  # fmt: skip
        game_rules = Rules.of(rules)
        if not plays_compiled(game_rules):
            raise InputError(
                f"rules {game_rules.name!r}: compiled games do not support fog or a limit on a turn's orders"
            )
        check_jobs(jobs)
        self.map = map if isinstance(map, maps.Map) else maps.load(map)
        self.board = make_board(self.map)
        self.params = check_players(self.board, game_rules, 2)
        self.picks, self.samples, self.max_rounds, self.jobs = picks, samples, max_rounds, jobs
        self._terms = super_region_terms(self.board)

    def scores(
        self, players: Sequence[Weights], opponents: Sequence[Duellist], units: int, seed: int
    ) -> npt.NDArray[np.float64]:
        """Return the scores of A players against O opponents, float64[A, O, 2 · units].

        A unit is a pair of games with exchanged seats: games 2u and 2u + 1 have the same offered regions and the same
        dice. All players play with the same seeds against all opponents.
        """
        start, rng = self._start(units, seed)
        out = np.zeros((len(players), len(opponents), 2 * units))
        parts = [
            (out[i, j], player, opponent, low)
            for i, player in enumerate(players)
            for j, opponent in enumerate(opponents)
            for low in range(0, 2 * units, _CHUNK)
        ]

        def play(number: int) -> None:
            scores, player, opponent, low = parts[number]
            part = slice(low, low + _CHUNK)
            self._play(player, opponent, 0.0, _part(start, part), rng[part].copy(), scores[part], None)

        in_threads(play, range(len(parts)), self.jobs)
        return out

    def traces(self, weights: Weights, games: int, seed: int, epsilon: float = 0.0) -> Traces:
        """Play games of self-play; return the features of all positions. epsilon: the probability of a random turn."""
        start, _ = self._start(-(-games // 2), seed)
        out = Traces(
            np.zeros(games), np.zeros(games, dtype=np.int32),
            np.zeros((games, self.max_rounds + 1, 2, len(FEATURES)), dtype=np.float32),
        )  # fmt: skip

        def play(low: int) -> None:
            part = slice(low, min(games, low + _CHUNK))
            state = _part(start, part)
            # Each game has its own generators, because the players of two games with exchanged seats would otherwise
            # make the same random choices.
            rngs = np.array(
                [[make_rng(derive_seed(seed, 1, b, p)) for p in range(2)] for b in range(*part.indices(games))]
            )
            self._play(weights, weights, epsilon, state, rngs, out.scores[part], out.features[part])
            out.rounds[part] = state.round

        in_threads(play, range(0, games, _CHUNK), self.jobs)
        return out

    def _start(self, units: int, seed: int) -> tuple[State, npt.NDArray[np.uint64]]:
        """Return games before the picks, and a generator for each seat.

        The seeds are the same as the seeds of `arena.MatchSetup` and `Game`.
        """
        n = self.board.n_regions
        state, rng = make_state(2 * units, n, 2), np.zeros((2 * units, 2, 2), dtype=np.uint64)
        scratch = make_workspace(n, self.board.n_edges, 2).scratch
        for b in range(2 * units):
            unit = b // 2
            state.rng[b] = make_rng(derive_seed(derive_seed(seed, unit)))
            if not start_game(self.board, self.params, state, b, scratch):
                raise InputError(
                    f"map {self.map.name!r}: cannot find start regions of two players that are not neighbours"
                )
            rng[b] = [make_rng(derive_seed(seed, unit, seat)) for seat in range(2)]
        return state, rng

    def _play(
        self, player: Weights, opponent: Duellist, epsilon: float, state: State, rng: npt.NDArray[np.uint64],
        scores: npt.NDArray[np.float64], trace: npt.NDArray[np.float32] | None,
    ) -> None:  # fmt: skip
        board, bot = self.board, isinstance(opponent, str)
        player_context = make_context(board, self.params, 2, player)
        if isinstance(opponent, str):
            functions = Functions(policy=COMPILED[opponent].policy)
            opponent_context = make_context(board, self.params, 2, THESIS, functions=functions)
        else:
            opponent_context = make_context(board, self.params, 2, opponent)
        samples = np.array([self.samples, 0 if bot else self.samples])
        duel = reference(DuelSettings(samples, epsilon, self.max_rounds, self.picks == "random", self._terms))
        features: Any = np.zeros((0, 1, 2, len(FEATURES)), dtype=np.float32) if trace is None else trace
        work = make_duel_work(board.n_regions, board.n_edges)
        play_duels(
            player_context, opponent_context, duel, DuelGames(state, rng, scores, features), 0, len(scores), work
        )


def plays_compiled(rules: Rules) -> bool:
    """Return whether `Duels` can play games with the given rules."""
    return not rules.fog and rules.max_orders == 0


def _part(state: State, part: slice) -> State:
    """Return a copy of the state of some games. part: the slice of the games' indices."""
    return copy_state(State._make(array[part] for array in state))
