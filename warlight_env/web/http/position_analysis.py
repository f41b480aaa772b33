"""A bot's turn for the position of a player, with the position's win probabilities, on request: a hint."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from fastapi import Request

from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Access, Lobby
from warlight_env.web.requests import AnalysisBody
from warlight_env.web.workers.bot_process import BotQuery
from warlight_env.web.workers.engine import Engine
from warlight_env.web.workers.worker_tasks import bot_seed, visible_position

CONNECTION_CHECK: Final = 0.5  # seconds between two checks whether a client still waits


async def while_connected(request: Request, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Return the result of `work`; cancel the work if the client closes the connection before the result.

    Raises:
        RequestError: the client has closed the connection.
    """
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=CONNECTION_CHECK))[0]:
            if await request.is_disconnected():
                raise RequestError("the client has cancelled the request", 499, code="cancelled")
        return task.result()
    finally:
        task.cancel()


async def analyse_position(lobby: Lobby, access: Access, body: AnalysisBody) -> dict[str, Any]:
    """Return a bot's turn and insight, and the win probabilities, as the player of the seat sees the position.

    Raises:
        RequestError: the token does not permit an analysis of the position, or not at this time; see
            `ConcurrencyLimit`.
    """
    room, seat = access.room, access.player()
    if not room.over and room.kind == "together":
        raise RequestError("in a game with friends you cannot ask a bot for help", 409, code="no-help")
    with lobby.concurrency_limit.slot(f"{room.id}/{seat}"):  # one token for each seat
        position = visible_position(room.game, seat)
        engine = Engine(body.bot, body.seconds, lobby.bot_workers.agent_spec)
        question = BotQuery(room.setup, position, engine.name, bot_seed(room.game), win_probabilities=True)
        answer = await lobby.bot_workers.ask(question, room.number + seat + 1)
    if answer.error is not None:
        status = 503 if answer.late else 500
        text = f"{body.bot}: {answer.error}"
        raise RequestError(text, status, code="bot-failed", bot=body.bot, reason=answer.error)
    return {
        "player": position.player,
        "round": position.round + 1,
        "orders": {"deploys": answer.deploys, "attacks": answer.attacks},
        "data": answer.insight,
        "chances": answer.win_probabilities,
        "seconds": answer.seconds,
    }
