"""The start of a game: wastelands, offers, and the four ways to choose start regions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import short_repr
from warlight_env.engine.board import OFFERED, WASTELAND, Board
from warlight_env.engine.dice import choose
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, Bool, Int, Owners, RandomState, Regions
from warlight_env.engine.rng import uniform
from warlight_env.engine.rules import MAX_PLAYERS, RuleParams, Rules, RulesError
from warlight_env.engine.state import NEUTRAL, PICK, PLAY, Scratch, State

#: Values of `RuleParams.picking`.
OWN_OFFER: Final = 0
RANKED: Final = 1
ALTERNATING: Final = 2
DEALT: Final = 3

_DEAL_TRIES: Final = 200
#: Picks of each player that are never lost, if the number of picks depends on the number of offered regions.
SURE_PICKS: Final = 3
_LOSS: Final = 0.25
#: The low bits of `State.turn` are the number of picks made. The other bits are the number of picks that each player
#: has lost.
_MADE_BITS: Final = 16
_MADE: Final = (1 << _MADE_BITS) - 1


@kernel
def _shuffle(values: Regions, count: Int, rng: RandomState) -> None:
    for k in range(count - 1, 0, -1):
        j = choose(k + 1, rng, None)
        values[k], values[j] = values[j], values[k]


@kernel
def _draw_wastelands(
    board: Board, params: RuleParams, army: Armies, wasteland: npt.NDArray[np.int32], rng: RandomState
) -> None:
    """Draw wastelands with replacement.

    A draw of a region that is already a wasteland counts and changes nothing. Such a draw is repeated only if the super
    region of the region has fewer than two regions without wasteland.
    """
    n = army.shape[0]
    for _ in range(min(params.wastelands, n)):
        while True:
            region = choose(n, rng, None)
            if wasteland[region] == 0:
                break
            s, n_without_wasteland = board.super_region[region], 0
            for i in range(board.member_start[s], board.member_start[s + 1]):
                n_without_wasteland += wasteland[board.members[i]] == 0
            if n_without_wasteland >= 2:
                break
        wasteland[region] = 1
        army[region] = params.wasteland_army


@kernel
def _place_wastelands(
    board: Board, params: RuleParams, army: Armies, wasteland: npt.NDArray[np.int32], queue: Regions, rng: RandomState
) -> None:
    n = army.shape[0]
    for r in range(n):
        queue[r] = r
        wasteland[r] = 0
    if params.wastelands_repeat:
        _draw_wastelands(board, params, army, wasteland, rng)
        return
    _shuffle(queue, n, rng)
    for i in range(min(params.wastelands, n)):
        wasteland[queue[i]] = 1
        army[queue[i]] = params.wasteland_army


@kernel
def _offer_own(
    players: Int,
    per_player: Int,
    count: Int,
    queue: Regions,
    offered: npt.NDArray[np.int32],
    offers: npt.NDArray[np.uint8],
    rng: RandomState,
) -> None:
    """Offer the shuffled regions queue[:count] of one super region, each to the player with the fewest offers."""
    index = np.int64(0)
    for _ in range(per_player):
        served = 0  # bit p: player p got a region in this pass
        for _ in range(players):
            if index == count:
                return
            fewest, ties, receiver = np.int64(1 << 30), 0, -1
            for p in range(players):
                if (served >> p) & 1:
                    continue
                if offered[p] < fewest:
                    fewest, ties, receiver = np.int64(offered[p]), 1, p
                elif offered[p] == fewest:
                    ties += 1
                    if choose(ties, rng, None) == 0:
                        receiver = p
            served |= 1 << receiver
            offers[queue[index]] = 1 << receiver
            offered[receiver] += 1
            index += 1


@kernel
def _make_offers(
    board: Board,
    params: RuleParams,
    players: Int,
    offers: npt.NDArray[np.uint8],
    wasteland: npt.NDArray[np.int32],
    scratch: Scratch,
    rng: RandomState,
) -> None:
    """Offer regions of each super region: the offers in the map's setup, or random regions according to the rules."""
    everyone = (1 << players) - 1
    queue, offered, fixed = scratch.queue, scratch.cursor, board.setup_offers >= 0
    for p in range(players):
        offered[p] = 0
    for s in range(board.bonus.shape[0]):
        count = 0
        for i in range(board.member_start[s], board.member_start[s + 1]):
            r = board.members[i]
            if board.setup_marks[r] & OFFERED != 0 if fixed else wasteland[r] == 0:
                queue[count] = r
                count += 1
        if not fixed or params.picking == OWN_OFFER:
            _shuffle(queue, count, rng)
        offers_all = fixed or params.offers == 0
        if params.picking == OWN_OFFER:
            per_player = count if offers_all else params.offers
            _offer_own(players, per_player, count, queue, offered, offers, rng)
        else:
            take = count if offers_all else min(params.offers, count)
            for i in range(take):
                offers[queue[i]] = everyone


