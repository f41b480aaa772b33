"""The difference between a played turn and a better turn: the positions after the round and some rounds later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.web.workers.rollout_estimate import OwnersAndArmies, positions_of
from warlight_env.web.workers.turn_report import Reason

# The weights of differences, in armies. They decide only which difference is the reason.
REGION: Final = 3.0  # of a region
_INCOME_WEIGHT: Final = 4.0  # of one army of a bonus
_GUARD_WEIGHT: Final = 0.5  # of an army that is at another place, next to an enemy
_MIN_ADVANTAGE: Final = 0.2  # differences with less weight are no reason

#: The numbers of further rounds after which positions are compared: the answers of the others, and the outcome.
ROUNDS_LATER: Final = (1, 3)
#: The probability that an explanation names a difference although the turns lead to the same positions on average.
FALSE_ALARMS: Final = 0.05
_SIGN_FLIPS: Final = 2000  # random signs for the distribution of the largest score


def difference(
    before: Game,
    player: int,
    turns: tuple[Orders, Orders],
    played_games: Sequence[Game],
    better_games: Sequence[Game],
    later_positions: Sequence[tuple[OwnersAndArmies, OwnersAndArmies]] = (),
) -> Reason:
    """Return the largest advantage of the better turn after the round, as a reason.

    The values of the reason have an entry "only" if the turns differ only in one order, or in the order of the moves.
    They have an entry "later" with the largest advantages some rounds later, if there are any. An advantage must be
    significant among all comparisons of all these positions, see `_min_score`.

    Args:
        before: the game before the round. turns: the played and the better turn of the player.
        played_games, better_games: games after the round with different dice, after each turn; the dice of two games
            with the same index are equal. With fewer than five games no advantage is significant.
        later_positions: the positions after each number of further rounds in `ROUNDS_LATER`, after the played and the
            better turn.
    """
    pairs = [(positions_of(played_games), positions_of(better_games)), *later_positions]
    after_pairs = [
        (_After(player, played_positions), _After(player, better_positions))
        for played_positions, better_positions in pairs
    ]
    groups = [[*_places(before, player, *pair), *_armies(*pair)] for pair in after_pairs]
    groups[0] += _guards(before, player, *after_pairs[0])
    min_score = _min_score([comparison.gains for comparisons in groups for comparison in comparisons])
    significant = [
        [entry for entry in comparisons if entry.score > min_score and entry.advantage >= _MIN_ADVANTAGE]
        for comparisons in groups
    ]
    reason = (
        max(significant[0], key=lambda entry: entry.advantage).reason if significant[0] else Reason("turn-even", {})
    )
    named_subjects = [_subject(reason)]
    advantages = []
    for rounds, comparisons in zip(ROUNDS_LATER, significant[1:], strict=False):
        candidates = [entry for entry in comparisons if _subject(entry.reason) not in named_subjects]
        if not candidates:
            continue
        # Armies are a reason only if no bonus and no region is.
        largest = max(candidates, key=lambda entry: ("armies" not in entry.reason.values, entry.advantage)).reason
        named_subjects.append(_subject(largest))
        advantages.append({"rounds": rounds, "code": largest.code, "values": largest.values})
    only = _only(before, player, *turns)
    only_values = {"only": only} if only else {}
    return Reason(reason.code, {**reason.values, **only_values, **({"later": advantages} if advantages else {})})


def _subject(reason: Reason) -> tuple[str, str | None]:
    """Return the code of a reason, and its region or bonus: an explanation names each of them once."""
    return reason.code, reason.values.get("region", reason.values.get("bonus"))


class _After:
    """The owners and the armies after a turn: bool[roll, region] of the player and of others, int64[roll, region]."""

    def __init__(self, player: int, after: OwnersAndArmies) -> None:
        self.owner, self.army = after.owner, after.army.astype(np.int64)
        self.owned, self.owned_by_others = self.owner == player, (self.owner >= 0) & (self.owner != player)


class _Comparison(NamedTuple):
    """One number in the positions after the better turn, compared with the positions after the played turn."""

    gains: npt.NDArray[np.float64]  #: the advantage of the better turn, float64[roll]
    weight: float  #: the value of an advantage of 1, in armies
    reason: Reason

    @property
    def advantage(self) -> float:
        """The mean advantage of the better turn, in armies."""
        return self.weight * float(self.gains.mean())

    @property
    def score(self) -> float:
        """The mean advantage, relative to its spread: at most the root of the number of rolls."""
        return float(_scores(self.gains[:, None], np.ones((1, len(self.gains))))[0, 0])


def _scores(gains: npt.NDArray[np.float64], signs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the scores of `gains` float64[roll, comparison] after changes of signs float64[flip, roll]."""
    norms = np.sqrt((gains**2).sum(axis=0))
    scores: npt.NDArray[np.float64] = signs @ gains / np.where(norms > 0, norms, 1.0)
    return scores


def _min_score(gains: Sequence[npt.NDArray[np.float64]]) -> float:
    """Return the score that the largest of many scores exceeds with probability `FALSE_ALARMS` by chance.

    If both turns lead to the same positions on average, each roll of the dice can as well have the opposite gains in
    all comparisons. The function gives random signs to the rolls, and returns a quantile of the largest score. This is
    the single-step max-T method of Westfall and Young (Resampling-Based Multiple Testing, 1993).
    """
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (_SIGN_FLIPS, len(gains[0])))
    largest = _scores(np.stack(gains, axis=1), signs).max(axis=1)
    return float(np.quantile(largest, 1 - FALSE_ALARMS, method="higher")) + 1e-9


