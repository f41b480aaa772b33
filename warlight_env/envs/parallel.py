"""The PettingZoo parallel environment: all players act at the same time, and one step is one round."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from warlight_env import maps
from warlight_env.arguments import check_choice, short_repr
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.envs.actions import ActionEncoding, EncodingFactory
from warlight_env.envs.arrays import fixed
from warlight_env.envs.core import ActionError, InnerCore, Snapshot
from warlight_env.envs.core_arguments import RENDERING, checked_mode
from warlight_env.envs.custom_functions import ObservationFunction, RewardFunction
from warlight_env.envs.observation_spaces import observation, observation_space_of, state_space, state_vector
from warlight_env.envs.reset_options import read_options
from warlight_env.envs.rewards import Reward
from warlight_env.envs.seeds import checked_seed, draw_word
from warlight_env.errors import InputError
from warlight_env.features.columns import Features, state_features
from warlight_env.thread_ownership import SingleThreaded, UseLock

Observations = dict[str, Any]
Infos = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class EnvState:
    """A saved state from `WarlightParallelEnv.get_state`.

    The state consists of the game, its random generator, and the random generator for the next games' seeds. `shaping`
    is the shaping of the environment's `Reward`, on which the potentials in the snapshot depend.
    """

    snapshot: Snapshot
    random: dict[str, Any] | None
    shaping: str = "none"


class WarlightParallelEnv(SingleThreaded, ParallelEnv[str, Any, Any]):
    """Warlight for two to six players who submit their orders at the same time, as a PettingZoo parallel environment.

    ## Description

    Players own regions of a map. In each round a player receives new armies, its income, and deploys them on its own
    regions. Each player also orders attacks and transfers across borders. No player sees the orders of the other
    players before the round is played. When all players have ordered, the game executes all orders, and random numbers
    ("dice") decide the battles. A player who owns all regions of a super region gets the bonus of this super region as
    additional income. A player without regions is eliminated; the last remaining player wins. One step is one round, or
    one pick while the players pick their starting regions.

    ## Action space

    All agents have the same action space. The argument `action` is one of:

    - a name in `envs.actions.ENCODINGS`; the encoding's class documents the space;
    - a factory such as ``functools.partial(FactoredActions, priority=True)``;
    - a custom `ActionEncoding`.

    An action in the space never raises an error. Illegal orders are dropped according to a fixed rule and counted in
    ``info["illegal"]``. With "factored", an action that respects the mask has no illegal orders. An action that is not
    in the space (another shape, floats, values out of range) raises InputError. A missing action of an agent also
    raises InputError. After an InputError, no round is played. The encoding "continuous" is an exception: finite
    numbers outside its Box raise no error, but are clipped to the bounds of the Box and counted as illegal.

    With ``mask="observation"`` an observation is ``{"observation": …, "action_mask": …}``, and the mask is one flat
    int8 vector, the result of `action_masks`. With ``mask="nested"`` the mask has Gymnasium's form for `sample`: a
    tuple of int8[5] for "factored", a dict for "orders". With ``mask="info"``, ``info["action_mask"]`` is one int8
    array with the entries of the flat mask. The array has one row for each choice of an action if all choices have the
    same number of values (int8[N + E, 5] for "factored": first the regions, then the edges).
    ``action_space(agent).sample(mask)`` accepts the masks of all three settings of `mask`.

    ## Observation space

    | `observation` | space |
    |---|---|
    | "graph" | Dict: nodes float32[N, F], globals float32[G]; see `node_features`, `global_features` |
    | "flat" | the numbers of "graph" in one vector |
    | "raw" | Dict: owner, army, offered, round, income, phase |

    The attribute `features` gives the name, index, range and unit of every number in an observation.

    Each player sees the board from its own perspective: the player itself comes first, then its opponents in seat order
    after it. Under fog of war a player sees only its own regions and their neighbours. The attribute ``edge_index``,
    int64[2, E], contains the source and the target region of each directed edge. At every step, ``info`` contains these
    integers: illegal (number of dropped orders), income, round (number of rounds played) and phase (0 picking, 1
    playing, 2 over).

    ## Rewards

    The winner gets +1. A player gets -1 when it loses its last region or when another player wins. In all other steps
    the reward is 0, also for a draw and for truncation. With ``reward="regions"`` or ``reward="income"``,
    potential-based shaping is added; a `Reward` object sets the scale and the discount of the shaping.

    ## Start

    With ``picking="play"`` the players pick their starting regions at the beginning of the episode. The picks take one
    step, or one step for each pick if the rules demand alternate picks. With ``picking="random"`` the starting regions
    are drawn at random.

    ## End

    An agent is terminated when it loses its last region. All agents are terminated when a player wins, or when the game
    reaches the maximum number of rounds in the rules. After `max_cycles` steps all agents are truncated. Actions of
    terminated or truncated agents are dropped and counted in the attribute `late_actions`. If no agent is live, `step`
    returns five empty dictionaries, with or without actions.

    ## Arguments

    | name | default | meaning |
    |---|---|---|
    | map | "world" | a bundled map's name, a file, or a `Map` |
    | rules | "thesis" | the name of a preset, a `Rules` object or a dict of its fields |
    | players | 2 | the number of players, 2 to 6 |
    | action | "factored" | see "Action space" |
    | observation | "graph" | see "Observation space", or an `ObservationFunction` |
    | fog | None | whether there is fog of war; None: the rules' setting |
    | picking | "play" | or "random" |
    | max_cycles | None | steps until truncation; None: 100, or with "steps" the largest number of steps in 100 rounds |
    | reward | "win" | "regions", "income", a `Reward`, or a `RewardFunction` |
    | mask | "observation" | "nested" or "info", see "Action space" |
    | render_mode | None | "human" prints text, "ansi" returns text, "rgb_array" returns a picture |

    Seeds: ``reset(seed=…)`` starts a sequence of games; ``reset()`` begins the next game of the sequence. Equal seeds
    and actions give equal games. `clone`, `get_state` and `set_state` are fast and copy everything, including the
    random generators. A clone shares the space objects with the original.

    ## Version history

    * v0: first version.
    """

    exclusive_methods = (
        "reset", "step", "observe", "action_masks", "view", "state", "render", "clone", "get_state",
        "set_state",
    )  # fmt: skip

    metadata: ClassVar[dict[str, Any]] = {
        "name": "warlight_v0",
        **RENDERING,
        "is_parallelizable": True,
    }

    def __init__(  # noqa: PLR0913 -- one argument for each setting of users
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        action: str | EncodingFactory = "factored",
        observation: str | ObservationFunction = "graph",
        fog: bool | None = None,
        picking: Literal["play", "random"] = "play",
        max_cycles: int | None = None,
        reward: str | Reward | RewardFunction = "win",
        mask: Literal["observation", "nested", "info"] = "observation",
        render_mode: str | None = None,
    ) -> None:
        if not isinstance(mask, str) or mask not in ("observation", "nested", "info"):
            raise InputError(f"mask = {short_repr(mask)}: must be 'observation', 'nested' or 'info'")
        self.render_mode = checked_mode(render_mode)
        #: The `EnvCore` that contains the game, a batch of one.
        self.core = InnerCore(
            map, rules, players, 1,
            action=action, observation=observation, fog=fog, picking=picking, max_cycles=max_cycles, reward=reward,
        )  # fmt: skip
        self.possible_agents = [f"player_{p}" for p in range(players)]
        self.agents: list[str] = []
        #: The number of actions that were dropped since the last `reset` because their agents were no longer live.
        self.late_actions = 0
        self._seat = {agent: p for p, agent in enumerate(self.possible_agents)}
        self._mask, self._has_mask = mask, self.core.encoding.mask_space is not None
        self._mask_shape = self._rows_of_mask()
        self._rows = np.zeros((1, players, self.core.row_size), dtype=np.int64)
        self._dropped = np.zeros((1, players), dtype=np.int32)
        self._random: np.random.Generator | None = None
        self._saved_random: dict[str, Any] | None = None
        self.state_space = state_space(self.core)
        #: The spaces of each agent, the results of the methods `action_space` and `observation_space`.
        self.action_spaces = {a: fixed(copy.deepcopy(self.core.encoding.space)) for a in self.possible_agents}
        self.observation_spaces = {a: self._observation_space() for a in self.possible_agents}

    @property
    def features(self) -> Features:
        """The name, position, range and unit of each number in an observation (without its mask)."""
        return self.core.features

    @property
    def encoding(self) -> ActionEncoding:
        """The action encoding; the methods `decode` and `encode` take the result of `view` as an argument."""
        return self.core.encoding

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """int64[2, E]: the source and the target region of each directed edge, in a new array."""
        return self.core.edge_index.copy()

    @property
    def state_features(self) -> Features:
        """The name, position, range and unit of each number in the result of `state`."""
        return state_features(self.core.board.n_regions, self.core.players)

    def _rows_of_mask(self) -> tuple[int, ...]:
        """Return the shape of ``info["action_mask"]``.

        The mask has one row per choice if all choices have the same number of values; otherwise it is flat.
        """
        space = self.core.encoding.space
        if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1 and (space.nvec == space.nvec[0]).all():
            return -1, int(space.nvec[0])
        return (-1,)

    def _observation_space(self) -> spaces.Space[Any]:
        space, masks = observation_space_of(self.core), self.core.encoding.mask_space
        if self._mask == "info" or masks is None:
            return space
        nested = self._mask == "nested"
        mask = copy.deepcopy(masks) if nested else spaces.Box(0, 1, (int(spaces.flatdim(masks)),), np.int8)
        return spaces.Dict({"observation": space, "action_mask": fixed(mask)})

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the agent's observation space. Each call returns the same object."""
        return self.observation_spaces[self._checked_agent(agent)]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the agent's action space. Each call returns the same object."""
        return self.action_spaces[self._checked_agent(agent)]

    @property
    def max_cycles(self) -> int:
        """The number of steps after which the game is truncated. You can assign a new value to `max_cycles`."""
        return self.core.max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int) -> None:
        self.core.max_cycles = value

    # Playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observations, Infos]:
        """Start a game; return the observations and infos.

        Args:
            seed: starts a new sequence of games; None: start the next game of the current sequence.
            options: a dict for this game only. ``start`` is a `Game` with the same map, rules and number of players.
                The new game starts from the position of this `Game`, with a random generator of its own. Any other
                option raises InputError, and the game does not change. The option that PettingZoo's tests use is
                ignored.
        """
        read = read_options(self.core, None if _is_from_pettingzoo(options) else options, ("start",))
        seed = checked_seed(seed)
        if seed is not None or (self._random is None and self._saved_random is None):
            self._random, _ = seeding.np_random(seed)
        self.core.reset([draw_word(self.np_random)])
        if read.start is not None:
            self.core.start_from(read.start)
        live = self.core.out.live[0].tolist()
        self.agents, self.late_actions = [agent for agent in self.possible_agents if live[self._seat[agent]]], 0
        observations = {agent: self._observe(self._seat[agent]) for agent in self.agents}
        return observations, self._infos([self._seat[agent] for agent in self.agents])

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Play a round (or a pick) with one action for every live agent.

        Actions of agents that are no longer live are dropped and counted in `late_actions`. If no agent is live, the
        method returns five empty dictionaries. The method raises InputError if an action of a live agent is missing or
        outside the action space. A call before the first `reset` also raises InputError. After an InputError, no round
        is played.
        """
        acting = self.agents
        late = self._count_late(actions)
        if not acting:
            if not self.core.out.cycles[0]:
                raise InputError("the game has not begun; call reset()")
            self.late_actions += late
            return {}, {}, {}, {}, {}
        self._read_actions(actions)
        try:
            self.core.step(self._rows, self._dropped)
        except ActionError as error:
            error.args = (f"{self.possible_agents[error.player]}: action {error.reason}; no game has changed",)
            raise
        self.late_actions += late
        out, seats = self.core.out, [self._seat[agent] for agent in acting]
        reward, terminated, truncated = out.reward[0].tolist(), out.terminated[0].tolist(), out.truncated[0].tolist()
        observations = {agent: self._observe(self._seat[agent]) for agent in acting}
        rewards = {self.possible_agents[p]: reward[p] for p in seats}
        terminations = {self.possible_agents[p]: terminated[p] for p in seats}
        truncations = {self.possible_agents[p]: truncated[p] for p in seats}
        self.agents = [self.possible_agents[p] for p in seats if not (terminated[p] or truncated[p])]
        return observations, rewards, terminations, truncations, self._infos(seats)

    def _checked_agent(self, agent: str) -> str:
        """Return the name of an agent unchanged; raise InputError for an unknown agent."""
        check_choice(agent, "agent", self._seat)
        return agent

    def _count_late(self, actions: dict[str, Any]) -> int:
        """Return the number of actions of agents that are no longer live; raise InputError for unknown agents."""
        if not isinstance(actions, Mapping):
            raise InputError(
                f"actions = {short_repr(actions)}: must be a dict of actions by agent; no game has changed"
            )
        for agent in actions:
            if agent not in self._seat:
                raise InputError(f"actions: no agent {short_repr(agent)}; the live agents are {self.agents}")
        return sum(agent not in self.agents for agent in actions)

    def _read_actions(self, actions: dict[str, Any]) -> None:
        """Convert the live agents' actions to action rows, the arguments of `EnvCore.step`."""
        core = self.core
        for agent in self.agents:
            if agent not in actions or actions[agent] is None:
                raise InputError(f"actions: {agent} has no action; no game has changed")
            p = self._seat[agent]
            try:
                self._dropped[0, p] = core.encoding.row(actions[agent], partial(core.view, p), self._rows[0, p])
            except InputError as error:
                error.args = (f"{agent}: {error}; no game has changed",)
                raise

    # Observations, views and pictures

    def observe(self, agent: str) -> Any:
        """Return the agent's current observation, in new arrays."""
        return self._observe(self._seat[self._checked_agent(agent)])

    def _observe(self, p: int) -> Any:
        obs = observation(self.core, p)
        if self._mask == "info" or not self._has_mask:
            return obs
        mask = self.core.shaped_mask(p) if self._mask == "nested" else self.core.mask(p)
        return {"observation": obs, "action_mask": mask}

    def action_masks(self, agent: str) -> npt.NDArray[np.int8]:
        """Return the agent's action mask as one flat int8 vector."""
        return self.core.mask(self._seat[self._checked_agent(agent)])

    def view(self, agent: str) -> View:
        """Return the agent's `View`: the argument of a bot's methods, and of `decode` and `encode` of an encoding.

        After the first call, views also include the events of each later round, as in a match (`View.last_round`).
        """
        seat = self._seat[self._checked_agent(agent)]
        self.core.record_history()
        return self.core.view(seat)

    def _infos(self, seats: Any) -> Infos:
        out, state = self.core.out, self.core.state
        illegal, income = out.illegal[0].tolist(), out.income[0].tolist()
        round_number, phase = int(state.round[0]), int(state.phase[0])
        infos: Infos = {
            self.possible_agents[p]: {
                "illegal": illegal[p],
                "income": income[p],
                "round": round_number,
                "phase": phase,
            }
            for p in seats
        }
        if self._mask == "info" and self._has_mask:
            for p in seats:
                infos[self.possible_agents[p]]["action_mask"] = self.core.mask(p).reshape(self._mask_shape)
        return infos

    def state(self) -> npt.NDArray[np.float32]:
        """Return the true position, without fog of war, as one vector in `state_space`; see also `state_features`."""
        return state_vector(self.core)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Render the true position, without fog of war.

        The mode "human" prints text, "ansi" returns text, and "rgb_array" returns an image uint8[H, W, 3].
        """
        return self.core.render(self.render_mode)

    def close(self) -> None:
        """Do nothing, because the environment has no open resources."""

    # Saving

    @property
    def np_random(self) -> np.random.Generator:
        """The random generator from which the games get their seeds."""
        if self._random is None:
            self._random, _ = seeding.np_random()
            if self._saved_random is not None:
                self._random.bit_generator.state = self._saved_random
                self._saved_random = None
        return self._random

    def _random_state(self) -> dict[str, Any] | None:
        if self._random is not None:
            return dict(self._random.bit_generator.state)
        saved = self._saved_random
        return saved and {**saved, "state": dict(saved["state"])}

    def clone(self) -> WarlightParallelEnv:
        """Return an independent copy of the environment, with copies of the random generators.

        With equal actions, both environments play the same current game and the same next games.
        """
        clone = type(self).__new__(type(self))
        clone.__dict__.update(self.__dict__)
        clone._in_use = UseLock()
        clone.core = self.core.clone()
        clone.agents = self.agents[:]
        clone._rows, clone._dropped = self._rows.copy(), self._dropped.copy()
        clone._saved_random = self._random_state()
        clone._random = None
        return clone

    def get_state(self) -> EnvState:
        """Return all data that determine this game and the next games; `set_state` restores them."""
        return EnvState(self.core.snapshot(), self._random_state(), self.core.reward.shaping)

    def set_state(self, state: EnvState) -> None:
        """Restore a saved state of this environment, or of another environment with equal arguments.

        After `set_state`, call `observe` for the observations. Raises InputError for an object of another type, for a
        state of an environment with another reward shaping, and for an impossible state (see `EnvCore.restore`). After
        an InputError, the environment is unchanged.
        """
        if not isinstance(state, EnvState):
            raise InputError(f"a saved state must be an `EnvState`, not {type(state).__name__}")
        if state.shaping != self.core.reward.shaping:
            raise InputError(
                f"the saved state belongs to an environment with the reward shaping {short_repr(state.shaping)}, "
                f"not {self.core.reward.shaping!r}"
            )
        random = _stream_state(state.random)
        self.core.restore(state.snapshot)
        self._random, self._saved_random = None, random
        live = self.core.out.live[0].tolist()
        self.agents = [agent for p, agent in enumerate(self.possible_agents) if live[p]]


def _is_from_pettingzoo(options: Any) -> bool:
    """Whether `options` is the dict with which PettingZoo's own tests call `reset`."""
    return isinstance(options, dict) and list(options) == ["options"] and type(options["options"]) is int


def _stream_state(saved: Any) -> dict[str, Any] | None:
    """Return a copy of the state of a NumPy PCG64 generator (None for None); raise InputError for an invalid state."""
    if saved is None:
        return None
    stream: Any = np.random.PCG64(0)
    try:
        stream.state = saved
        if stream.state == saved:
            return dict(stream.state)
    except Exception:  # NumPy does not check the dict, so a wrong dict may raise any exception
        pass
    raise InputError(f"random must be None or the state of a NumPy PCG64 generator, not {short_repr(saved)}")
