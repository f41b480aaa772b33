"""A generator of one's own inside the search, at full speed: python examples/my_generator.py

It takes the thesis's turns and sends along the armies that would stay behind. What that is worth, a match shows.
"""

import functools

import numba

from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.generator_work import THESIS_WAYS
from warlight_env.agents.mcts import MctsAgent
from warlight_env.arena import Match


@numba.njit
def pressing(board, params, evaluation, owner, army, player, ways, rng, work, turns):
    """The thesis's turns; in each, a region's free armies join its first attack."""
    count = generate_turns(board, params, evaluation, owner, army, player, THESIS_WAYS, rng, work, turns)
    for t in range(count):
        orders = turns.attacks[t]
        for i in range(turns.counts[t]):
            source, target = orders[i, 0], orders[i, 1]
            free = army[source] + turns.deploy[t, source] - 1
            for k in range(turns.counts[t]):
                if orders[k, 0] == source:
                    free -= orders[k, 2]
            if owner[target] != player and free > 0:
                orders[i, 2] += free
    return count


if __name__ == "__main__":
    mine = functools.partial(MctsAgent, sims=100, refine=0.0, generator=pressing)
    thesis = functools.partial(MctsAgent, sims=100, refine=0.0, turns="thesis")
    print(Match([mine, thesis], games=100).run(lambda games: print(".", end="", flush=True)))
