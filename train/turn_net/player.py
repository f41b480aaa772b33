"""Agents that play the most likely turns of a turn network, and the metadata in network files."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import pack_turn_network, read_turn_network


@dataclass(frozen=True)
class TurnPlayer:
    """Makes agents that play the most likely turns of a network. Instances can be pickled for other processes."""

    network: bytes  #: the content of the network's file, see `pack_arrays`

    def __call__(self, seed: int) -> TurnNetAgent:
        network = read_network(self.network)
        assert network is not None
        return TurnNetAgent(network, seed)


@functools.lru_cache(8)
def read_network(content: bytes) -> TurnNetwork | None:
    """Return the network in the content of a file, or None if the content is empty."""
    return read_turn_network(content, "network of this run").network if content else None


def with_metadata(content: bytes, extra: Mapping[str, Any]) -> bytes:
    """Return the content of a network file with more entries in its metadata about the origin of the network."""
    policy = read_turn_network(content, "network of this run")
    return pack_turn_network(policy.network, policy.temperature, {**policy.metadata, **extra})