@kernel
def _place_setup_wastelands(
    board: Board, params: RuleParams, army: Armies, wasteland: npt.NDArray[np.int32], queue: Regions, rng: RandomState
) -> None:
    """Place the wastelands of the map's setup.

    If the setup does not determine the wastelands, draw regions that the setup does not offer.
    """
    n, count = army.shape[0], 0
    for r in range(n):
        wasteland[r] = 0
        if board.setup_wastelands >= 0 and board.setup_marks[r] & WASTELAND != 0:
            wasteland[r] = 1
            army[r] = params.wasteland_army
        if board.setup_wastelands < 0 and board.setup_marks[r] & OFFERED == 0:
            queue[count] = r
            count += 1
    _shuffle(queue, count, rng)
    for i in range(min(params.wastelands, count)):
        wasteland[queue[i]] = 1
        army[queue[i]] = params.wasteland_army


@kernel
def _assign_region(owner: Owners, offers: npt.NDArray[np.uint8], region: Int, player: Int) -> None:
    owner[region] = player
    offers[region] = 0


@kernel
def _borders_other(board: Board, owner: Owners, region: Int, player: Int) -> Bool:
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        if owner[q] != NEUTRAL and owner[q] != player:
            return True
    return False


@kernel
def _deal(
    board: Board,
    params: RuleParams,
    players: Int,
    owner: Owners,
    offers: npt.NDArray[np.uint8],
    queue: Regions,
    rng: RandomState,
) -> Bool:
    """Assign start regions at random, one per player in turn; return False if the rules forbid the result."""
    n = owner.shape[0]
    for r in range(n):
        owner[r] = NEUTRAL
    for _ in range(params.picks):
        for p in range(players):
            count = 0
            for r in range(n):
                free = owner[r] == NEUTRAL and offers[r] != 0
                if free and not (params.dealt_apart and _borders_other(board, owner, r, p)):
                    queue[count] = r
                    count += 1
            if count == 0:
                return False
            owner[queue[choose(count, rng, None)]] = p
    return True


