"""The policy that a benchmark tests: a registered agent, or a policy that Stable-Baselines3 or sb3-contrib saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from warlight_env import maps
from warlight_env.agents import Agent
from warlight_env.agents.registry import parse
from warlight_env.arena.games.game_setup import AgentSource, agent_from_source
from warlight_env.arena.policies.policy_agent import PolicyAgent
from warlight_env.arena.policies.policy_file import PolicyFileError
from warlight_env.arena.policies.saved_model import check_size, load_model, model_digest
from warlight_env.arguments import short_repr
from warlight_env.bench.suite import BenchError, Suite
from warlight_env.envs.actions import ENCODINGS, EncodingFactory
from warlight_env.envs.padding import Padding
from warlight_env.envs.policy_settings import PolicySettings, action_to_dict
from warlight_env.envs.saved_policies import trust_error
from warlight_env.errors import did_you_mean
from warlight_env.features.columns import OBSERVATIONS
from warlight_env.game import Game


@dataclass(frozen=True)
class CheckpointSource:
    """A callable that makes agents, which play a policy in a file of Stable-Baselines3.

    The object can be pickled for other processes.

    Attributes:
        path: the path of the file.
        digest: the SHA-256 digest of the file. If the file changes, an interrupted benchmark cannot be continued.
        action, observation, max_cycles: the arguments of the environment in which the policy was trained.
        deterministic: True: the policy plays its most likely action. False: it samples an action.
        padding: the padding of observations and actions in training; None for a policy of one map.
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
        """The name of the action encoding."""
        return str(action_to_dict(self.action)["name"])

    def __call__(self, seed: int) -> Agent:
        policy = load_model(self.path, self.digest, self.deterministic)
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
    """Return the `AgentSource` of the policy that a benchmark tests.

    Args:
        policy: the specification of an agent, which is returned unchanged, or the path of a .zip file with a policy of
            Stable-Baselines3 or sb3-contrib. All arguments except `policy` are only for a policy in a file.
        action, observation, max_cycles: the arguments of the environment in which the policy was trained. If an
            argument is None, its value is in the settings file of the policy (see `envs.policy_settings`). If there is
            no settings file, `action` is "steps", `observation` is "flat", and `max_cycles` is None.
        deterministic: True: the policy plays its most likely action. False: it samples an action.
        trust: must be True for a file, because reading it can run any program; see `load_policy`.

    Raises:
        BenchError: the action encoding or the observation is unknown, or the file cannot be read.
        SavedPolicyError: the file contains no policy, or `trust` is False.
        AgentError: the agent does not exist.
    """
    if not isinstance(policy, str) or not policy.endswith(".zip"):
        parse(policy)
        return policy
    for argument, value, choices in (("action", action, tuple(ENCODINGS)), ("observation", observation, OBSERVATIONS)):
        if value is not None and not isinstance(value, str):
            raise BenchError(f"{argument} = {short_repr(value)}: must be a string or None")
        if value is not None and value not in choices:
            raise BenchError(f"no {argument} {value!r}{did_you_mean(value, choices)}; there are {', '.join(choices)}")
    digest = model_digest(Path(policy))
    if not trust:
        raise trust_error(policy, "use make_subject(path, trust=True)")
    load_model(policy, digest, deterministic)
    saved_settings = PolicySettings.load(policy)
    encoding: str | EncodingFactory = action or ("steps" if saved_settings is None else saved_settings.encoding)
    observation_type = observation or ("flat" if saved_settings is None else saved_settings.observation)
    cycles = saved_settings.max_cycles if max_cycles is None and saved_settings is not None else max_cycles
    padding = None if saved_settings is None else saved_settings.padding
    return CheckpointSource(policy, digest, encoding, observation_type, cycles, deterministic, padding)


def check_subject(source: AgentSource, suite: Suite, map_names: tuple[str, ...] = ()) -> None:
    """Ask the agent for one turn on every map of the suite.

    With this check, a benchmark reports wrong arguments before its games begin; otherwise the policy would fail in the
    games and lose them.

    map_names: only these maps are checked; empty: all maps.

    Raises:
        BenchError: the agent fails on a map, or `suite` is not a Suite. The message of a BenchError contains the map
            and the reason.
    """
    if not isinstance(suite, Suite):
        raise BenchError(f"suite = {short_repr(suite)}: must be a Suite")
    path = source.path if isinstance(source, CheckpointSource) else ""
    saved_settings = PolicySettings.load(path) if path else None
    for name in suite.map_digests:
        if map_names and name not in map_names:
            continue
        map = maps.load(name)
        if saved_settings is not None:
            try:
                check_size(Path(path).stem, saved_settings, map)
            except PolicyFileError as error:
                hint = _playable_maps(saved_settings, suite)
                raise BenchError(f"map {name!r}: {error}; {hint}") from None
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


def _playable_maps(settings: PolicySettings, suite: Suite) -> str:
    """Say which maps a suite has, and which of these maps a policy with the given settings plays."""

    def fits(name: str) -> bool:
        try:
            check_size("", settings, maps.load(name))
        except PolicyFileError:
            return False
        return True

    names = f"the maps of the suite ({', '.join(suite.map_digests)})"
    playable = [name for name in suite.map_digests if fits(name)]
    if not playable:
        return f"the policy plays none of {names}"
    options = " ".join(f"--map {name}" for name in playable)
    return f"of {names}, the policy plays only {', '.join(playable)}: give {options}"
