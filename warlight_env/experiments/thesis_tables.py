"""The experiments of the thesis: tables 3.2 to 3.10, and the numbers of turns, rounds and bytes."""

from __future__ import annotations

from warlight_env.engine.rules import Rules
from warlight_env.experiments.base import Measurement
from warlight_env.experiments.game_table import Comparison, GameTable
from warlight_env.experiments.measurements import (
    measure_branching,
    measure_searches,
    measure_state,
    measure_trees,
    summarise_branching,
    summarise_searches,
    summarise_state,
    summarise_trees,
)
from warlight_env.experiments.players import Side
from warlight_env.experiments.rows import WinLoss

TEN_SECONDS = Side(thesis_seconds=10)

#: The thesis's rules, but all regions are offered to both players; the thesis's own rules offer no player two regions
#: in Asia.
FREE_PICKS = Rules.of("thesis", name="thesis:free picks", picking="ranked", ranked=2, offers_per_super_region=0)

#: Table 3.2: games of a bot against itself, in which the two sides have different starting regions.
TABLE_3_2 = GameTable(
    name="thesis-3.2",
    title="Starting in South America and Australia against starting twice in Asia",
    minutes=83,
    setting=(
        "Both sides are the same bot with 15 seconds for each move (1272 simulations). The first side starts with a "
        "region of South America and a region of Australia, and the second side with two regions of Asia. These "
        "regions are drawn at random for every game. The thesis's rules never offer a player two regions of one "
        "super region. So in this experiment both players may pick any region; all other rules are as in the other "
        "tables. The thesis does not say which regions it used, or how it set them."
    ),
    comparisons=(
        Comparison(
            "South America and Australia against Asia",
            (
                Side(thesis_seconds=15, start=("South America", "Australia")),
                Side(thesis_seconds=15, start=("Asia", "Asia")),
            ),
            games=100,
            thesis=WinLoss(190, 10),
        ),
    ),
    rules=FREE_PICKS,
    picks="agents",
)


#: Table 3.3: the depth that the search reaches in 10 seconds.
TABLE_3_3 = Measurement(
    name="thesis-3.3",
    title="Depth, simulations and nodes of a search",
    minutes=32,
    setting=(
        "All moves of 40 games of the bot against itself, with 10 seconds for each move (457 simulations) and "
        "random starting regions. A depth is the number of turns of single players from the root. Depths are means "
        "over the moves; simulations and nodes are medians. Intervals come from resampling games."
    ),
    measure=measure_searches,
    summary=summarise_searches,
    count=40,
    cost=60 * 457 / 8000,
)


#: Table 3.4: games of the search against three reference bots.
TABLE_3_4 = GameTable(
    name="thesis-3.4",
    title="MCTS against random, smart random and aggressive",
    minutes=29,
    setting=(
        "10 seconds for each move (457 simulations), random starting regions. The table has the share of games that "
        "the search wins."
    ),
    comparisons=(
        Comparison("against random", (TEN_SECONDS, Side("random")), games=200, thesis=WinLoss(500, 0)),
        Comparison("against smart random", (TEN_SECONDS, Side("smart_random")), games=240, thesis=WinLoss(481, 19)),
        Comparison("against aggressive", (TEN_SECONDS, Side("aggressive")), games=350, thesis=WinLoss(436, 64)),
    ),
)


#: Table 3.5: games of the search against the bot `one_big_army`.
TABLE_3_5 = GameTable(
    name="thesis-3.5",
    title="MCTS against one big army",
    minutes=7,
    setting=(
        "10 seconds for each move (457 simulations), random starting regions. The table has the share of games that "
        "the search wins."
    ),
    comparisons=(
        Comparison("against one big army", (TEN_SECONDS, Side("one_big_army")), games=200, thesis=WinLoss(497, 3)),
    ),
)


#: Table 3.6: games of the search against the same search without defensive turns.
TABLE_3_6 = GameTable(
    name="thesis-3.6",
    title="MCTS against MCTS without defence",
    minutes=27,
    setting=(
        "15 seconds for each move (1272 simulations) on both sides, random starting regions. The generator of the "
        "second side has no defensive deploy, and neither of the two ways to attack that wait. So this side chooses "
        "between two turns instead of nine."
    ),
    comparisons=(
        Comparison(
            "against the same without defence",
            (Side(thesis_seconds=15), Side(thesis_seconds=15, defense=False)),
            games=200,
            thesis=WinLoss(165, 35),
        ),
    ),
)


