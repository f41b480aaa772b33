"""Agents that play a turn network's likeliest turns, and notes in the files of networks."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import file_of, read_turn_file


@dataclass(frozen=True)
class TurnPlayer:
    """Makes agents that play a network's likeliest turns. Instances can be pickled for other processes."""

    network: bytes  #: content of a file, see `turn_file`

    def __call__(self, seed: int) -> TurnNetAgent:
        network = read_network(self.network)
        assert network is not None
        return TurnNetAgent(network, seed)


@functools.lru_cache(8)
def read_network(content: bytes) -> TurnNetwork | None:
    """Return the network of a file's content; None for empty content."""
    return read_turn_file(content, "network of this run").network if content else None


def with_note(content: bytes, more: Mapping[str, Any]) -> bytes:
    """Return the network's file with more entries in its note about the network's origin."""
    policy = read_turn_file(content, "network of this run")
    return file_of(policy.network, policy.heat, {**policy.note, **more})
