"""`simulate`: equal to rounds of clones; independent or common dice; errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from env_helpers import SMALL
from warlight_env import Game, IllegalOrdersError, Orders, battle_odds, simulate
from warlight_env.agents.players.aggressive import AggressiveAgent
from warlight_env.errors import InputError
from warlight_env.tensor_env import DeviceError, toolkit


def attack_of(game: Game) -> Orders:
    """Return an attack of player 0 with all its armies on a neighbouring region."""
    owner = np.array(game.owner)
    home, target = next((r, s) for r in np.flatnonzero(owner == 0) for s in game.map.neighbors[r] if owner[s] != 0)
    armies = int(game.army[home]) + game.income(0) - 1
    return Orders([(int(home), game.income(0))], [(int(home), int(target), armies)])


def games(count: int, players: int = 2) -> list[Game]:
    return [Game(SMALL, "thesis", players, seed=seed, picks="random") for seed in range(count)]


@pytest.mark.parametrize("players", [2, 4])
def test_each_scenario_equals_a_round_of_a_clone(players):
    positions = games(3, players)
    turns = [[AggressiveAgent(p).act(game.view(p)) for p in range(players)] for game in positions]
    result = simulate(positions, turns, 5, seed=9)
    assert result.owner.shape == (3, 5, 12) and result.shares.shape == (3, 5, players)
    for t, (game, turn) in enumerate(zip(positions, turns, strict=True)):
        before = game.hash()
        for k in range(5):
            clone = game.clone(seed=int(result.seeds[t, k]))
            clone.play_round(turn)
            assert result.owner[t, k].tolist() == list(clone.owner)
            assert result.army[t, k].tolist() == list(clone.army)
            assert result.over[t, k] == clone.done
            assert result.winner[t, k] == (-1 if clone.winner is None else clone.winner)
            shares = [sum(owner == p for owner in clone.owner) / 12 for p in range(players)]
            assert result.shares[t, k].tolist() == shares
        assert game.hash() == before


def test_results_of_turns_are_independent_unless_the_dice_are_common():
    game = games(1)[0]
    turn = {0: attack_of(game)}
    target = turn[0].attacks[0][1]
    independent = simulate(game, [turn] * 2, 4000, seed=1)
    assert len(np.unique(independent.seeds)) == 8000
    army = independent.army[:, :, target].astype(float)
    assert abs(np.corrcoef(army)[0, 1]) < 0.06  # about four standard errors
    common = simulate(game, [turn] * 2, 50, seed=1, common=True)
    assert np.array_equal(common.seeds[0], common.seeds[1])
    assert np.array_equal(common.owner[0], common.owner[1]) and np.array_equal(common.army[0], common.army[1])
    assert np.array_equal(common.owner[0], independent.owner[0, :50])


def test_the_dice_have_the_exact_distribution():
    game = games(1)[0]
    orders = attack_of(game)
    _, target, armies = orders.attacks[0]
    result = simulate(game, [{0: orders}], 20_000, seed=3)
    odds = battle_odds(armies, int(game.army[target]), game.rules)
    share = (result.owner[0, :, target] == 0).mean()
    error = (odds.capture * (1 - odds.capture) / 20_000) ** 0.5
    assert abs(share - odds.capture) < 4 * error + 1e-12
    runs = (result.owner[0, 1:, target] == result.owner[0, :-1, target]).mean()
    assert abs(runs - (share**2 + (1 - share) ** 2)) < 0.03  # neighbouring scenarios are independent


def test_with_a_device_the_results_are_tensors():
    game = games(1)[0]
    turns = [{0: attack_of(game)}, {}]
    arrays, tensors = simulate(game, turns, 4, seed=5), simulate(game, turns, 4, seed=5, device="cpu")
    for array, tensor in zip(arrays, tensors, strict=True):
        assert isinstance(tensor, torch.Tensor)
        assert tensor.numpy().dtype == array.dtype and np.array_equal(tensor.numpy(), array)


@pytest.mark.skipif(toolkit.missing() is None, reason="this machine has a GPU")
def test_missing_gpu_raises_an_error():
    with pytest.raises(DeviceError, match="device = 'cuda': "):
        simulate(games(1)[0], [[None, None]], device="cuda")


def test_invalid_arguments_raise_an_error():
    game = games(1)[0]
    other, finished = Game("small", picks="random"), Game(SMALL)
    nothing = [None, None]
    for match, arguments in (
        (r"^turns = \[\]: must be a list of at least one turn", (game, [])),
        (r"^positions: must be a `Game`, or a list of 1 games", ([game, game], [nothing])),
        (r"^positions\[0\] = 3: must be a `Game`", ([3], [nothing])),
        (r"^positions\[1\]: must have the map", ([game, other], [nothing] * 2)),
        (r"^positions\[0\]: the phase must be 'play', not 'pick'", (finished, [nothing])),
        (r"^turns\[0\]: must be a list of 2 `Orders`", (game, [[None]])),
        (r"^turns\[1\]: no player 2", (game, [nothing, {2: None}])),
        (r"^turns\[0\], player 1: must be `Orders` or None, not int", (game, [[None, 3]])),
        (r"^scenarios = 0: must be an integer from 1 to 16777216", (game, [nothing], 0)),
        (r"^scenarios = 16777216: must be an integer from 1 to 8388608", (game, [nothing] * 2, 2**24)),
    ):
        with pytest.raises(InputError, match=match):
            simulate(*arguments)
    with pytest.raises(InputError, match=r"^seed = 'a'"):
        simulate(game, [nothing], seed="a")
    with pytest.raises(InputError, match=r"^common = 1: must be True or False"):
        simulate(game, [nothing], common=1)
    for device in ("tpu", 0):
        with pytest.raises(InputError, match=rf"^device = {device!r}: must be None, 'cpu' or 'cuda'"):
            simulate(game, [nothing], device=device)
    home = list(game.owner).index(0)
    with pytest.raises(IllegalOrdersError):
        simulate(game, [[Orders([(home, 1000)]), None]])