#: Table 3.7: games of a search with 10 seconds per move against a search with 2 or 5 seconds.
TABLE_3_7 = GameTable(
    name="thesis-3.7",
    title="MCTS with 10 seconds against 2 and 5 seconds",
    minutes=102,
    setting=(
        "457 simulations for each move against 91 and against 228, random starting regions. The numbers of "
        "simulations have the same ratios as the seconds."
    ),
    comparisons=(
        Comparison("10 s against 2 s", (TEN_SECONDS, Side(thesis_seconds=2)), games=580, thesis=WinLoss(274, 126)),
        Comparison("10 s against 5 s", (TEN_SECONDS, Side(thesis_seconds=5)), games=600, thesis=WinLoss(168, 132)),
    ),
)


#: Table 3.8: games of a search with 20 seconds per move against a search with 5 seconds.
TABLE_3_8 = GameTable(
    name="thesis-3.8",
    title="MCTS with 20 seconds against 5 seconds",
    minutes=203,
    setting=(
        "914 simulations for each move against 228, random starting regions. The numbers of simulations have the "
        "same ratio as the seconds."
    ),
    comparisons=(
        Comparison(
            "20 s against 5 s", (Side(thesis_seconds=20), Side(thesis_seconds=5)), games=600, thesis=WinLoss(358, 242)
        ),
    ),
)


ONE_THREAD = Side(thesis_seconds=15)

#: Table 3.9: games of a search with 2 or 4 threads against a search with one thread.
TABLE_3_9 = GameTable(
    name="thesis-3.9",
    title="Parallel MCTS against MCTS in one thread",
    minutes=45,
    setting=(
        "15 seconds for each move, random starting regions. Each thread has its own tree, and the statistics at the "
        "roots are added up. With budgets in simulations, the single tree has 1272, each of two trees has 1096, and "
        "each of four trees has 836. The thesis's threads reached these numbers (table 3.10). With budgets in "
        "seconds, the result is only meaningful on a machine with at least as many cores as threads."
    ),
    comparisons=(
        Comparison(
            "2 threads against 1", (Side(thesis_seconds=15, threads=2), ONE_THREAD), games=30, thesis=WinLoss(52, 48)
        ),
        Comparison(
            "4 threads against 1", (Side(thesis_seconds=15, threads=4), ONE_THREAD), games=30, thesis=WinLoss(85, 65)
        ),
    ),
)


#: Table 3.10: the number of simulations of a search thread while 1, 2 or 4 threads run at the same time.
TABLE_3_10 = Measurement(
    name="thesis-3.10",
    title="Simulations and nodes of a tree, with 1, 2 and 4 threads",
    minutes=6,
    setting=(
        "The bot searches for 15 seconds in each of 8 positions from the middle of games, with 1, 2 and 4 threads. "
        "Each thread has its own tree. The table has medians over trees, and intervals from resampling positions. "
        "Nothing else should run on the machine. If it has fewer cores than threads, the threads share the cores."
    ),
    measure=measure_trees,
    summary=summarise_trees,
    count=8,
    cost=3 * 15.0 + 1,
    budget="seconds",
)


#: The experiment on the branching factor: the number of possible turns in a position.
BRANCHING = Measurement(
    name="branching",
    title="Turns of a position",
    minutes=7,
    setting=(
        "Turns of both players in every position of 20 games of the bot against itself, with 10 seconds for each "
        "move (457 simulations) and random starting regions. The number of turns is exact: all ways to deploy the "
        "whole income, times all ways to move armies over borders so that one army stays in each region. Different "
        "orders of the same attacks count once. The table has powers of ten. Intervals come from resampling games."
    ),
    measure=measure_branching,
    summary=summarise_branching,
    count=20,
    cost=60 * 457 / 8000,
)


#: The number of rounds in a game.
GAME_LENGTH = GameTable(
    name="game-length",
    title="Rounds of a game",
    minutes=38,
    setting=(
        "10 seconds for each move (457 simulations), random starting regions. The table has the mean number of "
        "rounds of a game, with a 95 % interval."
    ),
    comparisons=(
        Comparison("against itself", (TEN_SECONDS, TEN_SECONDS), games=60),
        Comparison("against aggressive", (TEN_SECONDS, Side("aggressive")), games=60),
        Comparison("against smart random", (TEN_SECONDS, Side("smart_random")), games=60),
    ),
    thesis_rounds=30,
)


#: The memory size of a position.
STATE_SIZE = Measurement(
    name="state-size",
    title="Bytes of a position",
    setting="A position of the world map with two players. The sizes are exact: they are the same on every machine.",
    measure=measure_state,
    summary=summarise_state,
    count=1,
    cost=0.0,
    quick_count=1,
    agents=("",),
)
