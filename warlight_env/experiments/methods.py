"""Experiments with methods of other students' theses on other games."""

from __future__ import annotations

import itertools

from warlight_env.experiments.game_table import TREE, Comparison, ComparisonTable
from warlight_env.experiments.players import Side, with_parameters


def _depths(map: str) -> Comparison:
    """Return games of searches with the depths 1, 4, 8 and 12, which consider two turns of each player."""
    costs = {1: 0.0003, 4: 0.0006, 8: 0.004, 12: 0.06}
    sides = tuple(Side(f"maxn:depth={depth},breadth=2", cost=cost) for depth, cost in costs.items())
    return Comparison(f"{map}, 2 turns each", sides, games=400, team=(), map=map, rounds=120)


def _two_depths(map: str) -> Comparison:
    """Return games of two searches of depth 4 against two of depth 1; all consider five turns of each player."""
    deep, shallow = Side("maxn:depth=4,breadth=5", cost=0.004), Side("maxn:depth=1,breadth=5", cost=0.0003)
    label = f"{map}, 5 turns each: depth 4 against 1, two players of each"
    return Comparison(label, (deep, shallow, deep, shallow), games=200, team=(0, 2), map=map, rounds=120)


#: The best search depth of Max^N in games of four players.
MAXN_DEPTH = ComparisonTable(
    name="methods-maxn-depth",
    title="Max^N by depth, four players",
    minutes=71,
    setting=(
        "Four players with different depths play in one game, with random starting regions. The table has the share "
        "of games that each player wins. The depth counts moves. A move is the whole turn of one player: half a "
        "round of two players, or a quarter of a round of four. With five turns of each player, a search of depth 8 "
        "takes up to two seconds on the world map, and a search of depth 12 takes minutes. Therefore the searches "
        "of four depths consider only two turns of each player."
    ),
    finding=(
        "for Dice Wars, with four players and the depths 1, 4, 8 and 12, depth 8 won most games. At larger depths, "
        "the errors of the estimated chances add up (Chaloupka, Krůl, Láncoš, Brno 2020). The table has no shares "
        "of theirs, because the game is another one."
    ),
    comparisons=(_depths("world"), _depths("small"), _two_depths("world"), _two_depths("small")),
)


_PLAIN_MAXN = "maxn:depth=4,breadth=3"


#: A dict from the name of each idea to the option of `maxn` that sets its weight. Run folders contain the names.
_TERM_OPTIONS = {
    "territory": "territory_weight",
    "join": "join_weight",
    "spare": "spare_weight",
    "chains": "follow_up_weight",
}


def _with_term(term: str, weight: float) -> Comparison:
    sides = (
        Side(f"{_PLAIN_MAXN},{_TERM_OPTIONS[term]}={weight:g}", cost=0.0013),
        *[Side(_PLAIN_MAXN, cost=0.0013)] * 3,
    )
    return Comparison(f"{term}={weight:g}, against three without", sides, games=300, rounds=120)


#: The effect of four additional terms in the evaluation of Max^N; the authors of Max^N for Dice Wars proposed three.
MAXN_TERMS = ComparisonTable(
    name="methods-maxn-terms",
    title="Max^N with additional terms in the values of battles and positions",
    minutes=67,
    setting=(
        "One player with an additional term plays against three players without it: depth 4, three turns of each "
        "player, world map, random starting regions. The table has the share of games that this player wins. "
        "`territory` is the value of each region of the largest connected territory. `join` is a bonus for battles "
        "on a shortest path between two own territories. `spare` is a penalty for attacks on a weak enemy that "
        "borders a strong one. `chains` adds the value of the best battle that can follow."
    ),
    finding=(
        "the size of the largest connected territory was the whole value of a position in their program. The other "
        "three terms are ideas that they did not test (Chaloupka, Krůl, Láncoš, Brno 2020)."
    ),
    comparisons=tuple(
        _with_term(term, weight)
        for term, weights in (("territory", (20, 60)), ("join", (0.3, 1)), ("spare", (0.3, 1)), ("chains", (0.3, 1)))
        for weight in weights
    ),
)


