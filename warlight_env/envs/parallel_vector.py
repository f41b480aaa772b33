"""The vector form of the parallel environment: B games, and one array per agent for all games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from warlight_env.arguments import check_choice, check_integer, index, short_repr
from warlight_env.engine.rules import MAX_PLAYERS, RulesError
from warlight_env.engine.view import View
from warlight_env.envs.actions.maskable import batch_action_space
from warlight_env.envs.autoreset import Autoreset
from warlight_env.envs.autoreset import checked_mode as checked_autoreset_mode
from warlight_env.envs.core_arguments import RENDERING, LearnerSeats, check_names, checked_mode
from warlight_env.envs.episodes import DEFAULTS
from warlight_env.envs.episodes_env import BatchOfGames
from warlight_env.envs.many_maps import games_of, has_many_maps
from warlight_env.envs.map_sets import MapsLike
from warlight_env.envs.opponents import Opponent
from warlight_env.envs.results import BatchResults
from warlight_env.envs.saved_games import SavesGames
from warlight_env.errors import InputError
from warlight_env.thread_ownership import SingleThreaded

Arrays = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Infos = dict[str, dict[str, Any]]


class WarlightParallelVectorEnv(SavesGames, BatchOfGames, SingleThreaded):
    """B games of `WarlightParallelEnv` at once, with one array per agent for all games.

    ```python
    from warlight_env import warlight_v0

    env = warlight_v0.vector_env(64, map="small", picking="random")
    observations, infos = env.reset(seed=1)
    for _ in range(10):
        actions = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)
    print(rewards["player_0"].shape)  # (64,)
    ```

    `reset` returns two dicts and `step` returns five dicts, with one entry for each agent:

    | dict | entry for an agent |
    |---|---|
    | observations | an element of ``observation_space(agent)``: an array or a dict of arrays, for B games |
    | rewards | float64[B] |
    | terminations, truncations | bool[B]: whether the agent's episode ended in this step |
    | infos | a dict of arrays, see the next table |

    | key of ``infos[agent]`` | array |
    |---|---|
    | active | bool[B]: whether the agent acts in the next step of the game |
    | action_mask | int8[B, M]: the flat action masks, for encodings with masks |
    | illegal, income, round, phase | int64[B], the integers of `WarlightParallelEnv` |
    | is_success | bool[B]: whether the agent has won the game |
    | final_obs, final_info | the arrays before the reset, only in the mode "SameStep", see the section on autoreset |

    The games are equal to those of B parallel environments with the seeds seed, seed + 1, ….

    ## Autoreset

    An agent's episode may end earlier than the game, because other agents play on. After the end of an agent's episode,
    its ``active`` is False until a new game begins, its actions are ignored, and its rewards are 0. A game is over when
    it has no active agent. **A step is part of an episode of an agent if ``active`` was True before the step.** Use the
    transitions of such steps for training, and drop all other transitions.

    `autoreset_mode` sets the time at which a new game replaces a finished game:

    - "NextStep": the next call of `step` begins the new game and ignores the actions in it. In the step that begins the
      new game, the rewards are 0, and the observations are those of the new game. ``active`` was False before this
      step.
    - "SameStep": the same call of `step` begins the new game. ``observations`` and ``infos`` contain the new game.
      ``infos[agent]["final_obs"]`` has the layout of the observations and contains the results of the step in all
      games, before any reset. ``infos[agent]["final_info"]`` has the layout of the infos and contains the infos of all
      games before any reset. ``infos[agent]["_final_obs"]``, bool[B], is True for the games that were reset. The keys
      ``final_obs``, ``final_info`` and ``_final_obs`` are missing if no game ended in the step.
    - "Disabled": `step` raises InputError until ``reset(options={"reset_mask": mask})`` has replaced all finished
      games. ``mask`` is a bool[B] array.

    ## Opponents

    ``opponents={"player_1": "aggressive"}`` gives a seat to a bot, a policy, an `OpponentPool`, or any other argument
    of `make_opponent`; a dict of weights is a pool. A seat with an opponent is not in `agents`. A game is over when all
    agents are eliminated, even if opponents could play on. Compiled bots play inside the kernel that steps the games.

    Args:
        num_envs: B, the number of games.
        players: the number of players, 2 to 6.
        opponents: a dict from agent names to opponents; None: all seats are agents.
        autoreset_mode: a mode of Gymnasium, or its name.
        copy: whether observations and masks are new arrays. With ``copy=False``, which is faster, the next call of
            `step` or `reset` overwrites the observations and masks; `final_obs` and `final_info` always contain copies.
        render_mode: the mode of `render_game`.
        settings: the arguments map, rules, action, observation, fog, picking, max_cycles and reward of
            `WarlightParallelEnv`, with the same defaults, and two more:

            - mask: "info" (the default), or "observation" to add the key action_mask also to the observations;
            - map_limits: the numbers of regions and directed edges to which observations and actions are padded; None
              (the default): the largest numbers in the set of maps. With `map_limits`, one map is also padded.

            If `map` is a list, a dict of weights or `GeneratedMaps`, every game has its own map. Observations and
            actions are then padded to `map_limits`, and `observation` must be "graph"; see `WarlightMapsEnv` for the
            arrays.

    Raises InputError for an invalid argument, and UnknownArgumentError for an unknown one.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = (
        "reset", "step", "action_masks", "set_opponents", "opponents_of", "set_maps", "view", "render_game",
        "get_state", "set_state", "clone",
    )  # fmt: skip
    saved_attributes = ("episodes", "_games")

    def __init__(
        self,
        num_envs: int = 1,
        *,
        players: int = 2,
        opponents: Mapping[str, Any] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        check_integer(players, "players", 2, MAX_PLAYERS, RulesError)
        allowed = (*DEFAULTS, "map", "mask", "map_limits")
        check_names(settings, allowed, ("num_envs", "opponents", "autoreset_mode", "copy", "render_mode"))
        if not isinstance(copy, bool):
            raise InputError(f"copy = {short_repr(copy)}: must be True or False")
        self.copy = copy
        self.render_mode, self.autoreset_mode = checked_mode(render_mode), checked_autoreset_mode(autoreset_mode)
        self.num_envs = num_envs
        self._players, self._opponent_seats = players, _seats_of(opponents, players)
        seats = [p for p in range(players) if p not in self._opponent_seats]
        #: The names of the agents, which are learners in all games. The list never changes.
        self.possible_agents = [f"player_{p}" for p in seats]
        self.agents = list(self.possible_agents)
        self._number = {agent: i for i, agent in enumerate(self.possible_agents)}
        arguments: dict[str, Any] = {
            "map": "world", "action": "factored", "picking": "play", **settings,
            "players": players, "seat": LearnerSeats(seats), "opponent": self._ordered(opponents),
        }  # fmt: skip
        observation = arguments.setdefault("observation", "graph")
        if has_many_maps(arguments):
            if not isinstance(observation, str) or observation != "graph":
                raise InputError(f"observation = {short_repr(observation)}: must be 'graph' for many maps")
            del arguments["observation"]
        #: The games of this environment.
        self.episodes = games_of(arguments, num_envs)
        self.metadata = {"name": "warlight_v0", **RENDERING, "autoreset_mode": self.autoreset_mode}
        self._games = Autoreset(self.episodes)
        space, choices = self.episodes.observation_space, self.episodes.action_space
        self._spaces = space, choices, batch_space(space, num_envs), batch_action_space(choices, num_envs)

    # Spaces

    def single_observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's observation in one game. Each call returns the same object."""
        self._agent_index(agent)
        return self._spaces[0]

    def single_action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's action in one game. Each call returns the same object."""
        self._agent_index(agent)
        return self._spaces[1]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's observations in all games. Each call returns the same object."""
        self._agent_index(agent)
        return self._spaces[2]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's actions in all games. Each call returns the same object.

        The method `sample` of the space accepts the masks of all games, int8[B, M].
        """
        self._agent_index(agent)
        return self._spaces[3]

    # Playing

    def reset(
        self, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], Infos]:
        """Begin new games; return the observations and infos of all games.

        Args:
            seed: an integer gives the games the seeds seed, seed + 1, …. A list has an integer or None for each game.
                If `seed` is None, each game is the next game of its sequence.
            options: ``reset_mask``, bool[B], is True for each game that begins anew; without ``reset_mask``, all games
                begin anew. ``start`` is a `Game` from whose position the new games start. If there are many maps,
                ``map`` is the map of the new games.

        Raises InputError for an invalid argument. After an InputError, the games are unchanged.
        """
        self._games.reset(seed, options, ("start",))
        return self._observe(self.episodes.all_results(), self.copy)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Arrays], dict[str, Flags], dict[str, Flags], Infos]:
        """Step all games with a batch of B actions for each agent; see the class for the results.

        The action of a game is ignored if ``active`` is False for this game, but the arrays always have B rows.

        Raises InputError if an agent's actions are missing or invalid, and the exceptions of opponents and of a custom
        reward function; after these exceptions, no game has made a step. The beginning of a new game, or a custom
        observation function, may also raise an exception. After an exception from a new game or an observation
        function, all games have made the step, but the results of the step are lost; the next call of `step` continues
        the games.
        """
        final: dict[str, dict[str, Any]] = {}

        def keep_final(step_results: BatchResults) -> None:
            ended = np.zeros(self.num_envs, dtype=np.bool_)
            ended[step_results.ended] = True
            final_observations, infos = self._observe(step_results, True)
            for agent in self.agents:
                final[agent] = {
                    "final_obs": final_observations[agent],
                    "final_info": infos[agent],
                    "_final_obs": ended.copy(),
                }

        results = self._games.advance(self._batches(actions), self.autoreset_mode, on_results=keep_final)
        observations, infos = self._observe(results, self.copy)
        for agent, final_entries in final.items():
            infos[agent].update(final_entries)
        return (
            observations,
            dict(zip(self.agents, results.reward, strict=True)),
            dict(zip(self.agents, results.terminated, strict=True)),
            dict(zip(self.agents, results.truncated, strict=True)),
            infos,
        )

    def _batches(self, actions: Any) -> list[Any]:
        if not isinstance(actions, Mapping):
            raise InputError(
                f"actions = {short_repr(actions)}: must be a dict of actions by agent; no game has changed"
            )
        for agent in actions:
            if agent not in self._number:
                raise InputError(
                    f"actions: no agent {short_repr(agent)}; the agents are {', '.join(self.agents)}; "
                    "no game has changed"
                )
        for agent in self.agents:
            if actions.get(agent) is None:
                raise InputError(f"actions: {agent} has no actions; no game has changed")
        return [actions[agent] for agent in self.agents]

    def _observe(self, results: BatchResults, copy: bool) -> tuple[dict[str, Any], Infos]:
        """Return the current observations and the infos of all agents."""
        observations: dict[str, Any] = {}
        infos: Infos = {}
        live = self._games.live
        for i, (agent, (obs, mask)) in enumerate(zip(self.agents, self.episodes.observe_all(copy), strict=True)):
            observations[agent] = obs
            infos[agent] = {**results.for_learner(i).infos, "active": live[:, i].copy()}
            if mask is not None:
                infos[agent]["action_mask"] = mask
        return observations, infos

    def action_masks(self, agent: str) -> npt.NDArray[np.int8]:
        """Return int8[B, M]: the agent's flat action mask in each game."""
        return self.episodes.masks(self._agent_index(agent))

    def set_opponents(self, opponents: Mapping[str, Any]) -> None:
        """Set the opponents of the games that begin after this call.

        opponents: a dict with an opponent for each seat that has an opponent now. Raises InputError for seats that have
        no opponent now and for invalid opponents. After an InputError, the opponents are unchanged.
        """
        seats = _seats_of(opponents, self._players)
        if seats != self._opponent_seats:
            names = ", ".join(f"player_{p}" for p in self._opponent_seats) or "no seats"
            raise InputError(f"opponents: must have an opponent for each of these seats and for no other: {names}")
        self.episodes.set_opponent(self._ordered(opponents))

    def _ordered(self, opponents: Mapping[str, Any] | None) -> list[Any]:
        return [] if opponents is None else [opponents[f"player_{p}"] for p in self._opponent_seats]

    def opponents_of(self, b: int) -> dict[str, Opponent]:
        """Return the opponents in game b, by the names of their seats."""
        opponents = self.episodes.opponents(index(b, "b", self.num_envs))
        return {f"player_{p}": opponent for p, opponent in zip(self._opponent_seats, opponents, strict=True)}

    def set_maps(self, map: MapsLike) -> None:
        """Use another set of maps for all games that begin after this call; see `WarlightMapsEnv.set_maps`."""
        self.episodes.set_maps(map)

    # Observations, views and pictures

    def view(self, agent: str, b: int) -> View:
        """Return the agent's `View` of game b, see `WarlightParallelEnv.view`."""
        return self.episodes.view(index(b, "b", self.num_envs), self._agent_index(agent))

    def close(self) -> None:
        """Do nothing, because the environment has no open resources."""

    def _agent_index(self, agent: Any) -> int:
        """Return the number of an agent; raise InputError for an unknown agent."""
        check_choice(agent, "agent", self._number)
        return self._number[agent]


def _seats_of(opponents: Any, players: int) -> list[int]:
    """Return the seats of the argument `opponents`, in ascending order; raise InputError if `opponents` is invalid."""
    if not isinstance(opponents, Mapping | None):
        raise InputError(f"opponents = {short_repr(opponents)}: must be a dict of opponents by agent")
    names = [f"player_{p}" for p in range(players)]
    for agent in opponents or ():
        if not isinstance(agent, str) or agent not in names:
            raise InputError(f"opponents: no seat {short_repr(agent)}; the seats are {', '.join(names)}")
    seats = [p for p, name in enumerate(names) if name in (opponents or ())]
    if len(seats) == players:
        raise InputError("opponents: at least one seat must have no opponent, because it is an agent")
    return seats
