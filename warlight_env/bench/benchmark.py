"""`run`: play a suite with an agent or with a policy in Python, and return the score card."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from warlight_env import output
from warlight_env.agents import Agent
from warlight_env.agents.agent_adapter import is_agent, makes_agents
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.arena.contests.contest_runner import OnContestGames, play_contests
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_setup import AgentSource
from warlight_env.arena.policies.policy_agent import PolicyAgent
from warlight_env.arguments import check_flag, is_integer, path_of, short_repr
from warlight_env.bench.score_card import ScoreCard, make_card
from warlight_env.bench.subject import CheckpointSource, check_subject, make_subject
from warlight_env.bench.suite import BenchError, Suite
from warlight_env.envs.actions import EncodingFactory
from warlight_env.envs.policy_settings import action_to_dict
from warlight_env.errors import RunError
from warlight_env.folder_lock import FolderLock


@dataclass(frozen=True)
class FunctionSource:
    """A callable that makes agents, which play a policy in Python. See `run` for the attributes."""

    policy: Callable[..., Any]
    name: str
    action: str | EncodingFactory
    observation: str
    max_cycles: int | None
    batched: bool

    def __call__(self, seed: int) -> Agent:
        policy = self.policy if self.batched else SinglePolicy(self.policy)
        return PolicyAgent(
            policy, seed, action=self.action, observation=self.observation, max_cycles=self.max_cycles, name=self.name
        )  # fmt: skip


@dataclass(frozen=True)
class SinglePolicy:
    """A `Policy` for batches of one game that calls a function of one observation and one mask."""

    policy: Callable[[Any, Any], Any]

    def __call__(self, observations: Any, masks: Any) -> Any:
        is_dict = isinstance(observations, dict)
        observation = {key: part[0] for key, part in observations.items()} if is_dict else observations[0]
        action = self.policy(observation, masks[0])
        if isinstance(action, dict):
            return {key: np.asarray(part)[None] for key, part in action.items()}
        return np.asarray(action)[None]


def run(  # noqa: PLR0913 -- one argument for each setting of users
    policy: Any,
    suite: str | Suite = "suite-v1",
    *,
    action: str | EncodingFactory = "steps",
    observation: str = "flat",
    max_cycles: int | None = None,
    batched: bool = False,
    name: str | None = None,
    maps: Sequence[str] = (),
    games: int | None = None,
    clock: Clock | None = None,
    jobs: int | None = None,
    backend: str | Backend = "local",
    out: str | Path | None = None,
    settings: dict[str, Any] | None = None,
    on_games: OnContestGames | None = None,
) -> ScoreCard:
    """Play the games of a suite, and return the score card.

    Args:
        policy: one of the following:

            - a function ``policy(observation, mask) -> action`` of one game: `observation` is an observation of
              `WarlightEnv`, `mask` is its flat mask int8[M], and the result is an action of its action space;
            - with ``batched=True``, a function ``policy(observations, masks int8[1, M]) -> actions``, as for
              `make_opponent`; all arrays have a leading axis of length 1;
            - the specification of an agent ("mcts:sims=50"), the class of an agent, a function with the first
              parameter `seed` that returns an agent, or a result of `make_subject`.
        suite: the name of a suite, or a `Suite`.
        action, observation, max_cycles: the arguments of the environment for which a policy function of observations
            was written. Give these arguments only if `policy` is a function of observations.
        batched: whether the function takes batches.
        name: the name in the card. None: the function's or the agent's name.
        maps: the names of the maps on which the policy plays; empty: all maps of the suite.
        games: the maximum number of games against each opponent on each map; None: all games.
        clock: the clock of the policy; None: no limit.
        jobs, backend: see `play_contests`. For more than one job, the policy must be picklable.
        out: a run folder. The run writes every finished game to this folder, and at its end card.json and card.md; the
            same call continues an interrupted run. If `out` is None, the run writes no files.
        settings: settings of the policy that the card shows. If `settings` is None, the card shows the action encoding
            and the observation.
        on_games: see `play_contests`.

    A policy that fails in a game loses this game.

    Raises:
        BenchError: an argument is invalid, or the policy cannot play on a map of the suite.
        AgentError: there is no agent with this specification.
        RunFolderError: the folder `out` belongs to another run.
        RunError: the folder `out` cannot be written.
    """
    loaded_suite = suite if isinstance(suite, Suite) else Suite.load(suite)
    check_flag(batched, "batched")
    if games is not None and (not is_integer(games) or games < 1):
        raise BenchError(f"games = {short_repr(games)}: must be an integer of at least 1")
    if not isinstance(name, str | None):
        raise BenchError(f"name = {short_repr(name)}: must be a string or None")
    if not isinstance(clock, Clock | None):
        raise BenchError(f"clock = {short_repr(clock)}: must be a Clock or None")
    if not isinstance(maps, Sequence):
        raise BenchError(f"maps = {short_repr(maps)}: must be a list of names of maps")
    map_names = (maps,) if isinstance(maps, str) else tuple(maps)
    for map_name in map_names:
        if not isinstance(map_name, str) or map_name not in loaded_suite.map_digests:
            names = ", ".join(loaded_suite.map_digests)
            raise BenchError(f"map {short_repr(map_name)}: the maps of {loaded_suite.name} are {names}")
    source = _source(policy, name, action, observation, max_cycles, batched)
    if settings is None:
        settings = {}
        if isinstance(source, FunctionSource):
            settings = {"action": action_to_dict(source.action)["name"], "observation": source.observation}
    check_subject(source, loaded_suite, map_names)
    title = name or _name(source)
    contests = loaded_suite.contests(source, map_names, clock, games)
    if out is None:
        results = play_contests(contests, jobs=jobs, backend=backend, on_games=on_games)
        return make_card(loaded_suite, title, results, settings, games)
    folder = path_of(out, "out", BenchError)
    with FolderLock(folder, in_use=RunFolderError) as lock:
        results = play_contests(contests, jobs=jobs, backend=backend, folder=lock, on_games=on_games)
        card = make_card(loaded_suite, title, results, settings, games)
        for file, text in (("card.json", json.dumps(card.to_dict(), indent=2) + "\n"), ("card.md", card.to_markdown())):
            with output.write_errors(folder / file, RunError):
                output.write_file(folder / file, text)
    return card


def _source(
    policy: Any,
    name: str | None,
    action: str | EncodingFactory,
    observation: str,
    max_cycles: int | None,
    batched: bool,
) -> AgentSource:
    """Return the source of the agent that plays the policy."""
    if isinstance(policy, str):
        return make_subject(policy)
    if isinstance(policy, CheckpointSource) or makes_agents(policy):
        return cast(AgentSource, policy)
    if is_agent(policy):
        raise BenchError(f"policy = {short_repr(policy)}: must be the class of the agent: each game makes a new agent")
    if not callable(policy) or inspect.isclass(policy):
        raise BenchError(f"policy = {short_repr(policy)}: must be a function, an agent's class or its specification")
    return FunctionSource(policy, name or _name(policy), action, observation, max_cycles, batched)


def _name(source: Any) -> str:
    if isinstance(source, str):
        return source
    if isinstance(source, CheckpointSource):
        return Path(source.path).name
    if isinstance(source, FunctionSource):
        return source.name
    name = getattr(source, "name", None)
    if inspect.isclass(source) and isinstance(name, str):
        return name
    return str(getattr(source, "__name__", type(source).__name__))
