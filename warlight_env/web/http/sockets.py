"""The WebSocket of a viewer: it sends one message with its token, then receives the feed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from typing import Final

from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from warlight_env.errors import InputError, RunError
from warlight_env.web.access.auth import tokens_equal
from warlight_env.web.errors import (
    ErrorBody,
    RequestError,
    error_body_of,
    make_error_body,
    os_error_body_of,
    status_of,
)
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.requests import Hello

_log = logging.getLogger(__name__)

SEND: Final = 30.0  # seconds within which a viewer must receive a message
HELLO: Final = 10.0  # seconds within which a socket must send its first message


def add_feed(app: FastAPI) -> None:
    """Add ``/api/games/ID/feed``."""
    settings: ServerSettings = app.state.settings
    open_sockets = 0

    @app.websocket("/api/games/{id}/feed")
    async def feed(socket: WebSocket, id: str) -> None:
        nonlocal open_sockets
        if open_sockets >= settings.max_viewers:
            await socket.close(1013, "too many viewers")
            return
        open_sockets += 1
        try:
            await socket.accept()
            await _follow(app, socket, id)
        finally:
            open_sockets -= 1


async def _follow(app: FastAPI, socket: WebSocket, id: str) -> None:
    settings: ServerSettings = app.state.settings
    try:
        async with asyncio.timeout(HELLO):
            text = await socket.receive_text()
        hello = Hello.model_validate_json(text)
        guest = settings.token is not None and not tokens_equal(settings.token, hello.key)
        access = await app.state.lobby.find(id, hello.token, guest=guest)
        async with contextlib.aclosing(access.room.feed.follow(access.seat, hello.after)) as messages:
            tasks = asyncio.ensure_future(_send(socket, messages)), asyncio.ensure_future(_receive(socket))
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error
        await socket.close(1001)
    except (ValidationError, KeyError):
        await _refuse(socket, make_error_body("the first message must have the fields of a hello"), 422)
    except (InputError, RunError) as error:
        await _refuse(socket, error_body_of(error), status_of(error))
    except (WebSocketDisconnect, TimeoutError, RuntimeError):
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(1008)
    except OSError as error:  # such as too many open files, or a deleted log
        _log.error("%s: %s", socket.url.path, error)
        await _refuse(socket, os_error_body_of(error), 503)


async def _refuse(socket: WebSocket, error_body: ErrorBody, status: int) -> None:
    """Send the reason of a refusal, and close the socket."""
    with contextlib.suppress(RuntimeError, WebSocketDisconnect, OSError):
        await socket.send_text(json.dumps({"type": "error", **error_body, "status": status}))
        await socket.close(1008, error_body["error"][:100])


async def _send(socket: WebSocket, messages: AsyncIterator[str]) -> None:
    async for text in messages:
        async with asyncio.timeout(SEND):
            await socket.send_text(text)


async def _receive(socket: WebSocket) -> None:
    """Wait for a further message, which ends the connection: after the hello, clients must not send any."""
    await socket.receive_text()
    raise RequestError("the socket accepts no further messages: send commands over HTTP")