def _shares(better: npt.NDArray[np.bool_], played: npt.NDArray[np.bool_], **values: Any) -> dict[str, Any]:
    return {"better": round(float(better.mean()), 3), "played": round(float(played.mean()), 3), **values}


def _difference(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return first.astype(np.float64) - second


def _places(before: Game, player: int, played: _After, better: _After) -> list[_Comparison]:
    """Return the comparisons of the bonuses and the regions that the players hold."""
    map_, comparisons = before.map, []
    for part, members, income in zip(map_.super_regions, map_.members, map_.bonuses, strict=True):
        if not members or income <= 0:
            continue
        for holder in range(before.players):
            now, was = ((after.owner[:, list(members)] == holder).all(axis=1) for after in (better, played))
            values = _shares(now, was, bonus=part.name, income=int(income))
            if holder == player:
                gains, reason = _difference(now, was), Reason("turn-bonus", values)
            else:
                gains, reason = _difference(was, now), Reason("turn-breaks", {**values, "player": holder})
            comparisons.append(_Comparison(gains, _INCOME_WEIGHT * income, reason))
    for r, region in enumerate(map_.regions):
        kind = "turn-holds" if before.owner[r] == player else "turn-takes"
        values = _shares(better.owned[:, r], played.owned[:, r], region=region.name)
        comparisons.append(
            _Comparison(_difference(better.owned[:, r], played.owned[:, r]), REGION, Reason(kind, values))
        )
    return comparisons


def _armies(played: _After, better: _After) -> list[_Comparison]:
    own_armies = [(after.army * after.owned).sum(axis=1) for after in (better, played)]
    other_armies = [(after.army * after.owned_by_others).sum(axis=1) for after in (better, played)]
    saved, killed = _difference(own_armies[0], own_armies[1]), _difference(other_armies[1], other_armies[0])
    return [
        _Comparison(saved, 1.0, Reason("turn-saves", {"armies": round(float(saved.mean()), 1)})),
        _Comparison(killed, 1.0, Reason("turn-kills", {"armies": round(float(killed.mean()), 1)})),
    ]


def _guards(before: Game, player: int, played: _After, better: _After) -> list[_Comparison]:
    """Return the comparisons of the player's armies on each region, next to the player that is most often beside it."""
    comparisons = []
    for r, region in enumerate(before.map.regions):
        gains = _difference(better.army[:, r] * better.owned[:, r], played.army[:, r] * played.owned[:, r])
        neighbor_owners = better.owner[:, list(before.map.neighbors[r])]
        adjacent_shares = [
            0.0 if opponent == player else float((neighbor_owners == opponent).any(axis=1).mean())
            for opponent in range(before.players)
        ]
        enemy = int(np.argmax(adjacent_shares))
        values = {"armies": round(float(gains.mean()), 1), "region": region.name, "player": enemy}
        comparisons.append(_Comparison(gains, _GUARD_WEIGHT * adjacent_shares[enemy], Reason("turn-guards", values)))
    return comparisons


def _only(before: Game, player: int, played: Orders, better: Orders) -> dict[str, Any] | None:
    """Return the only difference of the armies that two turns send; None if more than one order differs."""
    name = [region.name for region in before.map.regions]
    first, second = (sent_armies(before, player, turn) for turn in (played, better))
    if first.deploys != second.deploys:
        return {"kind": "deploys"} if first.moves == second.moves else None
    pairs = {(source, target) for source, target, _ in set(first.moves) ^ set(second.moves)}
    if len(pairs) == 1:
        source, target = pair = pairs.pop()
        other_moves = [[move for move in sent_turn.moves if move[:2] != pair] for sent_turn in (first, second)]
        if other_moves[0] != other_moves[1]:
            return None
        was, now = (sum(move[2] for move in sent_turn.moves if move[:2] == pair) for sent_turn in (first, second))
        kind = "move" if before.owner[target] == player else "attack"
        return {"kind": kind, "source": name[source], "target": name[target], "armies": now, "was": was}
    return None if pairs or first.moves == second.moves else {"kind": "order"}


class SentArmies(NamedTuple):
    """The deploys, moves and reserves of a turn; a move is an attack or a transfer that sends armies."""

    deploys: dict[int, int]  #: armies by region
    moves: list[tuple[int, int, int]]  #: (source, target, armies)
    #: (source, target) of orders that send armies only if an earlier order is not executed fully. Armies that moved
    #: cannot move again under the rules of the challenges, so there are no reserves.
    reserves: list[tuple[int, int]]


def sent_armies(game: Game, player: int, orders: Orders) -> SentArmies:
    """Return the armies that a player's orders send in a position; `frontend/src/lib/sendable.ts` does the same."""
    army, free = game.army.tolist(), game.rules.moved_armies == "free"
    sent_turn = SentArmies({}, [], [])
    for region, armies in orders.deploys:
        sent_turn.deploys[region] = sent_turn.deploys.get(region, 0) + armies
        army[region] += armies
    for source, target, armies in orders.attacks:
        leaving = min(armies, army[source] - 1)
        if leaving > 0:
            sent_turn.moves.append((source, target, leaving))
            army[source] -= leaving
            if free and game.owner[target] == player:
                army[target] += leaving
        elif free:
            sent_turn.reserves.append((source, target))
    return sent_turn
