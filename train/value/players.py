"""The players in the training games of the value network: agents whose specification may contain `value=current`."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from warlight_env.agents import Agent
from warlight_env.agents.records.value_record import ValueNetwork, read_value, value_file
from warlight_env.agents.registry import parse, unpinned
from warlight_env.agents.weights import Weights
from warlight_env.train.value.settings import CURRENT


@dataclass(frozen=True)
class NetworkPlayer:
    """Makes agents from a specification. In the specification, `value=current` means the current network of the run.

    Instances can be pickled for other processes.
    """

    spec: str
    network: bytes  #: the content of a network file, see `pack_network`
    weights: tuple[float, ...]

    def __call__(self, seed: int) -> Agent:
        info, values = parse(self.spec)
        if values.get("value") == CURRENT:
            network = unpack_network(self.network)
            defaults: dict[str, Any] = {"weights": Weights(*self.weights)}
            values = {**defaults, **values, "value": network}
        agent: Agent = info.load()(seed=seed, **values)
        agent.name = unpinned(self.spec)
        return agent


def pack_network(network: ValueNetwork | None) -> bytes:
    """Return the content of a file with the network `network`; an empty content if `network` is None."""
    return b"" if network is None else value_file(network)


@functools.lru_cache(8)
def unpack_network(content: bytes) -> ValueNetwork | None:
    """Return the network that `content` (a result of `pack_network`) contains; None if `content` is empty."""
    return read_value(content, "network of this run") if content else None
