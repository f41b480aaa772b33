"""Agents that play a policy: they compute observations for the policy, and convert the policy's actions to orders."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from warlight_env.agents import Agent, AgentError, Budget
from warlight_env.agents.base import EXCLUSIVE_METHODS
from warlight_env.agents.records.value_record import digest
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import TurnPolicy, is_turn_network_file, read_turn_network
from warlight_env.arena.policies.policy_file import PolicyFile, PolicyLocation, locate_policy
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL, PICK, PLAY
from warlight_env.engine.view import View
from warlight_env.envs.actions import EncodingFactory
from warlight_env.envs.actions.kernels import COUNT, READY, Turn, clear_turn
from warlight_env.envs.core import EnvCore, InnerCore
from warlight_env.envs.observation_spaces import observation as observed
from warlight_env.envs.padding import Padding
from warlight_env.envs.saved_policies import Policy
from warlight_env.maps import Map
from warlight_env.thread_ownership import SingleThreaded

_GAME = np.zeros(1, dtype=np.int64)  # the index of the only game in an `EnvCore` with one game


class PolicyAgent(SingleThreaded, Agent):
    """An agent that plays a policy ``(observations, masks int8[1, K]) -> actions``.

    Make a new agent for each game, because the feature "time" in observations counts the agent's steps.

    Args:
        policy: the policy. If it has a method ``reseed(seed)``, as the result of `envs.saved_policies.load_policy`, the
            agent calls this method before each call of the policy.
        seed: the seed from which the arguments of `reseed` are derived.
        action, observation, max_cycles: the arguments of the environment in which the policy was trained.
        name: the name of the agent.
        padding: the padding of observations and actions in training; None for a policy of one map.
    """

    exclusive_methods = EXCLUSIVE_METHODS

    def __init__(
        self,
        policy: Policy,
        seed: int = 0,
        *,
        action: str | EncodingFactory = "steps",
        observation: str = "flat",
        max_cycles: int | None = None,
        name: str = "policy",
        padding: Padding | None = None,
    ) -> None:
        self.name, self._padding = name, padding
        self.policy, self.seed = policy, seed
        self._arguments: dict[str, Any] = {"action": action, "observation": observation, "max_cycles": max_cycles}
        self._core: EnvCore | None = None
        self._board: object = None
        self._steps = 0

    def pick(self, view: View) -> list[int]:
        """Ask the policy for actions, and return the preferred regions that they contain, best first."""
        turn = self._turn(view)
        return [int(region) for region in turn.preferences[: int(turn.status[COUNT])]]

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Ask the policy for actions, and convert the actions to orders. Illegal orders are dropped."""
        turn = self._turn(view)
        return Orders.from_arrays(turn.deploy, turn.attacks, int(turn.status[COUNT]))

    def _turn(self, view: View) -> Turn:
        """Call the policy until its turn is complete, and return the turn."""
        core = self._prepared(view)
        player = view.player
        turn = Turn(*(array[0, player] for array in core.turns))
        clear_turn(turn)
        for _ in range(core.encoding.max_parts):
            core.out.cycles[0] = self._steps
            core.refresh_observations(validate=False)
            actions = self._actions(core)
            rows = np.zeros((1, 1, core.row_size), dtype=np.int64)
            core.read_rows(actions, _GAME, 0, rows[:, 0])
            core.submit_actions(rows)
            self._steps += 1
            if turn.status[READY]:
                break
        return turn

    def _actions(self, core: EnvCore) -> Any:
        """Call the policy once; return its action, without padding, as a batch of one."""
        observations, masks, padding = observed(core, 0, _GAME), core.flat_masks(0, _GAME), self._padding
        if padding is None:
            return self._ask_policy(observations, masks)
        graph = {name: part[0] for name, part in observations.items()}
        wide = {name: part[None] for name, part in padding.observation(graph, core.board).items()}
        action = self._ask_policy(wide, padding.mask(masks[0], core.board)[None])[0]
        return np.asarray(padding.own_action(action, core.board)[0])[None]

    def _ask_policy(self, observations: Any, masks: Any) -> Any:
        if hasattr(self.policy, "reseed"):
            self.policy.reseed(derive_seed(self.seed, self._steps))
        return self.policy(observations, masks)

    def _prepared(self, view: View) -> EnvCore:
        """Return an `EnvCore` with one game in the position of the view, as far as the player sees the position."""
        if self._core is None or self._board is not view.board:
            self._core = InnerCore(view.map, view.rules, view.players, **self._arguments, slots=1)
            self._core.reset([0])
            self._board = view.board
        core, player = self._core, view.player
        state, out = core.state, core.out
        picking = view.phase == "pick"
        # Unseen regions may become neutral here, because the `EnvCore` does not show them to this player, either.
        state.owner[0] = np.maximum(view.owner, NEUTRAL)
        state.army[0] = np.maximum(view.army, 1)
        state.offers[0] = 0
        state.offers[0, list(view.offers)] = 1 << player
        state.phase[0] = PICK if picking else PLAY
        state.turn[0] = view.pick_turn
        state.round[0] = view.round
        state.eliminated_at[0] = 0
        out.seat[0, 0] = player
        out.slot[0] = -1
        out.slot[0, player] = 0
        out.live[0] = True
        return core


