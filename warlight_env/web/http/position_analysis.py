"""A bot's turn for a position, with the position's win probabilities, on request."""

from __future__ import annotations

from typing import Any

from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.web.documents.fog_filter import SPECTATOR
from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Access, Lobby
from warlight_env.web.opponents.catalog import Opponents
from warlight_env.web.requests import AnalysisBody
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.bot_process import BotQuery
from warlight_env.web.workers.worker_tasks import LogSource, bot_seed, visible_position


async def analyse_position(lobby: Lobby, access: Access, body: AnalysisBody) -> dict[str, Any]:
    """Return a bot's turn and insight, and the win probabilities, as the player of the seat sees the position.

    Raises:
        RequestError: the token does not permit an analysis of the position, or not at this time; see
            `ConcurrencyLimit`.
    """
    room = access.room
    past = body.round is not None and body.round != room.game.round
    if not room.over and access.seat == SPECTATOR:
        raise RequestError("this token is only for watching", 403, code="looking-only")
    if not room.over and room.kind == "together":
        raise RequestError("in a game with friends you cannot ask a bot for help", 409, code="no-help")
    if past and not access.sees_all:
        raise RequestError("you can analyse past rounds after the end of the game", 409, code="no-analysis-yet")
    own = None if access.seat == SPECTATOR else access.seat
    seat = own if own is not None and body.seat is None else body.seat or 0
    if seat != own and not access.sees_all:
        raise RequestError(f"seat {seat}: this token does not give access to it", 403)
    with lobby.concurrency_limit.slot(f"{room.id}/{access.seat}"):  # one token for each seat, and one for spectators
        if past:
            setup, position, seed = await lobby.process_pool.short(
                worker_tasks.position_at, lobby.source(room), body.round, seat
            )
        else:
            setup, position, seed = room.setup, visible_position(room.game, seat), bot_seed(room.game)
        return await _think(lobby, setup, position, seed, body.bot, room.number)


async def analyse_log_position(
    lobby: Lobby, opponents: Opponents, source: LogSource, body: AnalysisBody
) -> dict[str, Any]:
    """Return a bot's turn and insight, and the win probabilities, for a log that a user opened, without hidden data."""
    with lobby.concurrency_limit.slot(source.key):
        await opponents.check(body.bot, *await lobby.process_pool.long(worker_tasks.game_in, source))
        setup, position, seed = await lobby.process_pool.long(
            worker_tasks.position_at, source, body.round, body.seat or 0
        )
        return await _think(lobby, setup, position, seed, body.bot, 0)


async def _think(
    lobby: Lobby, setup: WorkerSetup, position: QueriedPosition, seed: int, bot: str, number: int
) -> dict[str, Any]:
    """Ask a bot about a position and return its answer as plain data. `number`: selects the worker that answers."""
    question = BotQuery(setup, position, bot, seed, win_probabilities=True)
    answer = await lobby.bot_workers.ask(question, number + position.player + 1)
    if answer.error is not None:
        status = 503 if answer.late else 500
        raise RequestError(f"{bot}: {answer.error}", status, code="bot-failed", bot=bot, reason=answer.error)
    return {
        "player": position.player,
        "round": position.round + 1,
        "orders": {"deploys": answer.deploys, "attacks": answer.attacks},
        "data": answer.insight,
        "chances": answer.win_probabilities,
        "seconds": answer.seconds,
    }