def _middles(first: str, second: str, published: tuple[float, str] | None = None) -> Comparison:
    sides = tuple(Side(f"flat_mc:final_move={answer}", 228) for answer in (first, second))
    return Comparison(f"{first} against {second}", sides, games=250, published=published)


#: Flat Monte Carlo with three averages of results: is the median, the mean or the mode best?
FLAT_MIDDLE = ComparisonTable(
    name="methods-flat-middle",
    title="Flat Monte Carlo: median, mean and mode",
    minutes=10,
    setting=(
        "228 simulations of five rounds for each move, world map, random starting regions. The table has the share "
        "of games that the first side wins."
    ),
    finding=(
        "for THUD!, the median beat the mean by 91.6 : 4.0 per cent, and the other games were draws (a student's "
        "project, Olomouc). Here draws are rare, so the table has their share of the decided games."
    ),
    comparisons=(
        _middles("median", "mean", (0.916 / 0.956, "91.6 : 4.0")),
        _middles("median", "mode"),
        _middles("mean", "mode"),
    ),
)


_CUT_SECONDS = 0.03
_LENGTHS = (1, 2, 5, 10)
_LONGEST = 20


def _cut(agent: str, length: int, published: tuple[float, str] | None = None) -> Comparison:
    sides = tuple(
        Side(with_parameters(agent, {"rounds": str(rounds)}), seconds=_CUT_SECONDS) for rounds in (length, _LONGEST)
    )
    return Comparison(f"{agent.split(':')[0]}: {length} against {_LONGEST}", sides, 160, published=published)


#: The best length of simulations, in rounds, for searches that evaluate the position after a simulation.
CUT_PLAYOUTS = ComparisonTable(
    name="methods-cut-playouts",
    title="Simulations cut after 1, 2, 5 and 10 rounds against 20, at equal time",
    minutes=46,
    setting=(
        "30 ms for each move on both sides, world map, random starting regions. The table has the share of games "
        "that the side with the shorter simulations wins. For flat Monte Carlo, the round of the tried turn counts "
        "as one of the rounds. Nothing else should run on the machine."
    ),
    finding=(
        "for THUD!, flat Monte Carlo was stronger with shorter simulations, down to 5 plies: 5 plies beat 20 plies "
        "in 98.4 per cent of the games. For the tree search, the length made no clear difference (a student's "
        "project, Olomouc)."
    ),
    comparisons=(
        *(_cut("flat_mc", n, (0.984, "5 plies against 20") if n == 5 else None) for n in _LENGTHS),
        *(_cut(TREE, n) for n in _LENGTHS),
    ),
)


_PLAYOUT_SECONDS = 0.04


def _playouts(agent: str, playout: str) -> Comparison:
    sides = (
        Side(with_parameters(agent, {"playout": playout}), seconds=_PLAYOUT_SECONDS),
        Side(agent, seconds=_PLAYOUT_SECONDS),
    )
    return Comparison(f"{agent.split(':')[0]}: {playout} against random", sides, games=150)


#: The best policy for the turns of all players in a simulation.
PLAYOUTS = ComparisonTable(
    name="methods-playouts",
    title="Playouts that look ahead, at equal time",
    minutes=72,
    setting=(
        "40 ms for each move on both sides, world map, random starting regions. In the playouts of the first side, "
        "players search ahead. They play the best turn after one round (`one_ply`), the best turn against the worst "
        "reply (`two_ply`), or a random one of the three best turns (`weighted`). In the playouts of the second "
        "side, they play random turns. The table has the share of games that the first side wins. Nothing else "
        "should run on the machine."
    ),
    finding=(
        "for THUD!, one-ply playouts of both sides helped. Two-ply playouts cost more than they gained, because "
        "they made the number of simulations 50 to 700 times smaller (a student's project, Olomouc). For Metro, "
        "turns drawn according to their score were best: playouts that are too greedy are always the same, and "
        "playouts that are too random say nothing (Venta, Prague 2013)."
    ),
    comparisons=tuple(
        _playouts(agent, playout) for agent in (TREE, "flat_mc") for playout in ("one_ply", "two_ply", "weighted")
    ),
)


