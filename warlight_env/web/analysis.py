"""Insight that is asked for: what a bot would do here, and the chances of every position of a log."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from typing import Any, Final

from warlight_env.engine.rng import derive_seed
from warlight_env.record import GameLog, game_at
from warlight_env.record.encode import _map_data, _Same
from warlight_env.web.errors import RequestError
from warlight_env.web.lobby import Access
from warlight_env.web.requests import InsightBody
from warlight_env.web.thinking import Thinkers
from warlight_env.web.worker import Position, Question, Setup

#: Positions of a log that get chances; of longer games every second, third … one, the others by interpolation.
POSITIONS: Final = 120

_known: OrderedDict[tuple[Any, ...], list[list[list[float]]]] = OrderedDict()


async def insight_for(thinkers: Thinkers, there: Access, body: InsightBody) -> dict[str, Any]:
    """A bot's thoughts, and the chances, as the player of the seat sees the position."""
    room = there.room
    past = body.round is not None and body.round != room.game.round
    if past and there.seat is not None and not room.over:
        raise RequestError("past rounds can be analysed once the game is over", 409)
    seat = there.seat if there.seat is not None and body.seat is None else body.seat
    if seat is None:
        seat = 0
    if seat >= room.game.players or (seat != there.seat and there.seat is not None and not room.over):
        raise RequestError(f"seat {seat}: not to be looked at with this token", 403)
    game = game_at(room.book.log, body.round) if past else room.game
    if game.phase != "play" or not game.alive(seat):
        raise RequestError("there is nothing to think about: no turn of this player now", 409)
    seed = derive_seed(game.seed, 99, game.round)
    question = Question(room.setup, Position.of(game.view(seat)), body.bot, seed, keep=False, chances=True)
    answer = await thinkers.ask(question, room.number + seat + 1)
    if answer.error is not None:
        raise RequestError(f"{body.bot}: {answer.error}", 500)
    return {
        "player": seat,
        "round": game.round + 1,
        "orders": {"deploys": answer.deploys, "attacks": answer.attacks},
        "data": answer.insight,
        "chances": answer.chances,
        "seconds": answer.seconds,
    }


async def chances_of(thinkers: Thinkers, log: GameLog) -> list[list[list[float]]]:
    """For each position (before the first round, after each) and player the share of playouts won, with its interval."""
    header = log.header
    key = (header.seed, header.map.digest(), len(log.steps), log.steps[-1].hash if log.steps else "")
    if key in _known:
        return _known[key]
    map_data, _ = _map_data(_Same(header.map))
    setup = Setup(f"chances-{header.seed}", map_data, header.rules.to_dict(), len(header.players))
    positions = list(log.positions())[-(len(log.rounds) + 1) :]
    step = max(1, len(positions) // POSITIONS)
    found: dict[int, list[list[float]]] = {}
    empty = Position(0, "play", 0, [], [], 0, (), 0)
    for number in sorted({*range(0, len(positions), step), len(positions) - 1}):
        owner, army = positions[number]
        if all(o < 0 for o in owner):
            continue
        position = dataclasses.replace(empty, owner=list(owner), army=list(army), round=number)
        answer = await thinkers.ask(Question(setup, position, None, number, chances=True), 1)
        if answer.error is not None or answer.chances is None:
            return []
        found[number] = answer.chances
    chances = [found[max((k for k in found if k <= n), default=min(found, default=0))] for n in range(len(positions))] if found else []
    _known[key] = chances
    if len(_known) > 50:
        _known.popitem(last=False)
    return chances
