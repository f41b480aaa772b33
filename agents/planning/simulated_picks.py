"""Choice of starting regions by simulated games.

A simulated game consists of the picking phase, some rounds, and an evaluation. In the rounds of a simulated game, all
players play plans (turns that are built from goals) or turns of a turn network.

The first half of the games estimates the value of each region. In the first half of the games, Gumbel noise is added to
the estimates, and all players pick the regions with the highest sums. The estimate of a region is the mean share (part
of the position's value) of the players who got the region.

The second half of the games compares lists of preferred regions by successive halving (Karnin, Koren and Somekh, 2013).
Each stage plays the same number of games, and only the better half of the lists enters the next stage.

Each game begins with the picking phase that the rules define. The estimate of a region therefore includes the effects
of other players' picks and of wastelands. If each player has its own offer, the player does not see the offers of the
other players. In a simulated game, the other players then pick any regions that are not offered to the player.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn
from warlight_env.agents.evaluation.game_outcome import ONGOING, holds_regions, winner_of, write_shares
from warlight_env.agents.parameters import Param
from warlight_env.agents.planning.plans import planned_turn
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.generator_work import GeneratorWork, make_generator_work
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.records.value_record import ValueNetwork
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, RandomState, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import uniform
from warlight_env.engine.round import resolve_orders
from warlight_env.engine.setup import OWN_OFFER, resolve_picks
from warlight_env.engine.stack import stack_floats
from warlight_env.engine.state import NEUTRAL, PICK, Scratch, State, Workspace, make_scratch, make_state, make_workspace
from warlight_env.engine.view import View

#: Number of games for one choice of starting regions, and number of rounds in a game. Constants with NETWORK in their
#: names apply if a turn network plays the games, the other two constants if players play plans. Half of the games
#: estimate regions.
GAMES: Final = 4000
_NETWORK_GAMES: Final = 2000
_ROUNDS: Final = 6
_NETWORK_ROUNDS: Final = 14
#: The declaration of the agents' parameter `picks`.
PICKS: Final = Param(
    "choice of starting regions: by fast simulated games (simulated) or by the weights (best)",
    choices=("simulated", "best"),
    shared=True,
)
#: Number of lists of preferred regions that are compared; a power of two.
_LISTS: Final = 32
#: Scale of the Gumbel noise on estimates: in games that estimate regions, for the player's compared lists, and for the
#: other players' lists in the comparison.
_EXPLORING, _TRYING, _ANSWERING = 0.06, 0.03, 0.03
#: A bonus on estimates. Every second list adds it to the regions near its first region: neighbours and super region.
_NEAR: Final = 0.06
#: Number of imaginary games with equal shares of all players that are included in each region's mean share.
_PRIOR: Final = 2.0


class PickWork(NamedTuple):
    """Working memory of the simulated games and of the estimates."""

    state: State  #: the simulated game
    scratch: Scratch
    round: Workspace
    generator: GeneratorWork
    total: npt.NDArray[np.float64]  #: [N] sum of the shares of the players who got the region, over all games
    games: npt.NDArray[np.float64]  #: [N] number of games in `total`
    #: [N] one player's estimates with noise in one game; after the picking phase, the owners of the regions
    scores: npt.NDArray[np.float64]
    preferences: npt.NDArray[np.int32]  #: [P, N] each player's preferred regions in one game, best first
    counts: npt.NDArray[np.int32]  #: [P] numbers of regions in `preferences`
    lists: npt.NDArray[np.int32]  #: [_LISTS, N] the compared lists
    result: npt.NDArray[np.float64]  #: [_LISTS, 2] sum of the player's shares, and number of games, of each list


@kernel
def _preference(
    context: Context,
    player: Int,
    offers: npt.NDArray[np.uint8],
    noise: Real,
    near_bonus: Real,
    rng: RandomState,
    work: PickWork,
    preferences: npt.NDArray[np.int32],
) -> Int:
    """Write a player's preferred regions to `preferences`, best first; return the number of regions.

    The regions are sorted by their mean shares plus Gumbel noise. offers: uint8[N], bit p: the region is offered to
    player p. near_bonus: a bonus for regions that are adjacent to the first region or in its super region.
    """
    n, count, scores, board = work.scores.shape[0], np.int64(0), work.scores, context.board
    for r in range(n):
        scores[r] = -np.inf
        if offers[r] >> player & 1:
            mean = (work.total[r] + _PRIOR / context.players) / (work.games[r] + _PRIOR)
            scores[r] = mean - noise * np.log(-np.log(uniform(rng) + 1e-300) + 1e-300)
    while True:
        best = np.int64(-1)
        for r in range(n):
            if scores[r] > -np.inf and (best < 0 or scores[r] > scores[best]):
                best = np.int64(r)
        if best < 0:
            return count
        preferences[count] = best
        count += 1
        scores[best] = -np.inf
        if near_bonus > 0.0 and count == 1:
            for r in range(n):
                if board.super_region[r] == board.super_region[best]:
                    scores[r] += near_bonus
            for e in range(board.neighbor_start[best], board.neighbor_start[best + 1]):
                scores[board.edge_target[e]] += near_bonus


@kernel
def _play(context: Context, start: State, player: Int, rounds: Int, rng: RandomState, work: PickWork) -> Real:
    """Play the picking phase with the preferred regions in `work`, and then some rounds.

    Adds each player's share to the sums of its starting regions, and returns the share of `player`.
    """
    state, players, round_ = work.state, context.players, work.round
    owner, army = state.owner[0], state.army[0]
    while state.phase[0] == PICK:
        resolve_picks(context.params, state, 0, work.preferences, work.counts, work.scratch)
    for r in range(owner.shape[0]):
        work.scores[r] = owner[r]  # the owner of each region after the picking phase
    position, winner = Position(owner, army, state.round[:1]), np.int64(ONGOING)
    for _ in range(rounds):
        for p in range(players):
            round_.counts[p] = 0
            if holds_regions(owner, p):
                round_.counts[p] = draw_turn(
                    context, position, p, rng, work.generator, round_.deploy[p], round_.attacks[p]
                )
            else:
                for r in range(owner.shape[0]):
                    round_.deploy[p, r] = 0
        resolve_orders(context.params, position, round_, rng, None, None)
        winner = np.int64(winner_of(context, position))
        if winner != ONGOING:
            break
    shares = stack_floats()
    write_shares(context, position, winner, shares)
    for p in range(players):
        for r in range(owner.shape[0]):
            if work.scores[r] == p and start.owner[0, r] == NEUTRAL:
                work.total[r] += shares[p]
                work.games[r] += 1.0
    return shares[player]


@kernel
def _begin(start: State, rng: RandomState, work: PickWork) -> None:
    """Set the game in `work` to the start of the game `start`, with a random generator that is derived from `rng`."""
    state = work.state
    for r in range(state.owner.shape[1]):
        state.owner[0, r], state.army[0, r] = start.owner[0, r], start.army[0, r]
        state.offers[0, r] = start.offers[0, r]
    state.round[0], state.phase[0], state.turn[0] = start.round[0], start.phase[0], start.turn[0]
    state.winner[0] = NEUTRAL
    state.rng[0, 0], state.rng[0, 1] = rng[0], rng[1]
    uniform(rng)


@kernel
def weigh_picks(
    context: Context,
    start: State,
    player: Int,
    games: Int,
    rounds: Int,
    rng: RandomState,
    work: PickWork,
    preferences: npt.NDArray[np.int32],
) -> Int:
    """Write the regions that are offered to a player to preferences int32[N], best first; return the number of regions.

    Args:
        start: a state with one game, in the picking phase.
        games: the total number of simulated games.
        rounds: the number of rounds in each game.
    """
    players, offers = context.players, start.offers[0]
    for r in range(work.total.shape[0]):
        work.total[r], work.games[r] = 0.0, 0.0
    for _ in range(games // 2):
        for p in range(players):
            work.counts[p] = _preference(context, p, offers, _EXPLORING, 0.0, rng, work, work.preferences[p])
        _begin(start, rng, work)
        _play(context, start, player, rounds, rng, work)
    count: Int = np.int64(0)
    for i in range(_LISTS):
        noise, near_bonus = 0.0 if i < 2 else _TRYING, _NEAR if i % 2 == 1 else 0.0
        count = _preference(context, player, offers, noise, near_bonus, rng, work, work.lists[i])
        work.result[i, 0], work.result[i, 1] = 0.0, 0.0
    remaining, stages = _LISTS, np.int64(np.log2(_LISTS) + 0.5)
    for _ in range(stages):
        for _ in range(max(1, games // (2 * stages * remaining))):
            for p in range(players):
                if p != player:
                    work.counts[p] = _preference(context, p, offers, _ANSWERING, 0.0, rng, work, work.preferences[p])
            first, second = rng[0], rng[1]
            for i in range(remaining):
                rng[0], rng[1] = first, second  # all lists play with the same random numbers
                for k in range(count):
                    work.preferences[player, k] = work.lists[i, k]
                work.counts[player] = count
                _begin(start, rng, work)
                work.result[i, 0] += _play(context, start, player, rounds, rng, work)
                work.result[i, 1] += 1.0
        remaining //= 2
        for i in range(remaining):  # move the better half to the front
            best = i
            for k in range(i + 1, 2 * remaining):
                if work.result[k, 0] / work.result[k, 1] > work.result[best, 0] / work.result[best, 1]:
                    best = k
            for k in range(count):
                work.lists[i, k], work.lists[best, k] = work.lists[best, k], work.lists[i, k]
            for c in range(2):
                work.result[i, c], work.result[best, c] = work.result[best, c], work.result[i, c]
    for k in range(count):
        preferences[k] = work.lists[0, k]
    return count


def simulated_picks(
    view: View,
    weights: Weights,
    value: ValueNetwork | None,
    rng: RandomState,
    games: int | None = None,
    policy: Any = planned_turn,
    net: TurnNetwork | None = None,
) -> list[int]:
    """Return the offered regions, best first, according to `games` simulated games; advances rng uint64[2].

    Args:
        policy: the policy function that all players use in the games.
        net: the policy's turn network, or None.
    """
    n, players = view.board.n_regions, view.players
    functions = Functions(policy=policy)
    rounds, default_games = (_ROUNDS, GAMES) if net is None else (_NETWORK_ROUNDS, _NETWORK_GAMES)
    context = make_context(view.board, view.params, players, weights, functions=functions, value=value, turns=net)
    start = make_state(1, n, players)
    start.owner[0], start.army[0], start.phase[0] = view.owner, view.army, PICK
    start.turn[0] = view.pick_turn
    free = start.owner[0] == NEUTRAL
    own_bit, all_bits = np.uint8(1 << view.player), np.uint8((1 << players) - 1)
    start.offers[0, list(view.offers)] = own_bit if view.params.picking == OWN_OFFER else all_bits
    if view.params.picking == OWN_OFFER:
        start.offers[0, free & (start.offers[0] == 0)] = all_bits - own_bit
    work = PickWork(
        state=make_state(1, n, players),
        scratch=make_scratch(n, players),
        round=make_workspace(n, view.board.n_edges, players),
        generator=make_generator_work(n, view.board.n_edges, players),
        total=np.zeros(n),
        games=np.zeros(n),
        scores=np.zeros(n),
        preferences=np.zeros((players, n), np.int32),
        counts=np.zeros(players, np.int32),
        lists=np.zeros((_LISTS, n), np.int32),
        result=np.zeros((_LISTS, 2)),
    )
    preferences = np.zeros(n, np.int32)
    count = weigh_picks(context, start, view.player, games or default_games, rounds, rng, work, preferences)
    return [int(region) for region in preferences[:count]]