def _exploration(
    c: float, other_c: float, games: int = 400, suffix: str = "", published: tuple[float, str] | None = None
) -> Comparison:
    sides = tuple(Side(f"{TREE},c={value:g}", 150) for value in (c, other_c))
    return Comparison(f"c={c:.3g} against c={other_c:.3g}{suffix}", sides, games, published=published)


#: The best amount of exploration in the tree search.
EXPLORATION = ComparisonTable(
    name="methods-exploration",
    title="Exploration from 0.1 to 3 against 0.4",
    minutes=136,
    setting=(
        "150 simulations for each move, world map, random starting regions. The table has the share of games that "
        "the first side wins."
    ),
    finding=(
        "for THUD!, with values from 0 to 1 as here, 0.65 beat 0.71 by 50.0 : 34.8 per cent, and the other games "
        "were draws. It also beat the textbook's 1.41 (a student's project, Olomouc). Here draws are rare, so the "
        "table has their share of the decided games."
    ),
    comparisons=(
        *(_exploration(c, 0.4) for c in (0.1, 0.2, 0.3, 0.5, 0.65, 0.8, 1.0, 1.41, 2.0, 3.0)),
        _exploration(0.65, 0.7071, published=(0.5 / 0.848, "50.0 : 34.8")),
        _exploration(0.5, 0.4, games=1200, suffix=", again"),
    ),
)


#: The best rule with which a tree search chooses its final move among the children of the root.
FINAL_CHILD = ComparisonTable(
    name="methods-final-child",
    title="Final move selection: max, max-robust and secure against robust",
    minutes=31,
    setting=(
        "150 simulations for each move, world map, random starting regions. The table has the share of games that "
        "the first side wins. `robust` answers with the turn that has most visits, `max` with the best value, and "
        "`secure` with the best lower bound. `max_robust` continues the search, to at most twice the simulations, "
        "until `robust` and `max` agree."
    ),
    finding=("they tried these rules for THUD! (a student's project, Olomouc). The table has no figures of theirs."),
    comparisons=tuple(
        Comparison(
            f"{final} against robust",
            (Side(f"{TREE},final_move={final}", 150), Side(f"{TREE},final_move=robust", 150)),
            400,
        )
        for final in ("max", "max_robust", "secure")
    ),
)


#: The author's results with the heuristic, by number of simulations.
_METRO_RESULTS = {50: (0.60, "with the heuristic"), 100: (0.53, "with the heuristic")}


def _top_turns(top: int, simulations: int) -> Comparison:
    sides = (Side(f"{TREE},breadth={top}", simulations), Side(TREE, simulations))
    games = 400 if simulations < 1000 else 100
    published = _METRO_RESULTS.get(simulations) if top == 3 else None
    return Comparison(f"{top} best, {simulations} simulations", sides, games, published=published)


#: The best number of turns of each player that the tree search considers in a position.
TOP_TURNS = ComparisonTable(
    name="methods-top-turns",
    title="Only the best 1, 3 and 5 turns in the tree, against all turns",
    minutes=79,
    setting=(
        "Equal numbers of simulations on both sides, world map, random starting regions. In the trees of the first "
        "side, each player has only its best turns: those with the largest share after one simulated round. The "
        "table has the share of games that this side wins."
    ),
    finding=(
        "for Metro, the heuristic helped only with few branches or few simulations: it won 53 per cent of the games "
        "with 100 simulations, and 60 per cent with 50 (Venta, Prague 2013). The table compares these figures with "
        "our rows of three turns, although Metro has another number of branches."
    ),
    comparisons=tuple(_top_turns(top, simulations) for simulations in (50, 100, 1000) for top in (1, 3, 5)),
)