class PlayableFile(Protocol):
    """The interface of a loaded file with a policy, such as `PolicyFile` or `SavedModel`.

    `environment` has the arguments `action`, `observation`, `max_cycles` and `padding` of `PolicyAgent`.
    """

    @property
    def name(self) -> str: ...
    @property
    def environment(self) -> dict[str, Any]: ...

    def check(self, map: Map, rules: Rules, players: int) -> None: ...
    def bind(self, board: Board) -> Policy: ...


class TrainedAgent(SingleThreaded, Agent):
    """An agent that plays the policy in a file.

    The agent raises an error in a game for which the policy was not trained.

    Args:
        file: a `PolicyFile` or a `SavedModel` with the policy.
        seed: the seed of the random actions, for a policy that samples its actions.
    """

    exclusive_methods = EXCLUSIVE_METHODS

    def __init__(self, file: PlayableFile, seed: int = 0) -> None:
        self.file, self.seed, self.name = file, seed, f"policy:{file.name}"
        self._agent: PolicyAgent | None = None
        self._board: object = None

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raise PolicyFileError if the policy was not trained for this map, these rules or this number of players."""
        self.file.check(map, rules, players)

    def pick(self, view: View) -> list[int]:
        """Return the preferred regions of the policy, see `PolicyAgent.pick`."""
        return self._prepared(view).pick(view)

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Return the orders of the policy, see `PolicyAgent.act`."""
        return self._prepared(view).act(view, budget)

    def _prepared(self, view: View) -> PolicyAgent:
        if self._agent is None or self._board is not view.board:
            self.check(view.map, view.rules, view.players)
            self._board = view.board
            policy = self.file.bind(view.board)
            self._agent = PolicyAgent(policy, self.seed, name=self.name, **self.file.environment)
        return self._agent


@dataclass(frozen=True)
class PolicySource:
    """A callable that makes agents, which play the policy in the content of a policy file (see `PolicyFile`).

    The object can be sent to other processes. The object contains the content of the file, so later changes of the file
    have no effect.
    """

    content: bytes
    name: str = "policy"

    def __call__(self, seed: int) -> Agent:
        agent = TrainedAgent(_read_policy(self.content, self.name), seed)
        agent.name = self.name
        return agent


@functools.lru_cache(maxsize=8)
def _read_policy(content: bytes, name: str) -> PolicyFile:
    return PolicyFile.from_bytes(content, name).shared()


def trained_policy(seed: int, text: str) -> Agent:
    """Make the agent with the specification ``policy:FILE`` or ``policy:NAME``. text: the FILE or the NAME."""
    if not text:
        raise AgentError("agent 'policy': give the name of a policy or a .npz file, for example policy:any")
    turns = turn_network_of(text)
    return (
        TrainedAgent(PolicyFile.load(text), seed)
        if turns is None
        else TurnNetAgent(turns.network, seed, turns.temperature)
    )


def turn_network_of(text: str) -> TurnPolicy | None:
    """Load a turn network from a file or by its name; return None if the file contains another type of policy.

    Raises:
        PolicyFileError: there is no file or policy with the name `text`.
        TurnNetworkError: the file is damaged.
    """
    return _turns(locate_policy(text))


@functools.lru_cache(maxsize=16)
def _turns(location: PolicyLocation) -> TurnPolicy | None:
    """Load a turn network from a file; return None if the file contains another type of policy."""
    content = location.read()
    return read_turn_network(content, str(location.path)) if is_turn_network_file(content) else None


def policy_digest(text: str) -> str:
    """Return the digest of a policy file's content.

    If the specification of an agent contains the digest of its file, the agent cannot be made after the file has
    changed.

    Raises:
        PolicyFileError: the file does not exist, or it contains no policy.
        TurnNetworkError: the file is damaged.
    """
    file_digest = digest(locate_policy(text).read())
    if turn_network_of(f"{text}#{file_digest}") is None:
        PolicyFile.load(f"{text}#{file_digest}")  # this call raises an error if the file contains no policy
    return file_digest
