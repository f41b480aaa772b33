"""A bot's turn for the position of a player, with the position's win probabilities, on request: a hint."""

from __future__ import annotations

from typing import Any

from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Access, Lobby
from warlight_env.web.requests import AnalysisBody
from warlight_env.web.workers.bot_process import BotQuery
from warlight_env.web.workers.engine import Engine
from warlight_env.web.workers.worker_tasks import bot_seed, visible_position


async def analyse_position(lobby: Lobby, access: Access, body: AnalysisBody) -> dict[str, Any]:
    """Return a bot's turn and insight, and the win probabilities, as the player of the seat sees the position.

    Raises:
        RequestError: the token does not permit this question, or not at this time; see `ConcurrencyLimit`.
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
