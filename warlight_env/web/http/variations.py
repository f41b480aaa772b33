"""Routes of variations: turns that users try in positions of finished games, of opened logs and of studies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import Response

from warlight_env.engine.orders import Orders
from warlight_env.web.documents.fog_filter import SPECTATOR
from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.games.room import Room
from warlight_env.web.http.dependencies import EncodedJson, GameAccess
from warlight_env.web.http.replays import ReplayCache
from warlight_env.web.opponents.catalog import Opponents
from warlight_env.web.requests import DeleteVariationBody, JudgeBody, TryBody, TurnBody, VariationNoteBody
from warlight_env.web.storage.study_store import StudyStore
from warlight_env.web.workers import variation_tasks, worker_tasks
from warlight_env.web.workers.variation_tasks import LogTree, StudyTree, TriedTurn
from warlight_env.web.workers.worker_tasks import LogSource

Title = Annotated[str, Query(max_length=60)]
Played = Annotated[int, Query(ge=0, le=1_000_000)]


@dataclass(frozen=True)
class VariationStore:
    """The tree of variations of a game, of an opened log or of a study.

    Attributes:
        key: the key under which the server stores the lock and the limits of the tree: the ID of the game or study.
        load: a function that returns the tree and the positions to which it belongs. save: a function that saves the
        result of a task of `variation_tasks`. The caller holds the lock of the key in
            `Lobby.change_lock`. editable: whether the token gives the right to change the tree.
    """

    key: str
    load: Callable[[], Awaitable[LogTree | StudyTree]]
    save: Callable[[bytes], Awaitable[None]]
    editable: bool = True


def tree_of_game(room: Room, lobby: Lobby) -> LogTree:
    """Return the tree of variations of a game; raise `RequestError` if the game is not over."""
    if not room.log.complete:
        text = "variations are available after the end of the game"
        raise RequestError(text, 409, code="no-variations-yet")
    return LogTree(lobby.source(room), room.log.variations)


def _add_routes(app: FastAPI, prefix: str, tree: Callable[..., Awaitable[Any]]) -> None:
    """Add the routes below `prefix`. tree: a FastAPI dependency that returns a `VariationStore`."""
    lobby: Lobby = app.state.lobby
    opponents: Opponents = app.state.opponents
    dependency = Depends(tree)
    pool = lobby.process_pool

    @app.get(f"{prefix}/variations")
    async def read_tree(store: VariationStore = dependency) -> EncodedJson:
        return EncodedJson(await pool.short(variation_tasks.read_tree, await store.load()))

    @app.post(f"{prefix}/variations")
    async def extend(body: TryBody, store: VariationStore = dependency) -> EncodedJson:
        return EncodedJson(await _try_turn(lobby, opponents, store, body))

    @app.post(f"{prefix}/variations/note")
    async def note(body: VariationNoteBody, store: VariationStore = dependency) -> EncodedJson:
        return EncodedJson(
            await _change_tree(lobby, store, variation_tasks.annotate, body.node, body.round, body.name, body.comment)
        )

    @app.post(f"{prefix}/variations/delete")
    async def delete(body: DeleteVariationBody, store: VariationStore = dependency) -> EncodedJson:
        return EncodedJson(await _change_tree(lobby, store, variation_tasks.delete, body.node))

    @app.post(f"{prefix}/variations/import")
    async def graft(request: Request, store: VariationStore = dependency) -> EncodedJson:
        return EncodedJson(await _change_tree(lobby, store, variation_tasks.graft, await request.body()))

    @app.get(f"{prefix}/variations/file")
    async def file(store: VariationStore = dependency, round: Played = 0, title: Title = "") -> Response:
        data = await pool.short(variation_tasks.study_of, await store.load(), round, title)
        return Response(data, media_type="application/json")


async def _change_tree(lobby: Lobby, store: VariationStore, task: Callable[..., Any], *args: Any) -> bytes:
    """Change a tree by a task of `variation_tasks`, save it, and return the answer. An error changes nothing."""
    if not store.editable:
        raise RequestError("this token is only for watching", 403, code="looking-only")
    async with lobby.change_lock(store.key):  # another change begins with the result of this change
        data, answer = await lobby.process_pool.short(task, await store.load(), *args)
        await store.save(data)
    assert isinstance(answer, bytes)
    return answer


async def _try_turn(lobby: Lobby, opponents: Opponents, store: VariationStore, body: TryBody) -> bytes:
    """Add a variation to the tree.

    If a bot must choose the turns of the other players, the bot does so before the change of the tree, so that other
    changes need not wait for the bot.
    """
    turn = await _turn(lobby, opponents, store, body)
    with lobby.concurrency_limit.slot(store.key):
        prepared = await lobby.process_pool.short(variation_tasks.prepare_turn, await store.load(), turn)
        replies = {}
        for player, question in prepared.questions.items():
            answer = await lobby.bot_workers.ask_for_user(question, str(turn.bot), player)
            replies[player] = answer.orders
        return await _change_tree(lobby, store, variation_tasks.add_variation, turn, prepared, replies)


async def _turn(lobby: Lobby, opponents: Opponents, store: VariationStore, body: TryBody) -> TriedTurn:
    bot = None
    if body.reply == "believed":
        if body.bot is None:
            raise RequestError(
                "bot is missing: with reply 'believed', a bot chooses the turns of the other players",
                code="no-bot",
                bot="",
            )
        game_size = await lobby.process_pool.short(variation_tasks.game_in, await store.load())
        await opponents.check(body.bot, *game_size)
        bot = body.bot
        if body.seconds is not None:
            bot = lobby.bot_workers.engine(body.bot, body.seconds).name
    other_turns = (
        None if body.others is None else tuple(None if turn is None else _orders(turn) for turn in body.others)
    )
    return TriedTurn(
        body.parent, body.round, body.seat, _orders(body), body.reply, bot, other_turns, body.seed
    )  # fmt: skip


def _orders(body: TurnBody) -> Orders:
    return Orders(list(body.deploys), list(body.attacks))


def add_variations(app: FastAPI) -> None:
    """Add the routes of variations below games, opened logs and studies."""
    lobby: Lobby = app.state.lobby
    replay_cache: ReplayCache = app.state.replay_cache
    opponents: Opponents = app.state.opponents
    study_store: StudyStore = app.state.study_store

    async def of_game(access: GameAccess) -> VariationStore:
        async def load() -> LogTree:
            return tree_of_game(await lobby.current(access.room.id), lobby)

        async def save(data: bytes) -> None:
            room = await lobby.current(access.room.id)
            await asyncio.to_thread(room.log.save_variations, data)

        return VariationStore(access.room.id, load, save, editable=access.seat != SPECTATOR)

    async def of_replay(key: str) -> VariationStore:
        source = replay_cache.get(key)

        async def load() -> LogTree:
            return LogTree(source, replay_cache.trees.get(key))

        async def save(data: bytes) -> None:
            replay_cache.trees[key] = data

        return VariationStore(key, load, save)

    async def of_study(id: str) -> VariationStore:
        async def load() -> StudyTree:
            return StudyTree(await asyncio.to_thread(study_store.read, id))

        async def save(data: bytes) -> None:
            await asyncio.to_thread(study_store.write, id, data)

        return VariationStore(id, load, save)

    _add_routes(app, "/api/games/{id}", of_game)
    _add_routes(app, "/api/replays/{key}", of_replay)
    _add_routes(app, "/api/studies/{id}", of_study)

    async def judge(key: str, source: LogSource, body: JudgeBody) -> dict[str, Any]:
        await opponents.check(body.bot, *await lobby.process_pool.long(worker_tasks.game_in, source))
        engine = lobby.bot_workers.engine(body.bot, body.seconds)
        with lobby.concurrency_limit.slot(key):
            return asdict(await lobby.analysis_jobs.judge(source, engine, body.round, body.seat, _orders(body)))

    @app.post("/api/games/{id}/variations/judge")
    async def judge_game(body: JudgeBody, access: GameAccess) -> dict[str, Any]:
        return await judge(access.room.id, tree_of_game(access.room, lobby).source, body)

    @app.post("/api/replays/{key}/variations/judge")
    async def judge_replay(key: str, body: JudgeBody) -> dict[str, Any]:
        return await judge(key, replay_cache.get(key), body)

    @app.get("/api/replays/{key}/log")
    async def log(key: str) -> Response:
        source, tree = replay_cache.get(key), replay_cache.trees.get(key)
        data = await lobby.process_pool.long(variation_tasks.log_with, LogTree(source, tree))
        return Response(data, media_type="application/gzip")