_PLACEMENT_SIMULATIONS = 91
_SHARES = Side(TREE, _PLACEMENT_SIMULATIONS)


def _placed(alpha: float, beta: float) -> Side:
    return Side(f"{TREE},utility=placements,alpha={alpha:g},beta={beta:g}", _PLACEMENT_SIMULATIONS)


def _two_and_two(
    label: str, first: Side, second: Side, published: tuple[float, str] | None = None, map: str = "small"
) -> Comparison:
    games, rounds = (300, 40) if map == "small" else (100, 60)
    sides = (first, second, first, second)
    return Comparison(f"{map}: {label}", sides, games, team=(0, 2), map=map, published=published, rounds=rounds)


_HIGH_OR_LOW_ALPHA = ("alpha 0.96 against 0.5", _placed(0.96, 0.5), _placed(0.5, 0.5), (0.68, "of games"))

#: The best values for the first place and for the other places at the end of a simulation, in games of four players.
PLACEMENTS = ComparisonTable(
    name="methods-placements",
    title="Placements with alpha and beta, four players",
    minutes=67,
    setting=(
        "In games of four, two players of a first type play against two players of a second type, with 91 "
        "simulations for each move and random starting regions. The table has the share of games that a player of "
        "the first type wins. The first place in a simulation has a value from alpha to 1, and the other places "
        "have values from 0 to beta. Most comparisons use the map `small`, because its games are shorter."
    ),
    finding=(
        "for Metro, alpha = 0.96 beat 0.5 in 68 per cent of the games, and beta made no difference (Venta, Prague "
        "2013)."
    ),
    comparisons=(
        _two_and_two(*_HIGH_OR_LOW_ALPHA),
        _two_and_two("beta 0.2 against 0.5", _placed(0.96, 0.2), _placed(0.96, 0.5)),
        _two_and_two("beta 0.8 against 0.5", _placed(0.96, 0.8), _placed(0.96, 0.5)),
        _two_and_two("alpha 0.96, beta 0.5 against shares", _placed(0.96, 0.5), _SHARES),
        _two_and_two("alpha 0.5, beta 0.5 against shares", _placed(0.5, 0.5), _SHARES),
        _two_and_two(*_HIGH_OR_LOW_ALPHA, map="world"),
    ),
)


#: A game without a winner after this number of rounds is a draw; some games would take hundreds of rounds.
_MAX_ROUNDS = 150
_SPECS = ("minimax2", "flat_mc", "maxn:depth=8", TREE, "aggressive")


def _timed(spec: str, seconds: float) -> Side:
    return Side(spec) if spec == "aggressive" else Side(spec, seconds=seconds)


def _duel(first: str, second: str, seconds: float) -> Comparison:
    pool = f"{seconds:g} s"
    games = 40 if seconds < 1 else 10
    sides = (_timed(first, seconds), _timed(second, seconds))
    return Comparison(f"{first} against {second}, {pool}", sides, games, pool=pool, max_rounds=_MAX_ROUNDS)


#: Games of each search method against each other method.
ROUND_ROBIN = ComparisonTable(
    name="methods-round-robin",
    title="Minimax, flat Monte Carlo, Max^N, the tree search and aggressive",
    minutes=119,
    setting=(
        "0.1 or 1 second for each move, world map, two players, random starting regions. The table has the share of "
        f"games that the first side wins. After {_MAX_ROUNDS} rounds, a game is a draw. The table also has ratings "
        "from all games with the same time for a move (Bradley and Terry's model, in Elo points with the mean 0). "
        "Nothing else should run on the machine."
    ),
    finding=(
        "for THUD!, minimax of depth 2 beat both players that use simulations: a search is only as good as its "
        "simulations (a student's project, Olomouc)."
    ),
    comparisons=tuple(
        _duel(one, other, seconds) for seconds in (0.1, 1.0) for one, other in itertools.combinations(_SPECS, 2)
    ),
)
