"""Shared parts of route handlers: the access that a token gives, and JSON responses of large documents."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Header, Request
from fastapi.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from warlight_env.web.access.auth import GUEST
from warlight_env.web.errors import make_error_body, retry_headers
from warlight_env.web.games.lobby import Access, Lobby

PIECE: Final = 1 << 18  # bytes sent at once: the transport copies unsent bytes, and documents have megabytes
MAX_SENDING_BYTES: Final = (
    256 << 20
)  # bytes of all large responses that are being sent; slow clients keep them in memory for long


async def game_access(id: str, request: Request, authorization: Annotated[str, Header(max_length=128)]) -> Access:
    """Return the game in the request's path, with the access that the request's token gives."""
    lobby: Lobby = request.app.state.lobby
    return await lobby.find(id, authorization.removeprefix("Bearer "), guest=GUEST in request.scope)


#: FastAPI dependency of handlers: the game in the path, with the access that the request's token gives.
GameAccess = Annotated[Access, Depends(game_access)]


class EncodedJson(Response):
    """An HTTP response with JSON that is already encoded as bytes.

    If the large responses that are being sent exceed a limit in bytes, the server refuses another large response (503).
    """

    media_type = "application/json"
    _sending = 0  # bytes of the large responses that are being sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response; see `Response`."""
        large = len(self.body) if len(self.body) > PIECE else 0
        if large and EncodedJson._sending and EncodedJson._sending + large > MAX_SENDING_BYTES:
            error = make_error_body("the server is busy: try again in a moment", code="busy")
            await JSONResponse(error, 503, retry_headers(503))(scope, receive, send)
            return
        EncodedJson._sending += large
        try:
            await self._send(send)
        finally:
            EncodedJson._sending -= large

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for start in range(0, len(self.body), PIECE):
            await send({"type": "http.response.body", "body": self.body[start : start + PIECE], "more_body": True})
        await send({"type": "http.response.body", "body": b""})
