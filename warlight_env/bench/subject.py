"""Subjects of benchmarks: an agent's specification, or a policy that Stable-Baselines3 or sb3-contrib saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from warlight_env import maps
from warlight_env.agents import Agent
from warlight_env.agents.registry import parse
from warlight_env.arena.games.game_setup import AgentSource, agent_from_source
from warlight_env.arena.policies.policy_agent import PolicyAgent
from warlight_env.arena.policies.policy_file import PolicyFileError
from warlight_env.arena.policies.saved_model import SeededModel, check_size, load_model, model_digest
from warlight_env.arguments import short_repr
from warlight_env.bench.suite import BenchError, Suite
from warlight_env.envs.actions import ENCODINGS, EncodingFactory
from warlight_env.envs.padding import Padding
from warlight_env.envs.policy_settings import PolicySettings, told_action
from warlight_env.envs.saved_policies import load_policy
from warlight_env.errors import did_you_mean
from warlight_env.features.columns import OBSERVATIONS
from warlight_env.game import Game


@dataclass(frozen=True)
class CheckpointSource:
    """Makes agents that play a saved policy with its environment's spaces.

    Instances can be pickled for other processes.

    Attributes:
        digest: digest of the file; a run can only be continued with the same policy.
        deterministic: whether the policy plays its most likely action, instead of sampling an action.
    """

    path: str
    digest: str
    action: str | EncodingFactory
    observation: str
    max_cycles: int | None
    deterministic: bool
    padding: Padding | None = None

    @property
    def named(self) -> str:
        """The name of the encoding."""
        return str(told_action(self.action)["name"])

    def __call__(self, seed: int) -> Agent:
        policy = SeededModel(load_model(self.path, self.digest, self.deterministic))
        return PolicyAgent(
            policy, seed, action=self.action, observation=self.observation, max_cycles=self.max_cycles,
            name=Path(self.path).name, padding=self.padding,
        )  # fmt: skip


def make_subject(
    policy: str,
    action: str | None = None,
    observation: str | None = None,
    max_cycles: int | None = None,
    deterministic: bool = False,
    *,
    trust: bool = False,
) -> AgentSource:
    """Return the source of the agent: the specification itself, or the policy in a .zip file.

    Arguments of this function override the settings file of the policy (`envs.policy_settings`). The defaults are
    "steps" and "flat".

    Raises:
        BenchError: the encoding or observation is unknown, or the file cannot be read.
        SavedPolicyError: the file contains no policy, or the caller does not trust it, see `load_policy`.
        AgentError: the agent does not exist.
    """
    if not isinstance(policy, str) or not policy.endswith(".zip"):
        parse(policy)
        return policy
    for what, value, known in (("action", action, tuple(ENCODINGS)), ("observation", observation, OBSERVATIONS)):
        if value is not None and not isinstance(value, str):
            raise BenchError(f"{what} = {short_repr(value)}: must be a string or None")
        if value is not None and value not in known:
            raise BenchError(f"no {what} {value!r}{did_you_mean(value, known)}; there are {', '.join(known)}")
    digest = model_digest(Path(policy))
    if not trust:
        load_policy(policy)  # raises the error that asks for trust
    load_model(policy, digest, deterministic)
    kept = PolicySettings.load(policy)
    encoding: str | EncodingFactory = action or ("steps" if kept is None else kept.encoding)
    seen = observation or ("flat" if kept is None else kept.observation)
    cycles = kept.max_cycles if max_cycles is None and kept is not None else max_cycles
    padding = None if kept is None else kept.padding
    return CheckpointSource(policy, digest, encoding, seen, cycles, deterministic, padding)


def check_subject(source: AgentSource, suite: Suite, map_names: tuple[str, ...] = ()) -> None:
    """Let the agent answer once on every map, so that mistakes in the arguments are errors and not lost games.

    Raises:
        BenchError: the agent fails, and the message names the map and the reason; or `suite` is not a Suite.
    """
    if not isinstance(suite, Suite):
        raise BenchError(f"suite = {short_repr(suite)}: must be a Suite")
    path = source.path if isinstance(source, CheckpointSource) else ""
    kept = PolicySettings.load(path) if path else None
    for name in suite.map_digests:
        if map_names and name not in map_names:
            continue
        map = maps.load(name)
        if kept is not None:
            try:
                check_size(Path(path).stem, kept, map)
            except PolicyFileError as error:
                raise BenchError(f"map {name!r}: {error}; give the maps of the games with --map") from None
        agent = agent_from_source(source, suite.seed)
        try:
            agent.act(Game(map, suite.rules, 2, suite.seed, picks="random").view(0))
        except Exception as error:
            hint = ""
            if isinstance(source, CheckpointSource):
                hint = (
                    f" (a policy needs the spaces of its training, here --action {source.named} and "
                    f"--observation {source.observation}; many policies support only one map, see --map)"
                )
            raise BenchError(
                f"{agent.name} cannot play on map {name!r}: {' '.join(str(error).split())}{hint}"
            ) from error
        finally:
            agent.close()
