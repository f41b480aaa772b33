"""Who is benchmarked: any agent's specification, or a policy that Stable-Baselines3 or sb3-contrib saved."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from warlight_env import maps
from warlight_env.agents import Agent
from warlight_env.agents.registry import parse
from warlight_env.arena.playing.game_setup import AgentSource, make
from warlight_env.arena.policies.policy_agent import PolicyAgent
from warlight_env.bench.suite import BenchError, Suite
from warlight_env.bounded import reason, shown
from warlight_env.envs.actions import ENCODINGS
from warlight_env.envs.checkpoints import load_policy
from warlight_env.errors import did_you_mean
from warlight_env.features.columns import OBSERVATIONS
from warlight_env.game import Game


@dataclass(frozen=True)
class CheckpointSource:
    """Makes agents that play a saved policy with the spaces of its environment; travels to other processes.

    digest: of the file, so that a run goes on with the same policy only.
    deterministic: the likeliest action, instead of one drawn by its probability.
    """

    path: str
    digest: str
    action: str
    observation: str
    max_cycles: int | None
    deterministic: bool

    def __call__(self, seed: int) -> Agent:
        policy = _Seeded(_loaded(self.path, self.digest, self.deterministic))
        return PolicyAgent(
            policy, seed, action=self.action, observation=self.observation, max_cycles=self.max_cycles,
            name=Path(self.path).name,
        )  # fmt: skip


class _Seeded:
    """A policy that draws with the seed of each step: what it does depends on nothing else."""

    seeded: Literal[True] = True

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def __call__(self, observations: Any, masks: Any, seed: int) -> Any:
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed % 2**63)
            return self._policy(observations, masks)


@functools.lru_cache(maxsize=4)
def _loaded(path: str, digest: str, deterministic: bool) -> Any:
    """The policy of a file, read once in a process."""
    if _digest(Path(path)) != digest:
        raise BenchError(f"{path}: changed since the benchmark began")
    return load_policy(path, deterministic, trust=True)  # as `make_subject` was told


def _digest(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise BenchError(f"cannot read {shown(path)}: {reason(error)}") from None


def make_subject(
    policy: str,
    action: str = "steps",
    observation: str = "flat",
    max_cycles: int | None = None,
    deterministic: bool = False,
    *,
    trust: bool = False,
) -> AgentSource:
    """What makes the agent: a specification as it is, or the policy in a .zip with the encoding and observation named.

    Raises:
        BenchError: no such encoding or observation, or the file cannot be read.
        CheckpointError: it holds no policy, or nobody said that the file is to be trusted, see `load_policy`.
        AgentError: no such agent.
    """
    if not policy.endswith(".zip"):
        parse(policy)
        return policy
    for what, value, known in (("action", action, tuple(ENCODINGS)), ("observation", observation, OBSERVATIONS)):
        if value not in known:
            raise BenchError(f"{what} {value!r}: no such one{did_you_mean(value, known)}; there are {', '.join(known)}")
    digest = _digest(Path(policy))
    if not trust:
        load_policy(policy)  # which says what it asks for
    _loaded(policy, digest, deterministic)
    return CheckpointSource(policy, digest, action, observation, max_cycles, deterministic)


def check_subject(source: AgentSource, suite: Suite, only: tuple[str, ...] = ()) -> None:
    """Have the agent answer once on every map; what goes wrong there is a mistake in how it was given, not a lost game.

    Raises:
        BenchError: naming the map and the reason.
    """
    for name in suite.map_digests:
        if only and name not in only:
            continue
        agent = make(source, suite.seed)
        try:
            agent.act(Game(maps.load(name), suite.rules, 2, suite.seed, picks="random").view(0))
        except Exception as error:
            hint = ""
            if isinstance(source, CheckpointSource):
                hint = (
                    f" (a policy plays with the spaces that it was trained with: --action {source.action} and "
                    f"--observation {source.observation} here, and often on one map only, see --map)"
                )
            raise BenchError(
                f"{agent.name} cannot play on map {name!r}: {' '.join(str(error).split())}{hint}"
            ) from error
        finally:
            agent.close()
