"""Insight that is asked for: what a bot would do here, and the chances of the position."""

from __future__ import annotations

from typing import Any

from warlight_env.web import clerk
from warlight_env.web.clerk import Source, seen, thought_seed
from warlight_env.web.errors import RequestError
from warlight_env.web.eyes import SPECTATOR
from warlight_env.web.lobby import Access, Lobby
from warlight_env.web.opponents import Opponents
from warlight_env.web.requests import InsightBody
from warlight_env.web.worker import AskedPosition, Question, WorkerSetup


async def insight_for(lobby: Lobby, there: Access, body: InsightBody) -> dict[str, Any]:
    """A bot's thoughts, and the chances, as the player of the seat sees the position.

    Raises:
        RequestError: nothing of that may be asked with this token, or not now; see `Turnstile`.
    """
    room = there.room
    past = body.round is not None and body.round != room.game.round
    if not room.over and there.seat == SPECTATOR:
        raise RequestError("this token is for looking only", 403, code="looking-only")
    if not room.over and room.kind == "together":
        raise RequestError("in a game with friends nobody is helped", 409, code="no-help")
    if past and not there.whole:
        raise RequestError("past rounds can be analysed once the game is over", 409, code="no-analysis-yet")
    own = None if there.seat == SPECTATOR else there.seat
    seat = own if own is not None and body.seat is None else body.seat or 0
    if seat != own and not there.whole:
        raise RequestError(f"seat {seat}: not to be looked at with this token", 403)
    with lobby.turnstile.through(f"{room.id}/{there.seat}"):  # a seat, or watching, has one token
        if past:
            setup, position, seed = await lobby.desk.short(clerk.position_at, lobby.source(room), body.round, seat)
        else:
            setup, position, seed = room.setup, seen(room.game, seat), thought_seed(room.game)
        return await _think(lobby, setup, position, seed, body.bot, room.number)


async def insight_of_log(lobby: Lobby, opponents: Opponents, source: Source, body: InsightBody) -> dict[str, Any]:
    """The same of a log that was opened, which hides nothing."""
    with lobby.turnstile.through(source.key):
        await opponents.check(body.bot, *await lobby.desk.long(clerk.game_in, source))
        setup, position, seed = await lobby.desk.long(clerk.position_at, source, body.round, body.seat or 0)
        return await _think(lobby, setup, position, seed, body.bot, 0)


async def _think(
    lobby: Lobby, setup: WorkerSetup, position: AskedPosition, seed: int, bot: str, number: int
) -> dict[str, Any]:
    """`number`: decides which worker thinks."""
    question = Question(setup, position, bot, seed, chances=True)
    answer = await lobby.thinkers.ask(question, number + position.player + 1)
    if answer.error is not None:
        status = 503 if answer.late else 500
        raise RequestError(f"{bot}: {answer.error}", status, code="bot-failed", bot=bot, reason=answer.error)
    return {
        "player": position.player,
        "round": position.round + 1,
        "orders": {"deploys": answer.deploys, "attacks": answer.attacks},
        "data": answer.insight,
        "chances": answer.chances,
        "seconds": answer.seconds,
    }
