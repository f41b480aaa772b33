"""The difference between a played turn and a better turn: the positions after the round and some rounds later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.web.workers.rollout_estimate import OwnersAndArmies, positions_of
from warlight_env.web.workers.sent_armies import sent_armies
from warlight_env.web.workers.turn_report import Reason

# The weights of differences, in armies. They decide only which difference is the reason.
REGION: Final = 3.0  # of a region
_INCOME: Final = 4.0  # of one army of a bonus
_PLACE: Final = 0.5  # of an army that is at another place, next to an enemy
_LEAST: Final = 0.2  # differences with less weight are no reason

#: The numbers of further rounds after which positions are compared: the answers of the others, and the outcome.
LATER: Final = (1, 3)
#: The probability that an explanation names a difference although the turns lead to the same positions on average.
FALSE_ALARMS: Final = 0.05
_FLIPS: Final = 2000  # random signs for the distribution of the largest score


def difference(
    before: Game,
    player: int,
    turns: tuple[Orders, Orders],
    played: Sequence[Game],
    better: Sequence[Game],
    later: Sequence[tuple[OwnersAndArmies, OwnersAndArmies]] = (),
) -> Reason:
    """Return the largest advantage of the better turn after the round, as a reason.

    The values of the reason have an entry "only" if the turns differ only in one order, or in the order of the moves.
    They have an entry "later" with the largest advantages some rounds later, if there are any. An advantage must be
    significant among all comparisons of all these positions, see `_least_score`.

    Args:
        before: the game before the round. turns: the played and the better turn of the player.
        played, better: games after the round with different dice, after each turn; the dice of two games with the same
            index are equal. With fewer than five games no advantage is significant.
        later: the positions after each number of further rounds in `LATER`, after the played and the better turn.
    """
    pairs = [(positions_of(played), positions_of(better)), *later]
    after = [(_After(player, worse), _After(player, good)) for worse, good in pairs]
    found = [[*_places(before, player, *pair), *_armies(*pair)] for pair in after]
    found[0] += _guards(before, player, *after[0])
    least = _least_score([comparison.gains for comparisons in found for comparison in comparisons])
    sure = [[each for each in comparisons if each.score > least and each.worth >= _LEAST] for comparisons in found]
    reason = max(sure[0], key=lambda each: each.worth).reason if sure[0] else Reason("turn-even", {})
    told = [_subject(reason)]
    advantages = []
    for rounds, comparisons in zip(LATER, sure[1:], strict=False):
        new = [each for each in comparisons if _subject(each.reason) not in told]
        if not new:
            continue
        # Armies are a reason only if no bonus and no region is.
        largest = max(new, key=lambda each: ("armies" not in each.reason.values, each.worth)).reason
        told.append(_subject(largest))
        advantages.append({"rounds": rounds, "code": largest.code, "values": largest.values})
    only = _only(before, player, *turns)
    more = {"only": only} if only else {}
    return Reason(reason.code, {**reason.values, **more, **({"later": advantages} if advantages else {})})


def _subject(reason: Reason) -> tuple[str, str | None]:
    """Return the code of a reason, and its region or bonus: an explanation names each of them once."""
    return reason.code, reason.values.get("region", reason.values.get("bonus"))


class _After:
    """The owners and the armies after a turn: bool[roll, region] of the player and of others, int64[roll, region]."""

    def __init__(self, player: int, after: OwnersAndArmies) -> None:
        self.owner, self.army = after.owner, after.army.astype(np.int64)
        self.own, self.others = self.owner == player, (self.owner >= 0) & (self.owner != player)


class _Comparison(NamedTuple):
    """One number in the positions after the better turn, compared with the positions after the played turn."""

    gains: npt.NDArray[np.float64]  #: the advantage of the better turn, float64[roll]
    weight: float  #: the value of an advantage of 1, in armies
    reason: Reason

    @property
    def worth(self) -> float:
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


def _least_score(gains: Sequence[npt.NDArray[np.float64]]) -> float:
    """Return the score that the largest of many scores exceeds with probability `FALSE_ALARMS` by chance.

    If both turns lead to the same positions on average, each roll of the dice can as well have the opposite gains in
    all comparisons. The function gives random signs to the rolls, and returns a quantile of the largest score. This is
    the single-step max-T method of Westfall and Young (Resampling-Based Multiple Testing, 1993).
    """
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (_FLIPS, len(gains[0])))
    largest = _scores(np.stack(gains, axis=1), signs).max(axis=1)
    return float(np.quantile(largest, 1 - FALSE_ALARMS, method="higher")) + 1e-9


def _shares(better: npt.NDArray[np.bool_], played: npt.NDArray[np.bool_], **values: Any) -> dict[str, Any]:
    return {"better": round(float(better.mean()), 3), "played": round(float(played.mean()), 3), **values}


def _difference(more: npt.NDArray[Any], less: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return more.astype(np.float64) - less


def _places(before: Game, player: int, played: _After, better: _After) -> list[_Comparison]:
    """Return the comparisons of the bonuses and the regions that the players hold."""
    map_, found = before.map, []
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
            found.append(_Comparison(gains, _INCOME * income, reason))
    for r, region in enumerate(map_.regions):
        kind = "turn-holds" if before.owner[r] == player else "turn-takes"
        values = _shares(better.own[:, r], played.own[:, r], region=region.name)
        found.append(_Comparison(_difference(better.own[:, r], played.own[:, r]), REGION, Reason(kind, values)))
    return found


def _armies(played: _After, better: _After) -> list[_Comparison]:
    own = [(after.army * after.own).sum(axis=1) for after in (better, played)]
    others = [(after.army * after.others).sum(axis=1) for after in (better, played)]
    saved, killed = _difference(own[0], own[1]), _difference(others[1], others[0])
    return [
        _Comparison(saved, 1.0, Reason("turn-saves", {"armies": round(float(saved.mean()), 1)})),
        _Comparison(killed, 1.0, Reason("turn-kills", {"armies": round(float(killed.mean()), 1)})),
    ]


def _guards(before: Game, player: int, played: _After, better: _After) -> list[_Comparison]:
    """Return the comparisons of the player's armies on each region, next to the player that is most often beside it."""
    found = []
    for r, region in enumerate(before.map.regions):
        more = _difference(better.army[:, r] * better.own[:, r], played.army[:, r] * played.own[:, r])
        near = better.owner[:, list(before.map.neighbors[r])]
        beside = [
            0.0 if other == player else float((near == other).any(axis=1).mean()) for other in range(before.players)
        ]
        enemy = int(np.argmax(beside))
        values = {"armies": round(float(more.mean()), 1), "region": region.name, "player": enemy}
        found.append(_Comparison(more, _PLACE * beside[enemy], Reason("turn-guards", values)))
    return found


def _only(before: Game, player: int, played: Orders, better: Orders) -> dict[str, Any] | None:
    """Return the only difference of the armies that two turns send; None if more than one order differs."""
    name = [region.name for region in before.map.regions]
    first, second = (sent_armies(before, player, turn) for turn in (played, better))
    if first.deploys != second.deploys:
        return {"kind": "deploys"} if first.moves == second.moves else None
    pairs = {(source, target) for source, target, _ in set(first.moves) ^ set(second.moves)}
    if len(pairs) == 1:
        source, target = pair = pairs.pop()
        rest = [[move for move in sent.moves if move[:2] != pair] for sent in (first, second)]
        if rest[0] != rest[1]:
            return None
        was, now = (sum(move[2] for move in sent.moves if move[:2] == pair) for sent in (first, second))
        kind = "move" if before.owner[target] == player else "attack"
        return {"kind": kind, "source": name[source], "target": name[target], "armies": now, "was": was}
    return None if pairs or first.moves == second.moves else {"kind": "order"}
