"""Win probabilities from playouts, compared with games that are played one by one."""

from __future__ import annotations

import numpy as np
import pytest

from warlight_env import Game, Rules
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import play_rounds
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities, positions_of, win_shares


def test_win_probabilities_equal_the_win_rates_of_aggressive_bots():
    start = Game("world", seed=8, picks="random")
    for _ in play_rounds(start, [make_agent("aggressive", 1), make_agent("random", 2)], 4):
        pass
    (share, low, high), other = estimate_win_probabilities(
        start.view(0), start.owner.tolist(), start.army.tolist(), 3, 400
    )
    assert low <= share <= high
    assert other[0] == pytest.approx(1 - share, abs=1e-3)
    wins = 0
    for seed in range(200):
        saved = start.to_dict()
        del saved["hash"]
        saved["state"]["rng"] = [seed + 1, 7919 * (seed + 1)]  # the same position with other dice
        game = Game.from_dict(saved)
        for _ in play_rounds(game, [make_agent("aggressive", seed), make_agent("aggressive", seed + 1)], 104):
            pass
        wins += game.winner == 0 if game.done else int((game.owner == 0).sum() > (game.owner == 1).sum())
    spread = np.sqrt(share * (1 - share) * (1 / 400 + 1 / 200))
    assert abs(wins / 200 - share) < 4 * max(spread, 0.01)


def test_a_sole_owner_has_won_and_hidden_regions_are_sampled():
    game = Game("small", Rules.of("thesis", fog=True), seed=1, picks="random")
    view = game.view(0)
    alone = [0 if o == 0 else -1 for o in game.owner.tolist()]
    assert estimate_win_probabilities(view, alone, game.army.tolist(), 1, 20)[0][0] == 1
    seen = estimate_win_probabilities(view, view.owner.tolist(), view.army.tolist(), 1, 100)
    assert 0.05 < seen[0][0] < 0.95
    assert estimate_win_probabilities(view, view.owner.tolist(), view.army.tolist(), 1, 100) == seen


def test_a_batch_of_positions_has_the_results_of_single_calls():
    game, positions = Game("small", players=3, seed=4, picks="random"), []
    for _ in play_rounds(game, [make_agent("aggressive", seed) for seed in range(3)], 6):
        positions.append(game.clone())
    seeds = [2**64 + 5, -3, *range(2, len(positions))]
    together = win_shares(game.view(0), positions_of(positions), seeds, 30)
    for row, start, seed in zip(together.tolist(), positions, seeds, strict=True):
        alone = estimate_win_probabilities(game.view(0), start.owner.tolist(), start.army.tolist(), seed, 30)
        assert row == [share for share, *_ in alone]
    assert len({tuple(row) for row in together.tolist()}) > 1


def test_absent_players_stay_idle_and_win_no_playout():
    start = Game("world", players=3, seed=8, picks="random")
    for _ in play_rounds(start, [make_agent("aggressive", seed) for seed in range(3)], 3):
        pass
    shares = estimate_win_probabilities(start.view(0), start.owner.tolist(), start.army.tolist(), 3, 400, absent=[1])
    assert shares[1][0] == 0 and sum(share for share, *_ in shares) == pytest.approx(1, abs=1e-3)
    wins = 0
    for seed in range(200):
        saved = start.to_dict()
        del saved["hash"]
        saved["state"]["rng"] = [seed + 1, 7919 * (seed + 1)]  # the same position with other dice
        game, bots = Game.from_dict(saved), {p: make_agent("aggressive", seed + p) for p in (0, 2)}
        while not game.done and game.round < 103:
            game.play_round({p: bot.act(game.view(p)) for p, bot in bots.items() if game.alive(p)})
        wins += int((game.owner == 0).sum() > (game.owner == 2).sum())
    share = shares[0][0]
    spread = np.sqrt(share * (1 - share) * (1 / 400 + 1 / 200))
    assert abs(wins / 200 - share) < 4 * max(spread, 0.01)
