"""Functions that measure for experiments: searches in a game, concurrent search trees, and the turns of a position."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from warlight_env import maps
from warlight_env.agents import Agent, make_agent
from warlight_env.agents.records.search_record import SearchRecord
from warlight_env.arena.games.game_loop import ask_orders, play_orders, round_limit
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.engine.position import compact_size
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import make_state
from warlight_env.experiments.base import ExperimentSettings
from warlight_env.experiments.players import ExperimentError, Side
from warlight_env.experiments.rows import Row, number_row
from warlight_env.game import Game

#: The side that plays against itself in measured games: the thesis's bot with its usual 10 seconds.
SELF_PLAY_SIDE = Side(thesis_seconds=10)


def self_play_game(settings: ExperimentSettings, unit: int) -> Iterator[tuple[Game, Sequence[Agent]]]:
    """Play a game of the agent against itself from random starts.

    Yields the position before each round, and the agents, which have chosen their turns for this round.
    """
    source = SELF_PLAY_SIDE.source(settings)
    setup = MatchSetup((source, source), maps.load("world"), Rules(), settings.seed, False, "random", None)
    seating = setup.make_seating(unit)
    game = Game(setup.map, setup.rules, 2, seating.seed, picks="random")
    limit = round_limit(setup.rules, setup.map.n_regions, None)
    while not game.done and game.round < limit:
        orders = ask_orders(game, seating.agents)
        yield game, seating.agents
        play_orders(game, seating.agents, orders)


def last_search(agent: Agent) -> SearchRecord:
    """Return the statistics of the agent's last search, a `SearchRecord`."""
    search = agent.last_search()
    if search is None:
        raise ExperimentError(f"agent {agent.name!r} does not search; give mcts or mcts_thesis")
    return search.record


def measure_searches(settings: ExperimentSettings, unit: int) -> dict[str, list[float]]:
    """Return the depths of the leaves, the simulations and the nodes of the search for every move of a game."""
    values: dict[str, list[float]] = {"shallowest": [], "deepest": [], "simulations": [], "nodes": []}
    for _, agents in self_play_game(settings, unit):
        for agent in agents:
            record = last_search(agent)
            for name, of_move in values.items():
                of_move.append(float(statistics.mean(getattr(record, name))))
    return values


def summarise_searches(records: Sequence[dict[str, list[float]]]) -> list[Row]:
    """Return the rows of table 3.3."""

    def row(label: str, key: str, kind: Any, thesis: float, digits: int) -> Row:
        return number_row(label, [values[key] for values in records], kind, thesis, "moves", digits)

    return [
        row("depth of the shallowest leaf", "shallowest", "mean", 4.29, 2),
        row("depth of the deepest leaf", "deepest", "mean", 6.36, 2),
        row("simulations", "simulations", "median", 457, 0),
        row("nodes", "nodes", "median", 2986, 0),
    ]


#: Numbers of concurrent trees in table 3.10, and the medians in this table: simulations and nodes of a tree.
THREADS = {1: (1272.0, 10344.5), 2: (1096.0, 9164.5), 4: (836.0, 5841.0)}

#: Seconds of a search: in table 3.10, and in a quick run.
TREE_SECONDS, QUICK_TREE_SECONDS = 15.0, 0.1

#: Memory of a tree in MiB, enough for 15 seconds.
TREE_MEMORY = 2000


def measure_trees(settings: ExperimentSettings, unit: int) -> dict[str, list[float]]:
    """Return the simulations and the nodes of each tree in one position, for each number of threads in THREADS."""
    game = _middle(derive_seed(settings.seed, unit), 4 + unit % 12)
    values: dict[str, list[float]] = {}
    for threads in THREADS:
        budget = {"secs": QUICK_TREE_SECONDS if settings.quick else TREE_SECONDS, "threads": threads}
        agent = _searcher(settings.agent, seed=unit, memory=64 if settings.quick else TREE_MEMORY, **budget)
        agent.act(game.view(0))
        record = last_search(agent)
        if any(record.full):
            raise ExperimentError(
                f"a tree of {settings.agent} filled its memory of {TREE_MEMORY} MiB, so its node count is wrong"
            )
        values[f"simulations {threads}"] = [float(n) for n in record.simulations]
        values[f"nodes {threads}"] = [float(n) for n in record.nodes]
    return values


