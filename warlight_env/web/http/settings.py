"""Settings of a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warlight_env.web.access.auth import RATE
from warlight_env.web.access.connections import ADDRESS

PORT: Final = 8040
#: The bots that the page offers. The owner may add more bots at the start; a request cannot name other bots.
BOTS: Final = (
    "nash:secs=1", "nash:secs=5", "belief:nash:secs=1", "mcts:secs=1", "mcts:secs=5", "mcts:sims=457", "pmcts:sims=457",
    "mcts_thesis:sims=457", "mcts_no_defense:sims=457", "flat_mc:sims=457", "minimax2:sims=500", "maxn:sims=2000",
    "plan", "policy:any", "policy:world", "policy:fog", "policy:any_fog", "policy:small", "one_ply", "aggressive",
    "smart_random", "one_big_army", "random",
)  # fmt: skip


@dataclass(frozen=True)
class ServerSettings:
    """The settings of a server.

    Attributes:
        folder: the folder of games.
        bots: the specifications of the bots that the page offers.
        hosts: the names that requests may use for the server; empty: any name.
        token: the token that every client must send; None: clients need no token.
        runs: the folder with the run folders of tournaments; None: the page shows no tournaments.
        opponents: the folder with policies to play against; None: the page offers no policies of the user.
        lan_address: the address of the server for other machines; None: the server accepts only connections from this
            machine.
        max_rooms, workers: see `Lobby`.
        max_viewers: the maximum number of open WebSockets.
        rate, at_once: see `AuthMiddleware`.
    """

    folder: Path
    bots: Sequence[str] = BOTS
    hosts: Sequence[str] = ()
    token: str | None = None
    runs: Path | None = None
    opponents: Path | None = None
    lan_address: str | None = None
    max_rooms: int = 100
    max_viewers: int = 1000
    rate: float = RATE
    at_once: int = ADDRESS
    workers: int = 2


@dataclass(frozen=True)
class Listen:
    """The address and the port on which a server listens.

    Attributes:
        proxies: the addresses of proxies. The server uses the header ``X-Forwarded-For`` only in requests from these
            addresses.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    proxies: tuple[str, ...] = ()

    @property
    def local(self) -> bool:
        """Whether only this machine can connect."""
        return self.host in ("127.0.0.1", "::1", "localhost")
