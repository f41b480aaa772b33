"""Compute results of `simulate` on two devices, and compare them bit by bit.

    NUMBA_ENABLE_CUDASIM=1 python tests/device_scenarios.py TURNS SCENARIOS

See `device_runs` about the environment variable.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

from warlight_env import Game, simulate
from warlight_env.agents import make_agent

#: The map, the rules and the number of players of the positions, by name. The turns come from the bot.
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "thesis": ({"map": "small"}, "aggressive"),
    "challenge1": ({"map": "world", "rules": "challenge1"}, "smart_random"),
    "challenge2, three players": ({"map": "small", "rules": "challenge2", "players": 3}, "random"),
    "six players": ({"map": "world", "players": 6}, "aggressive"),
}


def positions_of(case: str, count: int) -> tuple[list[Game], list[list[Any]]]:
    """Return positions after up to 12 rounds of games between copies of the bot, and its turns in them."""
    arguments, bot = CASES[case]
    positions, turns = list[Game](), list[list[Any]]()
    for seed in range(count):
        game = Game(**arguments, picks="random", seed=seed)
        agents = [make_agent(bot, seed + p) for p in range(game.players)]
        for _ in range(seed % 13):
            after = game.clone()
            after.play_round([agent.act(after.view(p)) for p, agent in enumerate(agents)])
            if after.done:
                break
            game = after
        positions.append(game)
        turns.append([agent.act(game.view(p)) for p, agent in enumerate(agents)])
    return positions, turns


def compare(case: str, turns: int, scenarios: int) -> int:
    """Compare the results of both devices; return the number of results after which the game is over.

    Raises AssertionError with the names of the arrays that differ.
    """
    positions, several = positions_of(case, turns)
    for common in (False, True):
        plain = simulate(positions, several, scenarios, seed=3, common=common)
        cuda = simulate(positions, several, scenarios, seed=3, common=common, device="cuda")
        different = [
            name for name, a, b in zip(plain._fields, plain, cuda, strict=True)
            if a.dtype != b.cpu().numpy().dtype or a.shape != tuple(b.shape) or a.tobytes() != b.cpu().numpy().tobytes()
        ]  # fmt: skip
        assert not different, f"{case}: {different} differ"
    return int(plain.over.sum())


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # the simulator computes with NumPy's integers, which warn
    for name in CASES:
        over = compare(name, int(sys.argv[1]), int(sys.argv[2]))
        print(f"simulate, {name}: equal; {over} games over", flush=True)
