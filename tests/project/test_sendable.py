"""The page and the server compute the same armies for the orders of a turn."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import numpy as np
from node_helpers import needs_node

from helpers import position
from warlight_env import Game
from warlight_env.engine.orders import Orders
from warlight_env.web.workers.turn_difference import sent_armies

#: A program that reads turns from its standard input, and writes the results of `splitTurn` as JSON.
PROGRAM: Final = """
import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
const { outputFiles } = buildSync({ entryPoints: ['src/lib/sendable.ts'], bundle: true, format: 'esm', write: false });
const { splitTurn } = await import('data:text/javascript,' + encodeURIComponent(outputFiles[0].text));
const turns = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(turns.map(({ rules, at, player, orders }) => splitTurn({ rules }, at, player, orders))));
"""
TURNS: Final = 600  #: for each set of rules


def turns_of(rules: str) -> list[tuple[Game, int, Orders]]:
    """Generate turns on the small map, with chains of orders and orders that send more armies than available."""
    rng = np.random.default_rng(5)
    game = Game("small", rules, 2, 1, picks="random")
    turns = []
    for _ in range(TURNS):
        owner, army = rng.integers(-1, 2, 10).tolist(), rng.integers(1, 7, 10).tolist()
        owner[:2] = [0, 1]  # each player has a region
        at, player = position(game, owner, army), int(rng.integers(2))
        own = [r for r in range(10) if owner[r] == player]
        sources = [r for r in range(10) if rng.random() < 0.3 or r in own]
        deploys = [(int(rng.choice(own)), int(rng.integers(1, 4))) for _ in range(rng.integers(4))]
        attacks = []
        for _ in range(rng.integers(1, 8)):
            source = int(rng.choice(sources))
            attacks.append((source, int(rng.choice(game.map.neighbors[source])), int(rng.integers(1, 9))))
        turns.append((at, player, Orders(deploys, attacks)))
    return turns


@needs_node
def test_page_and_server_compute_the_same_sent_armies(frontend: Path):
    turns = [(rules, *turn) for rules in ("thesis", "challenge1", "challenge2") for turn in turns_of(rules)]
    requests: list[dict[str, Any]] = []
    for _, game, player, orders in turns:
        deploys, attacks = (rows.tolist() for rows in orders.arrays())
        requests.append({
            "rules": {"moved_armies": game.rules.moved_armies}, "player": player,
            "at": {"owner": game.owner.tolist(), "army": game.army.tolist()},
            "orders": {"deploys": deploys, "attacks": attacks},
        })  # fmt: skip
    command = ["node", "--input-type=module", "--eval", PROGRAM]
    done = subprocess.run(
        command, cwd=frontend, input=json.dumps(requests), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    reserves = 0
    for (rules, game, player, orders), page in zip(turns, json.loads(done.stdout), strict=True):
        server = sent_armies(game, player, orders)
        deploys: dict[int, int] = {}
        for region, armies in page["sent"]["deploys"]:
            deploys[region] = deploys.get(region, 0) + armies
        result = (deploys, [tuple(order) for order in page["sent"]["attacks"]], [tuple(row) for row in page["reserve"]])
        assert result == server, (rules, player, game.owner, game.army, orders)
        reserves += len(server.reserves)
    assert reserves > 100
