"""The Gymnasium environments of many maps: every game on another one, in spaces that are the same for all."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.array_arguments import array_of
from warlight_env.envs.handing_in import tell_nothing_played
from warlight_env.envs.map_episodes import MapEpisodes, MapsLike
from warlight_env.envs.map_sets import MapRoom
from warlight_env.envs.policy_settings import PolicySettings
from warlight_env.envs.rendering import RENDERING, checked_mode
from warlight_env.envs.seeds import checked_seed
from warlight_env.envs.vector import WarlightVectorEnv
from warlight_env.errors import InputError
from warlight_env.features.columns import Features
from warlight_env.ownership import OneThread


class WarlightMapsEnv(OneThread, gymnasium.Env[Any, Any]):
    """`WarlightEnv` on a map of a set in every game, padded to one size.

    ```python
    import gymnasium, warlight_env.envs
    from warlight_env.envs import GeneratedMaps
    env = gymnasium.make("warlight/WarlightMaps-v0", map=GeneratedMaps(10, 40), opponent="aggressive")
    observation, info = env.reset(seed=1)  # on a map drawn by the seed
    ```

    **Maps.** `map` is a list of maps (names, files, ``generated:REGIONS:SEED``, `Map` objects), a mapping of these to
    weights, or `GeneratedMaps`, a range. ``set_maps(…)`` changes it from the next game on, as a curriculum does; what
    has no room is refused, and `room` says from the start for how large ones there is to be room.
    ``reset(options={"map": …})`` chooses the map of a game; options of `WarlightEnv.reset` may stand beside it.

    **Observations**: Dict, with N and E as in `room`; what a map lacks is 0, and masks say what is there.

    | key | |
    |---|---|
    | nodes | float32[N, F], see `node_features` |
    | globals | float32[G] |
    | region_mask, edge_mask | int8[N], int8[E]: 1 where there is one |
    | edge_index | int64[2, E]: source and target of each directed edge |
    | super_region | int64[N]: to which each region belongs |
    | action_mask | with ``mask="observation"``: int8[M] |

    **Actions** are those of the encodings "factored", "continuous" and "strategies", and "steps": the numbers of a
    region and of an edge are the same on all maps, those that a map lacks are masked. What names one all the same is
    dropped, and counted in ``info["illegal"]`` (of "continuous" it has no meaning, and is not). "orders" has no form
    for many maps.

    Other arguments are those of `WarlightEnv`. ``map`` of the running game is an attribute, as are `features` of its
    observations without padding.
    """

    exclusive_methods = ("set_maps", "set_opponent", "reset", "step", "action_masks", "render")

    metadata: dict[str, Any] = {**RENDERING}  # noqa: RUF012

    def __init__(
        self, map: MapsLike = ("small", "world"), *, render_mode: str | None = None, **settings: Any
    ) -> None:  # fmt: skip
        self.render_mode = checked_mode(render_mode)
        #: The games, a batch of one.
        self.episodes = MapEpisodes(map, **settings)
        self.observation_space = self.episodes.observation_space
        self.action_space = self.episodes.action_space
        self._live = False

    @property
    def room(self) -> MapRoom:
        """For how many regions and directed edges there is room."""
        return self.episodes.padding.room

    @property
    def map(self) -> maps.Map:
        """Of the running game."""
        return self.episodes.map_of(0)

    @property
    def features(self) -> Features:
        """What `nodes` and `globals` hold on the running game's map, by name."""
        return self.episodes.core_of(0)[0].features

    @property
    def policy_settings(self) -> PolicySettings:
        """What a policy has to know of its environment in order to play elsewhere."""
        return self.episodes.policy_settings

    def set_maps(self, map: MapsLike) -> None:
        """Draw from other maps from the next game on; InputError, with nothing changed, for what has no room."""
        self.episodes.set_maps(map)

    def set_opponent(self, opponent: Any) -> None:
        """Who plays from the next game on; see `make_opponent`."""
        self.episodes.set_opponent(opponent)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game, on a map that the seed draws or that the options name.

        options: ``map``, and those of `WarlightEnv.reset`. InputError, with nothing changed, for a map without room.
        """
        read = self.episodes.read_options(options, ("start", "seat"))
        super().reset(seed=checked_seed(seed))
        self.episodes.reset([self.episodes.draw(self.np_random, read)], [0], read)
        self._live = True
        return self.episodes.observe(0), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a round, or a part of a turn.

        Raises InputError, with nothing played, for what is no action (an ActionError where it is out of its space), and
        whatever an opponent or a reward of one's own raises, with nothing played either.
        """
        if not self._live:
            raise InputError("the game is over or has not begun; call reset()")
        episodes = self.episodes
        try:
            episodes.step(array_of(action, "an action")[None])
        except InputError as error:
            tell_nothing_played(error)
            raise
        terminated, truncated = bool(episodes.terminated[0]), bool(episodes.truncated[0])
        self._live = not (terminated or truncated)
        return episodes.observe(0), float(episodes.reward[0]), terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        # Scalars of NumPy, as other environments give them: some libraries ask for their dtype.
        info = {name: values[0] for name, values in self.episodes.infos().items()}
        if self.episodes.mask_size:
            info["action_mask"] = self.action_masks()
        return info

    def action_masks(self) -> npt.NDArray[np.int8]:
        """What is allowed, as one flat int8 vector, as MaskablePPO wants it."""
        masks: npt.NDArray[np.int8] = self.episodes.masks()[0]
        return masks

    def render(self) -> Any:
        """The true position; see `WarlightEnv.render`."""
        return self.episodes.render(self.render_mode, 0)


class WarlightMapsVectorEnv(WarlightVectorEnv):
    """B games of `WarlightMapsEnv` at once, stepped in compiled code where the opponents are bots that are kernels.

    The same as that many single environments, trace for trace. Arguments are those of both; the option ``map`` of
    `reset` is the map of all games that begin then. What only one map has, such as `features`, has the core of game b,
    ``episodes.core_of(b)``.
    """

    exclusive_methods = (*WarlightVectorEnv.exclusive_methods, "set_maps")

    episodes: MapEpisodes

    def _make_games(self, num_envs: int, arguments: dict[str, Any]) -> Any:
        return MapEpisodes(batch=num_envs, **arguments)

    def set_maps(self, map: MapsLike) -> None:
        """Draw from other maps, each game from its next one on; see `WarlightMapsEnv.set_maps`."""
        self.episodes.set_maps(map)
