"""Print the turns of the package's networks and the observation spaces as JSON; `test_new_features` runs it."""

from __future__ import annotations

import json
import sys
from typing import Any

import gymnasium
import numpy as np

from warlight_env import Game, Orders
from warlight_env.agents import make_agent
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_network_file import BUNDLED
from warlight_env.agents.value.network import network_share
from warlight_env.agents.weights import PLANNING
from warlight_env.arena.policies.policy_file import built_in_policies
from warlight_env.envs import WarlightParallelEnv

#: The maps for policies that support only some map sizes.
MAPS = {"strategies": "world"}
ROUNDS = 2


def orders_text(orders: Orders) -> str:
    """A turn as text."""
    return repr([[tuple(map(int, row)) for row in rows] for rows in (orders.deploys, orders.attacks)])


def turns_of(spec: str, map_: str) -> list[str]:
    """An agent's turns in the first rounds of a game."""
    game, texts = Game(map_, seed=3, picks="random"), []
    agents = [make_agent(spec, 1), make_agent("random", 2)]
    for _ in range(ROUNDS):
        turns = [agent.act(game.view(seat)) for seat, agent in enumerate(agents)]
        texts.append(orders_text(turns[0]))
        game.play_round(turns)
    return texts


def shares() -> list[str]:
    """The exact output of the bundled value network for a position, as hexadecimal numbers."""
    game = Game("small", seed=4, picks="random")
    view, output = game.view(0), np.zeros(2)
    context = make_context(view.board, view.params, 2, PLANNING, value=load_value("learned"))
    for _ in range(ROUNDS):
        network_share(context, game.view(0).position, output)
        game.play_round([make_agent("random", seat).act(game.view(seat)) for seat in (0, 1)])
    return [float(share).hex() for share in output]


def observation_data() -> dict[str, Any]:
    """Names and bounds of the flat observation with three players, and the values of one observation."""
    env = WarlightParallelEnv("small", players=3, observation="flat", picking="random")
    seen, _ = env.reset(seed=2)
    features, agent = env.features, env.agents[0]
    space = env.observation_space(agent)["observation"]
    vector = seen[agent]["observation"]
    assert space.contains(vector)
    graph = WarlightParallelEnv("small", players=3, observation="graph", picking="random")
    assert graph.observation_space(agent)["observation"].contains(graph.reset(seed=2)[0][agent]["observation"])
    many = gymnasium.make("warlight/WarlightMaps-v0", map=["small", "world"], opponent="random")
    assert many.observation_space.contains(many.reset(seed=1)[0])
    return {
        "size": features.size,
        "nodes": features["nodes"].names,
        "globals": features["globals"].names,
        "nodes_bounds": [[float(b[i]) for b in (space.low, space.high)] for i in range(len(features["nodes"].names))],
        "globals_bounds": [
            [float(b[features.index("globals", name)]) for b in (space.low, space.high)]
            for name in features["globals"].names
        ],
        "values": vector.tolist(),
    }


if __name__ == "__main__":
    names = [*BUNDLED, *built_in_policies()]
    result = {
        "turns": {name: turns_of(f"policy:{name}", MAPS.get(name, "small")) for name in names},
        "plan": turns_of("plan:candidates=6", "small"),
        "shares": shares(),
        "observed": observation_data(),
    }
    if "--search" in sys.argv:
        result["nash"] = turns_of("nash:sims=100", "world")
    json.dump(result, sys.stdout)
