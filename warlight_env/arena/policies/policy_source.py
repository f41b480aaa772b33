"""`PolicySource`: a callable that makes agents with the policy of a file, and contains the content of the file."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from warlight_env.agents import Agent
from warlight_env.arena.policies.policy_agent import TrainedAgent
from warlight_env.arena.policies.policy_file import PolicyFile


@dataclass(frozen=True)
class PolicySource:
    """A callable that makes agents, which play the policy in the content of a policy file (see `PolicyFile`).

    The object can be sent to other processes. The object contains the content of the file, so later changes of the file
    have no effect.
    """

    content: bytes
    name: str = "policy"

    def __call__(self, seed: int) -> Agent:
        agent = TrainedAgent(_read(self.content, self.name), seed)
        agent.name = self.name
        return agent


@functools.lru_cache(maxsize=8)
def _read(content: bytes, name: str) -> PolicyFile:
    return PolicyFile.from_bytes(content, name).shared()
