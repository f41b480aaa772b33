"""The difference between a played turn and a better turn: the positions after the round and some rounds later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.web.workers.rollout_estimate import OwnersAndArmies, positions_of
from warlight_env.web.workers.sent_armies import sent_armies
from warlight_env.web.workers.turn_report import Reason

# The weights of differences, in armies. They decide only which difference is the reason.
_REGION: Final = 3.0  # of a region
_INCOME: Final = 4.0  # of one army of a bonus
_PLACE: Final = 0.5  # of an army that is at another place, next to an enemy
_LEAST: Final = 0.2  # differences with less weight are no reason

#: The numbers of further rounds after which positions are compared: the answers of the others, and the outcome.
LATER: Final = (1, 3)


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
    They have an entry "later" with the largest advantages some rounds later, if there are any.

    Args:
        before: the game before the round. turns: the played and the better turn of the player.
        played, better: games after the round with different dice, after each turn.
        later: the positions after each number of further rounds in `LATER`, after the played and the better turn.
    """
    first, second = _After(player, positions_of(played)), _After(player, positions_of(better))
    found = [
        *_bonuses(before.map, first, second),
        *_regions(before, player, first, second),
        *_armies(first, second),
        *_places(before.map, first, second),
    ]
    weight, reason = max(found, key=lambda pair: pair[0])
    reason = reason if weight >= _LEAST else Reason("turn-even", {})
    only = _only(before, player, *turns)
    told = [] if reason.code == "turn-even" else [reason]
    advantages = []
    for rounds, (worse, good) in zip(LATER, later, strict=False):
        after = _later(before, player, _After(player, worse), _After(player, good), told)
        if after is not None:
            told.append(after)
            advantages.append({"rounds": rounds, "code": after.code, "values": after.values})
    more = {"only": only} if only else {}
    return Reason(reason.code, {**reason.values, **more, **({"later": advantages} if advantages else {})})


def _later(before: Game, player: int, played: _After, better: _After, told: Sequence[Reason]) -> Reason | None:
    """Return the largest advantage that differs from those in `told`: a bonus or a region, otherwise armies."""
    known = {(reason.code, reason.values.get("region", reason.values.get("bonus"))) for reason in told}
    places = [*_bonuses(before.map, played, better), *_regions(before, player, played, better)]
    for found in (places, _armies(played, better)):
        new = [(w, r) for w, r in found if (r.code, r.values.get("region", r.values.get("bonus"))) not in known]
        weight, reason = max(new, key=lambda pair: pair[0], default=(0.0, None))
        if weight >= _LEAST:
            return reason
    return None


class _After:
    """The owners and the armies after a turn: bool[roll, region] of the player and of others, int64[roll, region]."""

    def __init__(self, player: int, after: OwnersAndArmies) -> None:
        self.owner, self.army = after.owner, after.army.astype(np.int64)
        self.own, self.others = self.owner == player, (self.owner >= 0) & (self.owner != player)


def _advantage(more: npt.NDArray[Any], less: npt.NDArray[Any]) -> float:
    """Return the mean difference of two values by roll; 0 if its 95 % interval contains 0."""
    gains = more.astype(np.float64) - less
    error = 1.96 * float(gains.std(ddof=1)) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
    mean = float(gains.mean())
    return mean if mean > error else 0.0


def _shares(better: npt.NDArray[np.bool_], played: npt.NDArray[np.bool_], **values: Any) -> dict[str, Any]:
    return {"better": round(float(better.mean()), 3), "played": round(float(played.mean()), 3), **values}


def _bonuses(map_: Map, played: _After, better: _After) -> list[tuple[float, Reason]]:
    found = []
    for part, members, income in zip(map_.super_regions, map_.members, map_.bonuses, strict=True):
        if not members or income <= 0:
            continue
        at = list(members)
        told = {"bonus": part.name, "income": int(income)}
        own, was = (after.own[:, at].all(axis=1) for after in (better, played))
        found.append((_INCOME * income * _advantage(own, was), Reason("turn-bonus", _shares(own, was, **told))))
        own, was = (
            after.others[:, at[0]] & (after.owner[:, at] == after.owner[:, at[:1]]).all(axis=1)
            for after in (better, played)
        )
        found.append((_INCOME * income * _advantage(was, own), Reason("turn-breaks", _shares(own, was, **told))))
    return found


def _regions(before: Game, player: int, played: _After, better: _After) -> list[tuple[float, Reason]]:
    found = []
    for r, region in enumerate(before.map.regions):
        kind = "turn-holds" if before.owner[r] == player else "turn-takes"
        values = _shares(better.own[:, r], played.own[:, r], region=region.name)
        found.append((_REGION * _advantage(better.own[:, r], played.own[:, r]), Reason(kind, values)))
    return found


def _armies(played: _After, better: _After) -> list[tuple[float, Reason]]:
    own = [(after.army * after.own).sum(axis=1) for after in (better, played)]
    others = [(after.army * after.others).sum(axis=1) for after in (better, played)]
    saved, killed = _advantage(own[0], own[1]), _advantage(others[1], others[0])
    return [
        (saved, Reason("turn-saves", {"armies": round(saved, 1)})),
        (killed, Reason("turn-kills", {"armies": round(killed, 1)})),
    ]


def _places(map_: Map, played: _After, better: _After) -> list[tuple[float, Reason]]:
    found = []
    for r, region in enumerate(map_.regions):
        more = _advantage(better.army[:, r] * better.own[:, r], played.army[:, r] * played.own[:, r])
        threatened = float(better.others[:, list(map_.neighbors[r])].any(axis=1).mean())
        values = {"armies": round(more, 1), "region": region.name}
        found.append((_PLACE * more * threatened, Reason("turn-guards", values)))
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
