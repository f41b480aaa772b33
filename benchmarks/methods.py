"""Explanations of the methods' results on Warlight: ``python benchmarks/methods.py``, about a minute on one core.

The results themselves are from `warlight experiment run methods-…`; docs/results/methods.md contains both.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.agents.players.flat.arms import results_of
from warlight_env.agents.search.anytime_agent import AnytimeAgent
from warlight_env.engine.view import View
from warlight_env.experiments.players import with_parameters

BOT = "mcts:local_search=0,sims=100"
#: Rounds of a game whose positions are used: all rounds, or a few.
ALL = range(60)
FEW = (4, 10, 16, 24)
MILLISECONDS = 30


def player(spec: str, seed: int = 0) -> AnytimeAgent:
    """Return an agent that gives access to its search."""
    return cast(AnytimeAgent, make_agent(spec, seed))


def games_of(spec: str, games: int) -> Iterator[tuple[Game, list[AnytimeAgent]]]:
    """Yield the games of two equal bots on the world map from random starts, before each round is played."""
    for seed in range(games):
        game = Game("world", seed=seed, picks="random")
        bots = [player(spec, seat) for seat in range(2)]
        while not game.done and game.round < len(ALL):
            yield game, bots
            game.play_round([bot.act(game.view(seat)) for seat, bot in enumerate(bots)])


def views(games: int, rounds: Sequence[int] = FEW) -> list[View]:
    """Return positions of these games from the first player's view."""
    return [game.view(0) for game, _ in games_of(BOT, games) if game.round in rounds]


def results(agent: AnytimeAgent, view: View) -> Mapping[int, npt.NDArray[np.float64]]:
    """Return the results of flat Monte Carlo's simulations for the player, by turn."""
    agent.act(view)
    assert agent.search is not None
    return results_of(agent.search.stores[0].arms)


def simulations_by_length(games: int) -> Iterator[tuple[str, str]]:
    """Measure the simulations within the time of a move in the experiment on cut playouts, on undecided positions."""
    positions = views(games)
    for agent in ("mcts:local_search=0", "flat_mc"):
        rates = {}
        for rounds in (1, 2, 5, 10, 20):
            of_length = []
            for view in positions:
                bot = player(with_parameters(agent, {"rounds": str(rounds), "sims": "300"}))
                bot.act(view)
                start = time.process_time()
                bot.act(view)
                of_length.append(300 / (time.process_time() - start) * MILLISECONDS / 1000)
            rates[rounds] = statistics.median(of_length)
        text = ", ".join(f"{rounds}: {rate:.0f}" for rounds, rate in rates.items())
        label = (
            f"{agent.split(':')[0]}, simulations in {MILLISECONDS} ms by rounds, median of {len(positions)} positions"
        )
        yield label, text


def medians_and_means(games: int) -> Iterator[tuple[str, str]]:
    """Compare medians and means of flat Monte Carlo's results: distance, and how often both select the same turn."""
    matches, gaps, sizes = [], [], []
    for game, bots in games_of("flat_mc:sims=228,rounds=5", games):
        for seat, bot in enumerate(bots):
            by_turn = list(results(bot, game.view(seat)).values())
            if len(by_turn) < 2:
                continue
            medians, means = ([float(statistic(values)) for values in by_turn] for statistic in (np.median, np.mean))
            matches.append(int(np.argmax(medians)) == int(np.argmax(means)))
            sizes += [len(values) for values in by_turn]
            gaps += [
                (mean - median) / float(values.std())
                for mean, median, values in zip(means, medians, by_turn, strict=True)
                if values.std() > 1e-6
            ]
    low, high = np.percentile(gaps, [5, 95])
    yield (f"median and mean name the same turn, {len(matches)} positions", f"{100 * statistics.mean(matches):.0f} %")
    yield "mean less median in standard deviations, nine turns of ten", f"{low:.2f} … {high:.2f}"
    yield "results of a turn", f"{statistics.mean(sizes):.0f}"


def looking_ahead(games: int) -> Iterator[tuple[str, str]]:
    """Measure the gain in one round of an enemy with a lookahead of one round, relative to a random enemy."""
    positions = views(games)

    def share(playout: str) -> npt.NDArray[np.float64]:
        bot = player(f"flat_mc:sims=300,samples=1,rounds=1,playout={playout}")
        return np.array([1 - np.concatenate(list(results(bot, view).values())).mean() for view in positions])

    base = share("random")
    for playout in ("one_ply", "one_ply,lookahead_samples=15", "two_ply", "weighted"):
        gain = 100 * (share(playout) - base)
        error = 1.96 * gain.std(ddof=1) / len(gain) ** 0.5
        yield f"a round of {playout} against random, points of the share", f"{gain.mean():+.1f} ± {error:.1f}"


def turns_at_the_root(games: int) -> Iterator[tuple[str, str]]:
    """Measure the number of different turns of the generators."""
    counts = []
    for game, bots in games_of(BOT, games):
        bots[0].act(game.view(0))
        assert bots[0].search is not None
        counts.append(len(bots[0].search.candidates()))
    yield f"turns that differ at the root, {len(counts)} positions", f"{statistics.mean(counts):.1f}"
    yield "… more than five", f"{100 * statistics.mean(n > 5 for n in counts):.0f} %"


def main() -> None:
    """Measure everything and print the table."""
    console, table = Console(), Table("what", "measured")
    for part in (turns_at_the_root, medians_and_means, simulations_by_length, looking_ahead):
        with console.status(f"measuring {part.__name__.replace('_', ' ')} …"):
            for row in part(8):
                table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    main()
