"""Use your own compiled generator of candidate turns in the tree search: python examples/my_generator.py

The generator takes the candidate turns of the thesis (Palášek 2019) and adds all free armies to attacks.
A match compares it with the original generator.
"""

import functools

import numba

from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.players.mcts import MctsAgent
from warlight_env.arena import Match


@numba.njit
def pressing(context, position, player, rng, work, turns):
    """Generate the configured candidate turns; in each turn, a region's free armies join its first attack."""
    count = generate_turns(context, position, player, rng, work, turns)
    for t in range(count):
        orders = turns.attacks[t]
        for i in range(turns.counts[t]):
            source, target = orders[i, 0], orders[i, 1]
            free = position.army[source] + turns.deploy[t, source] - 1
            for k in range(turns.counts[t]):
                if orders[k, 0] == source:
                    free -= orders[k, 2]
            if position.owner[target] != player and free > 0:
                orders[i, 2] += free
    return count


if __name__ == "__main__":
    thesis = functools.partial(MctsAgent, sims=100, local_search=0.0, turns="thesis")
    custom = functools.partial(thesis, generator=pressing)
    print(Match([custom, thesis], games=100).run(lambda games: print(".", end="", flush=True)))
