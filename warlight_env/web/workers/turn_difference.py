"""The difference between a played turn and a better turn: what differs in the positions after the round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.web.workers.turn_report import Reason

# The weights of differences, in armies. They decide only which difference is the reason.
_REGION: Final = 3.0  # of a region
_INCOME: Final = 4.0  # of one army of a bonus
_PLACE: Final = 0.5  # of an army that is at another place, next to an enemy
_LEAST: Final = 0.2  # differences with less weight are no reason


def difference(
    before: Game, player: int, turns: tuple[Orders, Orders], played: Sequence[Game], better: Sequence[Game]
) -> Reason:
    """Return the largest advantage of the better turn after the round, as a reason.

    The values of the reason have an entry "only" if the turns differ only in one order, or in the order of the moves.

    Args:
        before: the game before the round. turns: the played and the better turn of the player.
        played, better: games after the round with different dice, after each turn.
    """
    map_ = before.map
    found = [
        *_bonuses(map_, player, played, better),
        *_regions(before, player, played, better),
        *_armies(player, played, better),
        *_places(before, player, played, better),
    ]
    weight, reason = max(found, key=lambda pair: pair[0], default=(0.0, Reason("turn-even", {})))
    reason = reason if weight >= _LEAST else Reason("turn-even", {})
    only = _only(map_, before.owner.tolist(), player, *turns)
    return Reason(reason.code, {**reason.values, **({"only": only} if only else {})})


def _owners(games: Sequence[Game]) -> npt.NDArray[np.int64]:
    return np.array([game.owner.tolist() for game in games])


def _own_armies(games: Sequence[Game], player: int) -> npt.NDArray[np.float64]:
    """Return the mean number of the player's armies on each region, float64[region]."""
    armies = np.array([game.army.tolist() for game in games])
    return np.asarray(np.where(_owners(games) == player, armies, 0).mean(axis=0))


def _shares(better: float, played: float, **values: Any) -> dict[str, Any]:
    return {"better": round(float(better), 3), "played": round(float(played), 3), **values}


def _bonuses(map_: Map, player: int, played: Sequence[Game], better: Sequence[Game]) -> list[tuple[float, Reason]]:
    found = []
    for part, members, income in zip(map_.super_regions, map_.members, map_.bonuses, strict=True):
        if not members or income <= 0:
            continue
        own, others = [], []
        for games in (better, played):
            owner = _owners(games)[:, list(members)]
            whole = (owner == owner[:, :1]).all(axis=1)
            own.append((whole & (owner[:, 0] == player)).mean())
            others.append((whole & (owner[:, 0] >= 0) & (owner[:, 0] != player)).mean())
        told = {"bonus": part.name, "income": int(income)}
        found.append((_INCOME * income * (own[0] - own[1]), Reason("turn-bonus", _shares(*own, **told))))
        found.append((_INCOME * income * (others[1] - others[0]), Reason("turn-breaks", _shares(*others, **told))))
    return found


def _regions(before: Game, player: int, played: Sequence[Game], better: Sequence[Game]) -> list[tuple[float, Reason]]:
    best, own = ((_owners(games) == player).mean(axis=0) for games in (better, played))
    return [
        (
            _REGION * float(best[r] - own[r]),
            Reason(
                "turn-holds" if before.owner[r] == player else "turn-takes",
                _shares(best[r], own[r], region=before.map.regions[r].name),
            ),
        )
        for r in range(before.map.n_regions)
    ]


def _armies(player: int, played: Sequence[Game], better: Sequence[Game]) -> list[tuple[float, Reason]]:
    players = range(better[0].players)
    totals = [[float(_own_armies(games, of).sum()) for of in players] for games in (better, played)]
    saved = totals[0][player] - totals[1][player]
    killed = sum(totals[1][of] - totals[0][of] for of in players if of != player)
    return [
        (saved, Reason("turn-saves", {"armies": round(saved, 1)})),
        (killed, Reason("turn-kills", {"armies": round(killed, 1)})),
    ]


def _places(before: Game, player: int, played: Sequence[Game], better: Sequence[Game]) -> list[tuple[float, Reason]]:
    more = _own_armies(better, player) - _own_armies(played, player)
    owner, map_ = _owners(better), before.map
    found = []
    for r in range(map_.n_regions):
        near = owner[:, list(map_.neighbors[r])]
        threatened = float(((near >= 0) & (near != player)).any(axis=1).mean())
        values = {"armies": round(float(more[r]), 1), "region": map_.regions[r].name}
        found.append((_PLACE * float(more[r]) * threatened, Reason("turn-guards", values)))
    return found


def _only(map_: Map, owner: list[int], player: int, played: Orders, better: Orders) -> dict[str, Any] | None:
    """Return the only difference of two turns; None if more than one order differs."""
    name = [region.name for region in map_.regions]
    attacks = [{(source, target): int(n) for source, target, n in turn.attacks} for turn in (played, better)]
    deploys = [{region: int(n) for region, n in turn.deploys if n} for turn in (played, better)]
    pairs = [pair for pair in {**attacks[0], **attacks[1]} if attacks[0].get(pair) != attacks[1].get(pair)]
    if deploys[0] != deploys[1]:
        return None if pairs else {"kind": "deploys"}
    if len(pairs) == 1:
        source, target = pairs[0]
        was, now = (turn.get(pairs[0], 0) for turn in attacks)
        kind = "move" if owner[target] == player else "attack"
        return {"kind": kind, "source": name[source], "target": name[target], "armies": now, "was": was}
    return None if pairs or list(attacks[0]) == list(attacks[1]) else {"kind": "order"}
