"""A source of agents with a policy. It contains the file's content, so it can be pickled and cannot change."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from warlight_env.agents import Agent
from warlight_env.arena.policies.policy_agent import TrainedAgent
from warlight_env.arena.policies.policy_file import PolicyFile


@dataclass(frozen=True)
class PolicySource:
    """Makes agents that play the policy of a file with this content, see `PolicyFile`."""

    content: bytes
    name: str = "policy"

    def __call__(self, seed: int) -> Agent:
        agent = TrainedAgent(_read(self.content, self.name), seed)
        agent.name = self.name
        return agent


@functools.lru_cache(maxsize=8)
def _read(content: bytes, name: str) -> PolicyFile:
    return PolicyFile.from_bytes(content, name).shared()
