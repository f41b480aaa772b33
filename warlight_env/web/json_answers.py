"""Answers that are JSON already, sent in pieces."""

from __future__ import annotations

from typing import Final

from fastapi.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from warlight_env.web.errors import later, refusal

PIECE: Final = 1 << 18  # bytes: what is not sent at once has to be copied, and a long game's document is megabytes
ROOM: Final = 256 << 20  # bytes of all that are more than a piece and are being sent: who takes them may be slow


class Encoded(Response):
    """Bytes of JSON; a large one, while too many of those are on their way to others, is refused (503)."""

    media_type = "application/json"
    _sending = 0  # bytes of the large ones

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See `Response`."""
        large = len(self.body) if len(self.body) > PIECE else 0
        if large and Encoded._sending and Encoded._sending + large > ROOM:
            error = refusal("the server is sending too much: try again in a moment", code="busy")
            await JSONResponse(error, 503, later(503))(scope, receive, send)
            return
        Encoded._sending += large
        try:
            await self._send(send)
        finally:
            Encoded._sending -= large

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for at in range(0, len(self.body), PIECE):
            await send({"type": "http.response.body", "body": self.body[at : at + PIECE], "more_body": True})
        await send({"type": "http.response.body", "body": b""})
