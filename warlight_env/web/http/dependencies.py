"""What route handlers share: the game that a request's token opens, and JSON responses of large documents."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Header, Request
from fastapi.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from warlight_env.web.access.auth import GUEST
from warlight_env.web.errors import later, refusal
from warlight_env.web.games.lobby import Access, Lobby

PIECE: Final = 1 << 18  # bytes: what is not sent at once has to be copied, and a long game's document is megabytes
ROOM: Final = 256 << 20  # bytes of all that are more than a piece and are being sent: who takes them may be slow


async def game_access(id: str, request: Request, authorization: Annotated[str, Header(max_length=128)]) -> Access:
    """The game in the request's path, as far as the request's token opens it."""
    lobby: Lobby = request.app.state.lobby
    return await lobby.find(id, authorization.removeprefix("Bearer "), guest=GUEST in request.scope)


#: FastAPI dependency of handlers: the game in the path, and what the request's token opens.
GameAccess = Annotated[Access, Depends(game_access)]


class EncodedJson(Response):
    """Bytes of JSON; a large one, while too many of those are on their way to others, is refused (503)."""

    media_type = "application/json"
    _sending = 0  # bytes of the large ones

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See `Response`."""
        large = len(self.body) if len(self.body) > PIECE else 0
        if large and EncodedJson._sending and EncodedJson._sending + large > ROOM:
            error = refusal("the server is sending too much: try again in a moment", code="busy")
            await JSONResponse(error, 503, later(503))(scope, receive, send)
            return
        EncodedJson._sending += large
        try:
            await self._send(send)
        finally:
            EncodedJson._sending -= large

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for at in range(0, len(self.body), PIECE):
            await send({"type": "http.response.body", "body": self.body[at : at + PIECE], "more_body": True})
        await send({"type": "http.response.body", "body": b""})
