"""Labels for the next value network: the value of a position for each player, from a search or from playouts."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.planning.plans import generate_plans, planned_turn
from warlight_env.agents.players.nash.nash_work import NashSetup, NashWork, make_nash_setup, make_nash_work
from warlight_env.agents.players.nash.round_values import play_at_random, write_playout_values, write_round_values
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.turn_net.candidates import plans_and_samples
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.value.network import win_probabilities
from warlight_env.engine.position import Position, copied, make_position
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.errors import RunError
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.threads import in_threads
from warlight_env.train.value.players import unpack_network
from warlight_env.train.value.positions import ValuedPosition, ValuedPositions
from warlight_env.train.value.settings import ValueSettings

#: The largest number of attempts to compute one label. An attempt fails if the random round ends the game, or if each
#: player has only one candidate turn.
_TRIES: Final = 1000


class Labeller:
    """Computes the values of positions with a search or with playouts.

    Args:
        settings: settings of the run.
        configs: game configs of the run.
        network: the content of the file of the network that evaluates the last positions of simulations. If `network`
            is empty, `settings.weights` evaluate the last positions, and a simulation of a search has two rounds
            instead of one.
    """

    def __init__(self, settings: ValueSettings, configs: GameConfigs, network: bytes) -> None:
        self._settings, self._configs, self._network = settings, configs, unpack_network(network)
        self._net = load_turn_network(settings.net)
        self._functions = Functions(
            evaluation=None if self._network is None else win_probabilities,
            generator=generate_plans if self._net is None else plans_and_samples,
            policy=planned_turn if self._net is None else sampled_turn, capacity=settings.candidates,
        )  # fmt: skip
        #: The number of rounds of a simulation.
        self._rounds = settings.playout_rounds or (2 if self._network is None else 1)
        self._context, self._setup = functools.cache(self._make_context), functools.cache(self._make_setup)
        self._memory = threading.local()

    def value(self, config: int, position: Position, seed: int) -> npt.NDArray[np.float64] | None:
        """Return the win probability of each player, float64[P]; None if each player has only one candidate turn."""
        work, setup = self._begin(config, seed), self._setup(config, self._rounds)
        value = np.zeros(self._configs[config].players)
        if self._settings.playout_rounds:
            write_playout_values(self._context(config), setup, position, self._settings.label_simulations, work, value)
            return value
        has_value = write_round_values(
            self._context(config), setup, position, self._settings.label_simulations, work, value
        )
        return value if has_value else None

    def position_after(self, config: int, position: Position, seed: int) -> Position | None:
        """Return the position after one round of random candidate turns; None if the round ends the game."""
        work, after = self._begin(config, seed), make_position(len(position.owner))
        is_live = play_at_random(self._context(config), self._setup(config, 1), position, work, after)
        return after if is_live else None

    def _make_context(self, config: int) -> Context:
        game_config = self._configs[config]
        return make_context(
            game_config.board, game_config.params, game_config.players, self._settings.weights,
            functions=self._functions, value=self._network, turns=self._net,
        )  # fmt: skip

    def _make_setup(self, config: int, rounds: int) -> NashSetup:
        return make_nash_setup(self._context(config), rounds, 1)

    def _begin(self, config: int, seed: int) -> NashWork:
        """Return the working memory of this thread for a game config, after a reset to the initial state."""
        works: dict[int, NashWork] = self._memory.__dict__.setdefault("works", {})
        if config not in works:
            game_config = self._configs[config]
            works[config] = make_nash_work(
                game_config.board.n_regions,
                game_config.board.n_edges,
                game_config.players,
                self._settings.candidates,
                0,
                1,
            )
        works[config].rng[:] = make_rng(seed)
        return works[config]


def label_positions(
    settings: ValueSettings,
    configs: GameConfigs,
    network: bytes,
    games: ValuedPositions,
    seed: int,
    numbers: Iterable[int],
    jobs: int,
) -> ValuedPositions:
    """Return the labels with the given numbers. Each label is the value of a position from a game with a winner.

    For each label, the function chooses a random game, and then a random position of the game. With probability
    `settings.random_move_share` the function labels the position after one random round, otherwise the chosen position
    itself. If it labels the chosen position itself, the label is a weighted mean of the computed value and the outcome
    of the game; with `settings.outcome_weight` 1, no value is computed.

    Args:
        settings: settings of the run.
        configs: game configs of the run.
        network: the content of the network file that the search uses.
        games: the positions of all games.
        seed: the seed of all labels; the seed and the number of a label determine the label.
        numbers: the numbers of the labels.
        jobs: number of threads.

    Raises:
        RunError: the search found no value for any of the positions that were drawn for a label.
    """
    labeller, won = Labeller(settings, configs, network), _won(games)

    def label(number: int) -> ValuedPosition:
        label_seed = derive_seed(seed, number)
        rng = np.random.default_rng(label_seed)
        for attempt in range(_TRIES if won else 0):
            rows = won[rng.integers(len(won))]
            row, leaf = int(rows[rng.integers(len(rows))]), rng.random() < settings.random_move_share
            config, position = int(games.config_index[row]), games.position(row)
            outcome = games.value[row, : configs[config].players].astype(np.float64)
            if not leaf and settings.outcome_weight == 1:
                return ValuedPosition(config, int(games.game[row]), copied(position), outcome)
            labelled = (
                labeller.position_after(config, position, derive_seed(label_seed, attempt, 0)) if leaf else position
            )
            value = None if labelled is None else labeller.value(config, labelled, derive_seed(label_seed, attempt, 1))
            if labelled is None or value is None:
                continue
            if not leaf:
                value = (1 - settings.outcome_weight) * value + settings.outcome_weight * outcome
            return ValuedPosition(config, int(games.game[row]), copied(labelled), value)
        raise RunError(f"label {number + 1}: no value found for any of {_TRIES} randomly chosen positions")

    return ValuedPositions.from_positions(in_threads(label, numbers, jobs))


def _won(games: ValuedPositions) -> list[npt.NDArray[np.int64]]:
    """Return the indices of the positions of each game that has a winner."""
    rows = np.flatnonzero(games.value.any(axis=1))
    return np.split(rows, np.flatnonzero(np.diff(games.game[rows])) + 1) if len(rows) else []
