"""`simulate`: the results of many turns, each with many seeds of the dice, in one call of compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import is_integer, seed_of, short_repr
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders, check_turn
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import check_players
from warlight_env.engine.state import OVER, State, make_scratch
from warlight_env.game import Game, GameError
from warlight_env.simulation.scenarios import Results, ScenarioTurns, make_results, play_scenarios
from warlight_env.step_results import IllegalOrdersError, dropped_orders

#: The largest number of rounds in one call, so that a mistake does not exhaust the memory.
_MOST_ROUNDS = 2**24


class Outcomes(NamedTuple):
    """The positions after one round, for T turns and K scenarios, on a map with N regions, with P players."""

    owner: npt.NDArray[np.int8]  #: [T, K, N] the owner of each region; -1: neutral
    army: npt.NDArray[np.int32]  #: [T, K, N] the armies in each region
    winner: npt.NDArray[np.int8]  #: [T, K] the winner; -1: the game goes on, or it is a draw
    over: npt.NDArray[np.bool_]  #: [T, K] whether the game is over
    shares: npt.NDArray[np.float64]  #: [T, K, P] the fraction of all regions that each player owns
    seeds: npt.NDArray[np.uint64]  #: [T, K] the seed of the dice, for `Game.clone`


class TensorOutcomes(NamedTuple):
    """The same as `Outcomes`, with PyTorch tensors on one device."""

    owner: Any  #: int8[T, K, N]
    army: Any  #: int32[T, K, N]
    winner: Any  #: int8[T, K]
    over: Any  #: bool[T, K]
    shares: Any  #: float64[T, K, P]
    seeds: Any  #: uint64[T, K]


_Turns = Sequence[Sequence[Orders | None] | Mapping[int, Orders | None]]


@overload
def simulate(
    positions: Game | Sequence[Game], turns: _Turns, scenarios: int = 64, *, seed: int = 0, common: bool = False,
    device: None = None,
) -> Outcomes: ...  # fmt: skip


@overload
def simulate(
    positions: Game | Sequence[Game], turns: _Turns, scenarios: int = 64, *, seed: int = 0, common: bool = False,
    device: str,
) -> TensorOutcomes: ...  # fmt: skip


def simulate(
    positions: Game | Sequence[Game],
    turns: _Turns,
    scenarios: int = 64,
    *,
    seed: int = 0,
    common: bool = False,
    device: str | None = None,
) -> Outcomes | TensorOutcomes:
    """Play one round with each of T turns under each of K scenarios, and return all T * K results.

    A scenario is a seed of the dice. Each pair of a turn and a scenario has its own seed, so all results are
    independent. With ``common=True``, all turns have the same K seeds (common random numbers): this reduces the
    variance of the difference between two turns, but the results of different turns are then not independent.

    ``position.clone(seed=int(outcomes.seeds[t, k])).play_round(turns[t])`` repeats a single result.

    Args:
        positions: the position before the round, or a list of T positions, one for each turn. All positions must have
            the same map, rules and number of players, and the phase must be "play". The round uses the true position,
            also under fog of war. The function does not change the objects in `positions`.
        turns: T turns. A turn has the `Orders` of all players: a list with an entry for each player, or a dict by
            player. If the `Orders` of a player are None, or a dict has no entry for a player, this player does nothing.
        scenarios: K, the number of scenarios, at least 1. The number of results, T * K, must be at most 2**24.
        seed: any integer, from which all seeds are derived.
        common: whether all turns have the same seeds.
        device: None for NumPy arrays (`Outcomes`), or "cpu" or "cuda" for PyTorch tensors on this device
            (`TensorOutcomes`). On "cuda" the GPU plays the rounds, and the results stay in its memory. All results are
            equal on both devices, to the last bit.

    Raises:
        GameError: an argument is invalid; the message names the turn and the player.
        DeviceError: there is no GPU, or the results do not fit in its memory.
        IllegalOrdersError: an order is illegal.
    """
    games = _games_of(positions, turns)
    if not is_integer(scenarios) or not 1 <= scenarios <= _MOST_ROUNDS // len(turns):
        raise GameError(
            f"scenarios = {short_repr(scenarios)}: must be an integer from 1 to {_MOST_ROUNDS // len(turns)} "
            f"for {len(turns)} turns"
        )
    if not isinstance(common, bool):
        raise GameError(f"common = {short_repr(common)}: must be True or False")
    if not isinstance(device, str | None) or device not in (None, "cpu", "cuda"):
        raise GameError(f"device = {short_repr(device)}: must be None, 'cpu' or 'cuda'")
    word, first, count = seed_of(seed, GameError) & (2**64 - 1), games[0], len(turns)
    board = make_board(first.map)
    params = check_players(board, first.rules, first.players)
    n, players = board.n_regions, first.players
    deploy, attacks = np.zeros((count, players, n), np.int32), np.zeros((count, players, board.n_edges, 3), np.int32)
    counts = np.zeros((count, players), np.int32)
    starts = {key: game.arrays() for key, game in {id(game): game for game in games}.items()}
    checked: dict[tuple[int, int, int], tuple[int, int]] = {}
    for t, (game, turn) in enumerate(zip(games, turns, strict=True)):
        for player, orders in _by_player(turn, t, players).items():
            key = id(game), player, id(orders)
            if key in checked:  # checked before, for example the same orders of an opponent in all turns
                for array in (deploy, attacks, counts):
                    array[t, player] = array[checked[key]]
                continue
            counts[t, player], dropped, reasons = check_turn(
                board, params, starts[id(game)].owner[0], player, game.income(player), orders, deploy[t, player],
                attacks[t, player],
            )  # fmt: skip
            if dropped:
                raise IllegalOrdersError(dropped_orders(player, orders, reasons))
            checked[key] = t, player
    start = State(*(np.concatenate(arrays) for arrays in zip(*starts.values(), strict=True)))
    row = {key: i for i, key in enumerate(starts)}
    start_index = np.array([row[id(game)] for game in games], np.int64)
    attacks = np.ascontiguousarray(attacks[:, :, : max(1, int(counts.max()))])
    scenario_turns = ScenarioTurns(
        start_index, deploy, attacks, counts, np.array([word], np.uint64), int(scenarios), common
    )
    results = _results_on(device, params, start, scenario_turns)
    shape, state = (count, int(scenarios)), results.state
    kind = Outcomes if device is None else TensorOutcomes
    return kind(
        state.owner.reshape(*shape, n), state.army.reshape(*shape, n), state.winner.reshape(shape),
        (state.phase == OVER).reshape(shape), results.shares.reshape(*shape, players), results.seeds.reshape(shape),
    )  # fmt: skip


def _results_on(device: str | None, params: RuleParams, start: State, turns: ScenarioTurns) -> Results:
    """Compute the results of all turns and scenarios. device: see `simulate`."""
    if device == "cuda":
        from warlight_env.simulation.gpu import simulate_on_gpu

        return simulate_on_gpu(params, start, turns)
    regions, players = start.owner.shape[1], turns.counts.shape[1]
    results = make_results(len(turns.counts) * turns.scenarios, regions, players)
    play_scenarios(
        params, reference(start), turns, reference(results.state), results.shares, results.seeds,
        make_scratch(regions, players),
    )  # fmt: skip
    if device is None:
        return results
    import torch

    tensor: Any = torch.from_numpy
    return Results(State(*map(tensor, results.state)), *map(tensor, results[1:]))


def _games_of(positions: Any, turns: Any) -> list[Game]:
    """Return the position of each turn; raise GameError if the positions or the number of turns are invalid."""
    if not isinstance(turns, Sequence) or not turns:
        raise GameError(f"turns = {short_repr(turns)}: must be a list of at least one turn")
    games = [positions] * len(turns) if isinstance(positions, Game) else positions
    if not isinstance(games, Sequence) or len(games) != len(turns):
        raise GameError(f"positions: must be a `Game`, or a list of {len(turns)} games, one for each turn")
    for t, game in enumerate(games):
        if not isinstance(game, Game):
            raise GameError(f"positions[{t}] = {short_repr(game)}: must be a `Game`")
        if game.phase != "play":
            raise GameError(f"positions[{t}]: the phase must be 'play', not {game.phase!r}")
        first = games[0]
        if game is not first and (game.map, game.rules, game.players) != (first.map, first.rules, first.players):
            raise GameError(f"positions[{t}]: must have the map, the rules and the number of players of positions[0]")
    return list(games)


def _by_player(turn: Any, t: int, players: int) -> dict[int, Orders]:
    """Return the orders in turn number t by player, without the players who do nothing."""
    if not isinstance(turn, Mapping) and (not isinstance(turn, Sequence) or len(turn) != players):
        raise GameError(f"turns[{t}]: must be a list of {players} `Orders`, one for each player, or a dict by player")
    by_player = dict(turn) if isinstance(turn, Mapping) else dict(enumerate(turn))
    for player, orders in by_player.items():
        if not is_integer(player) or not 0 <= player < players:
            raise GameError(f"turns[{t}]: no player {short_repr(player)}; the players are 0 to {players - 1}")
        if not isinstance(orders, Orders | None):
            raise GameError(f"turns[{t}], player {player}: must be `Orders` or None, not {type(orders).__name__}")
    return {int(player): orders for player, orders in by_player.items() if orders is not None}
