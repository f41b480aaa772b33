"""Games of the methods against one another."""

import itertools

from warlight_env.experiments.fields import TREE, Field, FieldTable, Side

#: A game without a winner after this number of rounds is a draw; some games would take hundreds of rounds.
MAX_ROUNDS = 150
METHODS = ("minimax2", "flat_mc", "maxn:depth=8", TREE, "aggressive")


def _side(spec: str, seconds: float) -> Side:
    return Side(spec) if spec == "aggressive" else Side(spec, seconds=seconds)


def _duel(one: str, other: str, seconds: float) -> Field:
    pool = f"{seconds:g} s"
    games = 40 if seconds < 1 else 10
    sides = (_side(one, seconds), _side(other, seconds))
    return Field(f"{one} against {other}, {pool}", sides, games, pool=pool, max_rounds=MAX_ROUNDS)


TABLE = FieldTable(
    name="methods-round-robin",
    title="Minimax, flat Monte Carlo, Max^N, the tree search and aggressive",
    setting=(
        "0.1 and 1 second a move, world, two players, random starts; the share of games that the first wins within "
        f"{MAX_ROUNDS} rounds, after which a game is drawn, "
        "and ratings from all games with the same time a move (Bradley and Terry's model, in Elo points around 0). "
        "Nothing else should run on the machine."
    ),
    finding=(
        "for THUD!, minimax of depth 2 beat both players that simulate: a search is worth only what its simulations "
        "are (a student's project, Olomouc)."
    ),
    comment=(
        "The other way round here: both players that simulate beat minimax2 with 0.1 seconds a move, flat Monte Carlo "
        "23 : 8 and the tree search 27 : 13, and lead with a second, 5 : 3 and 7 : 1. minimax2 judges positions one "
        "round ahead, flat Monte Carlo five, the tree search ten beyond its tree. 11 of the 16 games that 150 rounds "
        "did not decide are minimax2 against flat Monte Carlo. Between minimax2 and Max^N no difference shows. All "
        "four clearly beat aggressive, which needs next to no time. The tree search and flat Monte Carlo are alike at "
        "0.1 seconds; with a second the tree search won 7 of 10, too few to tell. Max^N takes 0.2 to 0.3 seconds for "
        "depth 8; with 0.1 it mostly runs out of time and answers from a shallower search. Shares count a draw as not "
        "won, ratings as half. With 40 games a pairing at 0.1 seconds and 10 at a second, ratings are known to about "
        "50 and 100 points."
    ),
    fields=tuple(
        _duel(one, other, seconds) for seconds in (0.1, 1.0) for one, other in itertools.combinations(METHODS, 2)
    ),
)
