"""Insight that is asked for: what a bot would do here, and the chances of the position."""

from __future__ import annotations

import asyncio
from typing import Any

from warlight_env.engine.rng import derive_seed
from warlight_env.game import Game
from warlight_env.record import GameLog, game_at
from warlight_env.web.errors import RequestError
from warlight_env.web.lobby import Access
from warlight_env.web.requests import InsightBody
from warlight_env.web.thinking import Thinkers
from warlight_env.web.worker import Position, Question, Setup


async def insight_for(thinkers: Thinkers, there: Access, body: InsightBody) -> dict[str, Any]:
    """A bot's thoughts, and the chances, as the player of the seat sees the position."""
    room = there.room
    past = body.round is not None and body.round != room.game.round
    if past and there.seat is not None and not room.over:
        raise RequestError("past rounds can be analysed once the game is over", 409)
    seat = there.seat if there.seat is not None and body.seat is None else body.seat or 0
    if seat != there.seat and there.seat is not None and not room.over:
        raise RequestError(f"seat {seat}: not to be looked at with this token", 403)
    game = await asyncio.to_thread(game_at, room.book.log, body.round) if past else room.game
    return await _think(thinkers, room.setup, game, seat, body.bot, room.number)


async def insight_of_log(thinkers: Thinkers, key: str, log: GameLog, body: InsightBody) -> dict[str, Any]:
    """The same of a log that was opened, which hides nothing. `key` names it."""
    header = log.header
    setup = Setup.of(f"log-{key}", header.map, header.rules, len(header.players))
    game = await asyncio.to_thread(game_at, log, body.round)
    return await _think(thinkers, setup, game, body.seat or 0, body.bot, 0)


async def _think(thinkers: Thinkers, setup: Setup, game: Game, seat: int, bot: str, number: int) -> dict[str, Any]:
    """`number`: decides which worker thinks."""
    if seat >= game.players:
        raise RequestError(f"seat {seat}: there are {game.players} players")
    if game.phase != "play" or not game.alive(seat):
        raise RequestError("there is nothing to think about: no turn of this player now", 409)
    seed = derive_seed(game.seed, 99, game.round)
    question = Question(setup, Position.of(game.view(seat)), bot, seed, keep=False, chances=True)
    answer = await thinkers.ask(question, number + seat + 1)
    if answer.error is not None:
        raise RequestError(f"{bot}: {answer.error}", 500)
    return {
        "player": seat,
        "round": game.round + 1,
        "orders": {"deploys": answer.deploys, "attacks": answer.attacks},
        "data": answer.insight,
        "chances": answer.chances,
        "seconds": answer.seconds,
    }