def _searcher(spec: str, seed: int, **parameters: Any) -> Agent:
    options = ",".join(f"{key}={value}" for key, value in parameters.items())
    return make_agent(f"{spec}{',' if ':' in spec else ':'}{options}", seed)


def _middle(seed: int, rounds: int) -> Game:
    """Return a position after `rounds` rounds of a game between two bots; games that end earlier are skipped."""
    for attempt in range(1000):
        game = Game("world", seed=derive_seed(seed, attempt), picks="random")
        bots = [make_agent("aggressive", derive_seed(seed, attempt, seat)) for seat in range(2)]
        while game.round < rounds and not game.done:
            play_orders(game, bots, ask_orders(game, bots))
        if not game.done:
            return game
    raise ExperimentError(f"all 1000 games ended before round {rounds}, so there is no position to measure")


def summarise_trees(records: Sequence[dict[str, list[float]]]) -> list[Row]:
    """Return the rows of table 3.10: medians per tree, and ratios to a single tree."""
    rows = []
    for k, quantity in enumerate(("simulations", "nodes")):
        for threads, figures in THREADS.items():
            values = [unit[f"{quantity} {threads}"] for unit in records]
            label = f"{quantity} of a tree, {threads} thread{'s' if threads > 1 else ''}"
            rows.append(number_row(label, values, "median", figures[k], "trees", k))
    for threads in list(THREADS)[1:]:
        shares = [[n / unit["simulations 1"][0] for n in unit[f"simulations {threads}"]] for unit in records]
        label = f"simulations of a tree against one alone, {threads} threads"
        rows.append(number_row(label, shares, "median", THREADS[threads][0] / THREADS[1][0], "trees", 3))
    return rows


def count_turns(game: Game, player: int) -> int:
    """Return a player's number of turns: all deployments of the whole income, each with all ways to send armies.

    At least one army stays in each region, and the other armies are distributed over the region's borders in any way.
    Turns that differ only in the order of their attacks count as one turn, so the number is a lower bound.
    """
    income = game.income(player)
    ways = [1] + [0] * income  # number of ways, by armies deployed so far
    for r in range(game.map.n_regions):
        if game.owner[r] != player:
            continue
        borders = len(game.map.neighbors[r])
        attack_ways = [math.comb(int(game.army[r]) + k - 1 + borders, borders) for k in range(income + 1)]
        ways = [sum(ways[j] * attack_ways[k - j] for j in range(k + 1)) for k in range(income + 1)]
    return ways[income]


def measure_branching(settings: ExperimentSettings, unit: int) -> dict[str, list[float]]:
    """Return log10 of the number of turns, for both players at every position of a game."""
    turns = [math.log10(count_turns(game, player)) for game, _ in self_play_game(settings, unit) for player in range(2)]
    return {"log10": turns}


def summarise_branching(records: Sequence[dict[str, list[float]]]) -> list[Row]:
    """Return the rows with the numbers of turns, as powers of ten."""
    values = [unit["log10"] for unit in records]
    return [
        number_row("log10 of the turns of a position, median", values, "median", 13, "positions", 2),
        number_row("log10 of the turns of a position, mean", values, "mean", 13, "positions", 2),
    ]


def measure_state(settings: ExperimentSettings, unit: int) -> dict[str, list[float]]:
    """Return two sizes of a position on the world map in bytes: of its form in a search tree, and of a game's state."""
    n = maps.load("world").n_regions
    state_bytes = sum(array.nbytes for array in make_state(1, n, 2))
    return {"compact": [float(compact_size(n))], "whole": [float(state_bytes)]}


def summarise_state(records: Sequence[dict[str, list[float]]]) -> list[Row]:
    """Return the rows with the sizes in bytes, which are exact."""
    compact, state_bytes = records[0]["compact"][0], records[0]["whole"][0]

    def exact(label: str, value: float, thesis: float | None, sample: str, digits: int = 0) -> Row:
        return Row(label, value, value, value, thesis, sample, digits=digits)

    return [
        exact("bytes of a position in a tree", compact, 465, "owners, armies, round"),
        exact("bytes of a game's whole state", state_bytes, 465, "with dice, offers, who is out"),
        exact("positions in a GB, millions", 1e3 / compact, 2.1, "10^9 bytes, owners, armies, round", 1),
    ]
