"""How a server is set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from warlight_env.web.connections import ADDRESS
from warlight_env.web.gate import RATE

#: The bots that the page offers; a server may be told of more, a request cannot name others.
BOTS: Final = (
    "nash:secs=1", "nash:secs=5", "belief:nash:secs=1", "mcts:secs=1", "mcts:secs=5", "mcts:sims=457", "pmcts:sims=457",
    "mcts_thesis:sims=457", "mcts_no_defense:sims=457", "flat_mc:sims=457", "minimax2:sims=500", "maxn:sims=2000",
    "plan", "policy:any", "policy:world", "policy:small", "one_ply", "aggressive", "smart_random", "one_big_army",
    "random",
)  # fmt: skip


@dataclass(frozen=True)
class ServerSettings:
    """How a server is set up.

    folder: of games. bots: that the page offers. hosts: names under which it may be reached (empty: any). token: wanted
    from everybody; None: nobody needs one. runs: folder of tournaments. opponents: folder of policies to play against.
    reach: address under which others on the network find it; None: it answers this machine alone. max_rooms, workers:
    see `Lobby`. max_viewers: sockets at once. rate, at_once: see `Guard`.
    """

    folder: Path
    bots: Sequence[str] = BOTS
    hosts: Sequence[str] = ()
    token: str | None = None
    runs: Path | None = None
    opponents: Path | None = None
    reach: str | None = None
    max_rooms: int = 100
    max_viewers: int = 1000
    rate: float = RATE
    at_once: int = ADDRESS
    workers: int = 2
