"""Who asks about a game: found by the token that a request brings, with the server's own or as a guest."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request

from warlight_env.web.gate import GUEST
from warlight_env.web.lobby import Access, Lobby


async def asked(id: str, request: Request, authorization: Annotated[str, Header(max_length=128)]) -> Access:
    """The game of the address, as far as the token of the request opens it."""
    lobby: Lobby = request.app.state.lobby
    return await lobby.find(id, authorization.removeprefix("Bearer "), guest=GUEST in request.scope)


#: The game that a request is about, and what its token opens.
There = Annotated[Access, Depends(asked)]