@kernel
def _draw_lost_picks(offers: npt.NDArray[np.uint8], players: Int, rng: RandomState) -> Int:
    """Draw the number of picks that every player loses under the rule `picks` = 0, see `Rules`."""
    regions, lost = np.int64(0), np.int64(0)
    for r in range(offers.shape[0]):
        regions += offers[r] != 0
    for _ in range(SURE_PICKS, regions // players):
        lost += uniform(rng) < _LOSS
    return lost


@kernel
def start_game(board: Board, params: RuleParams, state: State, b: Int, scratch: Scratch) -> Bool:
    """Begin game b of a batch: set armies, wastelands, and offers or random start regions. state.rng[b] gives the dice.

    Under `Rules.dealt_apart`, start regions of different players must not be neighbours. Returns False if the kernel
    has found no start regions that `Rules.dealt_apart` allows. `check_players` rejects all other impossible games.
    """
    owner, army, offers, rng = state.owner[b], state.army[b], state.offers[b], state.rng[b]
    players = state.eliminated_at.shape[1]
    for r in range(owner.shape[0]):
        owner[r] = NEUTRAL
        army[r] = board.starting_army[r]
        offers[r] = 0
    for p in range(players):
        state.eliminated_at[b, p] = 0
    state.round[b] = 0
    state.winner[b] = NEUTRAL
    state.phase[b] = PICK
    if board.setup_wastelands >= 0 or board.setup_offers >= 0:
        _place_setup_wastelands(board, params, army, scratch.mark, scratch.queue, rng)
    else:
        _place_wastelands(board, params, army, scratch.mark, scratch.queue, rng)
    _make_offers(board, params, players, offers, scratch.mark, scratch, rng)
    lost = _draw_lost_picks(offers, players, rng) if params.picks == 0 else np.int64(0)
    state.turn[b] = pick_turn(0, lost)
    if params.picking != DEALT:
        return True
    for _ in range(_DEAL_TRIES):
        if _deal(board, params, players, owner, offers, scratch.queue, rng):
            _begin_play(state, b)
            return True
    return False


@kernel
def _begin_play(state: State, b: Int) -> None:
    offers = state.offers[b]
    for r in range(offers.shape[0]):
        offers[r] = 0
    state.phase[b] = PLAY


@kernel
def _random_offer(offers: npt.NDArray[np.uint8], player: Int, rng: RandomState) -> Int:
    """Return a random region that is free and offered to the player, or -1 if there is none."""
    ties, region = 0, -1
    for r in range(offers.shape[0]):
        if (offers[r] >> player) & 1:
            ties += 1
            if choose(ties, rng, None) == 0:
                region = r
    return region


@kernel
def _next_preference(offers: npt.NDArray[np.uint8], preferences: Regions, count: Int, player: Int, start: Int) -> Int:
    """Return the index in `preferences` of the first region, from index `start`, that the player may take; or -1."""
    n = offers.shape[0]
    for i in range(start, count):
        region = preferences[i]
        if 0 <= region < n and (offers[region] >> player) & 1:
            return i
    return -1


@kernel
def pick_turn(picks: Int, lost_picks: Int) -> Int:
    """Return `State.turn` after `picks` picks of all players together and `lost_picks` of each player."""
    return picks | (lost_picks << _MADE_BITS)


@kernel
def picks_made(turn: Int) -> Int:
    """Return the number of picks that all players together have made. turn: an element of `State.turn`."""
    return np.int64(turn) & _MADE


@kernel
def picks_lost(turn: Int) -> Int:
    """Return the number of picks that each player has lost. turn: an element of `State.turn`."""
    return np.int64(turn) >> _MADE_BITS


@kernel
def picker(turn: Int, players: Int) -> Int:
    """Return the player that picks next, from `State.turn`. The order is ABBAAB … (with three players ABCCBA …)."""
    picks = picks_made(turn)
    lap, seat = picks // players, picks % players
    return seat if lap % 2 == 0 else players - 1 - seat


@kernel
def most_picks(params: RuleParams, regions: Int, players: Int) -> Int:
    """Return the maximum number of picks of each player. regions: the number of regions offered at the start."""
    part = regions // players
    return part if params.picks == 0 else min(np.int64(params.picks), part)


@kernel
def offered_at_start(offers: npt.NDArray[np.uint8], owner: Owners) -> Int:
    """Return the number of regions offered before the first pick, while regions are picked one by one."""
    regions = np.int64(0)
    for r in range(offers.shape[0]):
        regions += offers[r] != 0 or owner[r] != NEUTRAL
    return regions


@kernel
def alternating_picks(params: RuleParams, state: State, b: Int) -> Int:
    """Return the number of regions that each player gets in game b, under "alternating"."""
    regions = offered_at_start(state.offers[b], state.owner[b])
    return most_picks(params, regions, state.eliminated_at.shape[1]) - picks_lost(state.turn[b])


@kernel
def picks_left(params: RuleParams, state: State, b: Int, player: Int) -> Int:
    """Return the number of start regions that a player still gets in game b."""
    if state.phase[b] != PICK:
        return np.int64(0)
    if params.picking != ALTERNATING:
        return np.int64(params.picks)
    owner = state.owner[b]
    remaining = alternating_picks(params, state, b)
    for r in range(owner.shape[0]):
        if owner[r] == player:
            remaining -= 1
    return np.int64(remaining)


@kernel
def resolve_picks(
    params: RuleParams,
    state: State,
    b: Int,
    preferences: Regions,
    counts: npt.NDArray[np.int32],
    scratch: Scratch,
) -> None:
    """Assign start regions from each player's list of preferred regions; draw the rest at random.

    If the rule `picking` is "alternating", one player picks one region (see `picker`). Under every value of `picking`
    except "alternating", all players pick all their regions, and the first round begins.

    Args:
        preferences: int32[P, W], each player's preferred regions, best first.
        counts: int32[P], the lengths of the lists in `preferences`.
    """
    owner, offers, rng = state.owner[b], state.offers[b], state.rng[b]
    players = counts.shape[0]
    if params.picking == ALTERNATING:
        p = picker(state.turn[b], players)
        total = alternating_picks(params, state, b) * players
        i = _next_preference(offers, preferences[p], counts[p], p, 0)
        region = preferences[p, i] if i >= 0 else _random_offer(offers, p, rng)
        _assign_region(owner, offers, region, p)
        state.turn[b] += 1
        if picks_made(state.turn[b]) >= total:
            _begin_play(state, b)
        return
    cursor, order = scratch.cursor, scratch.order
    for p in range(players):
        cursor[p] = 0
        order[p] = p
    for _ in range(params.picks):
        _shuffle(order, players, rng)  # decides between players with the same preferred region
        for k in range(players):
            p = order[k]
            i = _next_preference(offers, preferences[p], min(counts[p], np.int64(params.ranked)), p, cursor[p])
            region = -1
            if i >= 0:
                region = preferences[p, i]
                cursor[p] = i + 1
            else:
                cursor[p] = counts[p]
                region = _random_offer(offers, p, rng)
            if region >= 0:
                _assign_region(owner, offers, region, p)
    _begin_play(state, b)


def _offers_at_least(sizes: list[int], cap: int, wastelands: int) -> int:
    """Return the smallest possible number of offered regions, for any choice of the regions that are wastelands.

    At most `cap` regions are offered per super region.

    sizes: the number of regions of each super region.
    """
    total = sum(min(size, cap) for size in sizes)
    most_lost = [0] * (wastelands + 1)  # index: the number of wastelands placed
    for size in sizes:
        offered = min(size, cap)
        spare = size - offered
        for placed in range(wastelands, spare, -1):
            most_lost[placed] = max(
                most_lost[placed],
                *[most_lost[placed - spare - lost] + lost for lost in range(1, min(offered, placed - spare) + 1)],
            )
    return total - most_lost[wastelands]


def _with_setup(board: Board, params: RuleParams) -> RuleParams:
    """Return the parameters of the rules; the numbers in the map's setup replace the numbers of the rules."""
    changes: dict[str, Any] = {}
    if board.setup_wastelands >= 0:
        changes["wastelands"] = board.setup_wastelands
    if board.setup_wasteland_army:
        changes["wasteland_army"] = board.setup_wasteland_army
    if board.setup_picks:
        changes |= {"picks": board.setup_picks, "ranked": max(params.ranked, board.setup_picks)}
    return params._replace(**changes) if changes else params


def check_players(board: Board, rules: Rules, players: int) -> RuleParams:
    """Return the parameters of the rules for this map. Raise `RulesError` if the map is too small for the players."""
    if isinstance(players, bool) or not isinstance(players, int) or not 2 <= players <= MAX_PLAYERS:
        raise RulesError(f"players = {short_repr(players)}: must be an integer in 2 .. {MAX_PLAYERS}")
    n = board.n_regions
    params = _with_setup(board, rules.params(n, board.n_super_regions))
    cap = params.offers or n
    if rules.picking == "own_offer":
        cap = min(cap * players, n)
    elif rules.picking == "dealt":
        cap = n if params.offers == 0 else cap
    free = board.super_region[board.setup_marks & WASTELAND == 0]
    sizes = np.bincount(free, minlength=board.n_super_regions).tolist()
    wastelands = 0 if board.setup_wastelands >= 0 else min(params.wastelands, n)
    offers = board.setup_offers if board.setup_offers >= 0 else _offers_at_least(sizes, cap, wastelands)
    offered = offers // players
    required = 1 if rules.picking == "alternating" else params.picks
    if offered < required:
        raise RulesError(
            f"rules {rules.name!r} with {players} players: this map can offer each player only {offered} of "
            f"the {required} regions needed to start ({n} regions, {board.n_super_regions} super regions)"
        )
    return params
