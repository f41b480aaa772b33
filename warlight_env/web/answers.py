"""Answers that are JSON already, sent in pieces."""

from __future__ import annotations

from typing import Final

from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

PIECE: Final = 1 << 18  # bytes: what is not sent at once has to be copied, and a long game's document is megabytes


class Encoded(Response):
    """Bytes of JSON."""

    media_type = "application/json"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See `Response`."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for at in range(0, len(self.body), PIECE):
            await send({"type": "http.response.body", "body": self.body[at : at + PIECE], "more_body": True})
        await send({"type": "http.response.body", "body": b""})
