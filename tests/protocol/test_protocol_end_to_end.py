"""The project's game server and bots play over pipes, and their games equal games inside the engine."""

from __future__ import annotations

import pytest

from protocol_helpers import our_bot
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import pick_regions, play_rounds, round_limit
from warlight_env.engine.rng import derive_seed
from warlight_env.game import Game


def final_state(agents, rules: str, seed: int) -> tuple[str, int, int]:
    """Return a game's last position with its dice, its number of rounds, and the number of dropped orders."""
    game = Game("world", rules, seed=seed)
    dropped = len(pick_regions(game, agents))
    for _, result in play_rounds(game, agents, round_limit(game.rules, game.map.n_regions, None)):
        dropped += len(result.dropped)
    return game.hash(), game.round, dropped


def check_game(specs: tuple[str, str], rules: str, number: int) -> None:
    """Compare a game of both bots over pipes with a game of the same bots and beliefs inside the engine."""
    seeds = [derive_seed(number, seat) for seat in range(2)]
    outside = [make_agent(our_bot(spec), seed) for spec, seed in zip(specs, seeds, strict=True)]
    try:
        over_pipes = final_state(outside, rules, number)
    finally:
        for bot in outside:
            bot.close()
    assert [fault for bot in outside for fault in bot.faults] == [], "an answer was dropped, late or out of form"
    inside = [make_agent(f"belief:{spec}", seed) for spec, seed in zip(specs, seeds, strict=True)]
    assert over_pipes == final_state(inside, rules, number)
    assert over_pipes[2] == 0, "an order was illegal"


@pytest.mark.parametrize(
    "specs, rules", [(("mcts:sims=4", "aggressive"), "challenge1"), (("random", "mcts:sims=4"), "challenge2")]
)
def test_games_over_pipes_equal_games_inside_the_engine(specs, rules):
    check_game(specs, rules, 3)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["challenge1", "challenge2"])
def test_two_hundred_games_over_pipes_equal_games_inside_the_engine(rules):
    agents = ["mcts:sims=4", "aggressive", "smart_random", "random", "one_big_army"]
    pairs = [(a, b) for a in agents for b in agents if a != b]
    for number in range(200):  # 20 pairs, each agent on either seat
        check_game(pairs[number % len(pairs)], rules, number)
