"""Starting regions from simulated games: the picks, some rounds by plans or a network, and the position's value.

First, games estimate the values of regions. In these games, all players pick according to the present estimates. A
region's estimate is the mean share of the players who got it, with noise, as in a Gumbel softmax. Then lists of
preferred regions are compared. Each stage plays twice as many games with the better half of the lists (successive
halving: Karnin, Koren and Somekh, 2013). Games begin with the picks of the rules. So the estimates include other
players' picks and wastelands in all presets. If each player has its own offer, a player does not see the other offers.
Then the other players may pick any regions that are not offered to the player.
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

#: Number of games for one list of picks, and rounds of each game: with plans, and with a turn network. Half of the
#: games estimate regions.
GAMES: Final = 4000
_NETWORK_GAMES: Final = 2000
_ROUNDS: Final = 6
_NETWORK_ROUNDS: Final = 14
#: The parameter of agents.
PICKS: Final = Param(
    "choice of starting regions: by fast simulated games (simulated) or by the weights (best)",
    choices=("simulated", "best"),
    shared=True,
)
#: Number of lists that are compared; a power of two.
_LISTS: Final = 32
#: Noise in shares: during the estimation of regions, in the compared lists, and in the other players' lists.
_EXPLORING, _TRYING, _ANSWERING = 0.06, 0.03, 0.03
#: In every second list, the neighbours and the super region of the list's first region have this bonus.
_NEAR: Final = 0.06
#: Number of assumed games with an equal share that a region's mean share contains from the start.
_PRIOR: Final = 2.0


class PickWork(NamedTuple):
    """Working memory for estimating regions."""

    state: State  #: of one game
    scratch: Scratch
    round: Workspace
    generator: GeneratorWork
    total: npt.NDArray[np.float64]  #: [N] sum of the shares of the players who got a region
    games: npt.NDArray[np.float64]  #: [N] number of games in that sum
    want: npt.NDArray[np.float64]  #: [N] one player's estimates in one game
    preferences: npt.NDArray[np.int32]  #: [P, N]
    counts: npt.NDArray[np.int32]  #: [P]
    lists: npt.NDArray[np.int32]  #: [_LISTS, N]
    result: npt.NDArray[np.float64]  #: [_LISTS, 2] shares and games


@kernel
def _preference(
    context: Context,
    player: Int,
    may: npt.NDArray[np.uint8],
    noise: Real,
    near: Real,
    rng: RandomState,
    work: PickWork,
    out: npt.NDArray[np.int32],
) -> Int:
    """Write a player's preferred regions, best first, from mean shares with Gumbel noise. Return their number.

    may: uint8[N], bit p: offered to player p. near: bonus of regions adjacent to the first one.
    """
    n, count, want, board = work.want.shape[0], np.int64(0), work.want, context.board
    for r in range(n):
        want[r] = -np.inf
        if may[r] >> player & 1:
            mean = (work.total[r] + _PRIOR / context.players) / (work.games[r] + _PRIOR)
            want[r] = mean - noise * np.log(-np.log(uniform(rng) + 1e-300) + 1e-300)
    while True:
        best = np.int64(-1)
        for r in range(n):
            if want[r] > -np.inf and (best < 0 or want[r] > want[best]):
                best = np.int64(r)
        if best < 0:
            return count
        out[count] = best
        count += 1
        want[best] = -np.inf
        if near > 0.0 and count == 1:
            for r in range(n):
                if board.super_region[r] == board.super_region[best]:
                    want[r] += near
            for e in range(board.neighbor_start[best], board.neighbor_start[best + 1]):
                want[board.edge_target[e]] += near


@kernel
def _play(context: Context, begun: State, player: Int, rounds: Int, rng: RandomState, work: PickWork) -> Real:
    """Play some rounds after the picks, with the lists of preferred regions in `work`.

    Records the shares of all players, and returns the share of `player`.
    """
    state, players, round_ = work.state, context.players, work.round
    owner, army = state.owner[0], state.army[0]
    while state.phase[0] == PICK:
        resolve_picks(context.params, state, 0, work.preferences, work.counts, work.scratch)
    for r in range(owner.shape[0]):
        work.want[r] = owner[r]  # the owner of each region after the picks
    at, winner = Position(owner, army, state.round[:1]), np.int64(ONGOING)
    for _ in range(rounds):
        for p in range(players):
            round_.counts[p] = 0
            if holds_regions(owner, p):
                round_.counts[p] = draw_turn(context, at, p, rng, work.generator, round_.deploy[p], round_.attacks[p])
            else:
                for r in range(owner.shape[0]):
                    round_.deploy[p, r] = 0
        resolve_orders(context.params, at, round_, rng, None, None)
        winner = np.int64(winner_of(context, at))
        if winner != ONGOING:
            break
    shares = stack_floats()
    write_shares(context, at, winner, shares)
    for p in range(players):
        for r in range(owner.shape[0]):
            if work.want[r] == p and begun.owner[0, r] == NEUTRAL:
                work.total[r] += shares[p]
                work.games[r] += 1.0
    return shares[player]


@kernel
def _begin(begun: State, rng: RandomState, work: PickWork) -> None:
    """Set the game in `work` to the position of `begun`, with its own random generator."""
    state = work.state
    for r in range(state.owner.shape[1]):
        state.owner[0, r], state.army[0, r] = begun.owner[0, r], begun.army[0, r]
        state.offers[0, r] = begun.offers[0, r]
    state.round[0], state.phase[0], state.turn[0] = begun.round[0], begun.phase[0], begun.turn[0]
    state.winner[0] = NEUTRAL
    state.rng[0, 0], state.rng[0, 1] = rng[0], rng[1]
    uniform(rng)


@kernel
def weigh_picks(
    context: Context,
    begun: State,
    player: Int,
    games: Int,
    rounds: Int,
    rng: RandomState,
    work: PickWork,
    preferences: npt.NDArray[np.int32],
) -> Int:
    """Write the regions offered to a player in the only game of `begun`, best first, to preferences int32[N].

    Returns their number. games: the total number of games. rounds: the rounds of each game.
    """
    players, may = context.players, begun.offers[0]
    for r in range(work.total.shape[0]):
        work.total[r], work.games[r] = 0.0, 0.0
    for _ in range(games // 2):
        for p in range(players):
            work.counts[p] = _preference(context, p, may, _EXPLORING, 0.0, rng, work, work.preferences[p])
        _begin(begun, rng, work)
        _play(context, begun, player, rounds, rng, work)
    count: Int = np.int64(0)
    for i in range(_LISTS):
        noise, near = 0.0 if i < 2 else _TRYING, _NEAR if i % 2 == 1 else 0.0
        count = _preference(context, player, may, noise, near, rng, work, work.lists[i])
        work.result[i, 0], work.result[i, 1] = 0.0, 0.0
    left, stages = _LISTS, np.int64(np.log2(_LISTS) + 0.5)
    for _ in range(stages):
        for _ in range(max(1, games // (2 * stages * left))):
            for p in range(players):
                if p != player:
                    work.counts[p] = _preference(context, p, may, _ANSWERING, 0.0, rng, work, work.preferences[p])
            first, second = rng[0], rng[1]
            for i in range(left):
                rng[0], rng[1] = first, second  # the same random numbers for each list
                for k in range(count):
                    work.preferences[player, k] = work.lists[i, k]
                work.counts[player] = count
                _begin(begun, rng, work)
                work.result[i, 0] += _play(context, begun, player, rounds, rng, work)
                work.result[i, 1] += 1.0
        left //= 2
        for i in range(left):  # move the better half to the front
            best = i
            for k in range(i + 1, 2 * left):
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
    """Return the offered regions, best first, from `games` fast games; advances rng uint64[2].

    policy: the plug-in that plays the games. net: the turn network of the policy; None: no network.
    """
    n, players = view.board.n_regions, view.players
    functions = Functions(policy=policy)
    rounds, usual = (_ROUNDS, GAMES) if net is None else (_NETWORK_ROUNDS, _NETWORK_GAMES)
    context = make_context(view.board, view.params, players, weights, functions=functions, value=value, turns=net)
    begun = make_state(1, n, players)
    begun.owner[0], begun.army[0], begun.phase[0] = view.owner, view.army, PICK
    begun.turn[0] = view.pick_turn
    free = begun.owner[0] == NEUTRAL
    mine, everyone = np.uint8(1 << view.player), np.uint8((1 << players) - 1)
    begun.offers[0, list(view.offers)] = mine if view.params.picking == OWN_OFFER else everyone
    if view.params.picking == OWN_OFFER:
        begun.offers[0, free & (begun.offers[0] == 0)] = everyone - mine
    work = PickWork(
        state=make_state(1, n, players),
        scratch=make_scratch(n, players),
        round=make_workspace(n, view.board.n_edges, players),
        generator=make_generator_work(n, view.board.n_edges, players),
        total=np.zeros(n),
        games=np.zeros(n),
        want=np.zeros(n),
        preferences=np.zeros((players, n), np.int32),
        counts=np.zeros(players, np.int32),
        lists=np.zeros((_LISTS, n), np.int32),
        result=np.zeros((_LISTS, 2)),
    )
    preferences = np.zeros(n, np.int32)
    count = weigh_picks(context, begun, view.player, games or usual, rounds, rng, work, preferences)
    return [int(region) for region in preferences[:count]]
