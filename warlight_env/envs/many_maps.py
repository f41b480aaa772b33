"""The Gymnasium environment of many maps: every game on another one, in spaces that are the same for all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env import maps
from warlight_env.envs.map_sets import GeneratedMaps, MapLike, MapRoom, edges_of, map_set
from warlight_env.envs.rendering import RENDERING
from warlight_env.envs.seeds import draw_seed
from warlight_env.envs.single import WarlightEnv
from warlight_env.errors import InputError
from warlight_env.features.columns import Features

#: Environments of single maps that are kept.
_KEPT: Final = 64
#: Numbers that an edge has among the actions of `steps`, and a region.
_SENDS, _DEPLOYS = 4, 3


class WarlightMapsEnv(gymnasium.Env[Any, Any]):
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

    metadata: dict[str, Any] = {**RENDERING}  # noqa: RUF012

    def __init__(
        self,
        map: MapLike | Sequence[MapLike] | Mapping[Any, float] | GeneratedMaps = ("small", "world"),
        *,
        room: MapRoom | tuple[int, int] | None = None,
        action: Literal["factored", "continuous", "strategies", "steps"] = "factored",
        mask: Literal["observation", "info"] = "info",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if action not in ("factored", "continuous", "strategies", "steps"):
            raise InputError(f"action = {action!r:.80}: many maps have factored, continuous, strategies, steps")
        if mask not in ("observation", "info"):
            raise InputError(f"mask = {mask!r:.80}: must be observation or info")
        if "observation" in settings:
            raise InputError("observation: many maps have one form, see WarlightMapsEnv")
        self.render_mode, self._action, self._mask = render_mode, action, mask
        self._settings = {**settings, "action": action, "observation": "graph", "render_mode": render_mode}
        self._known: OrderedDict[str, WarlightEnv] = OrderedDict()
        self._maps = map_set(map)
        self.room = self._maps.room if room is None else MapRoom(*room)
        self._check_room()
        self._now = self._env(self._maps.draw(np.random.default_rng(0)))
        self.action_space = self._actions()
        self.observation_space = self._observations()

    # Maps

    @property
    def map(self) -> maps.Map:
        """Of the running game."""
        return self._now.episodes.core.map

    @property
    def features(self) -> Features:
        """What `nodes` and `globals` hold on the running game's map, by name."""
        return self._now.features

    def set_maps(self, map: MapLike | Sequence[MapLike] | Mapping[Any, float] | GeneratedMaps) -> None:
        """Draw from other maps from the next game on; InputError, with nothing changed, for what has no room."""
        before, self._maps = self._maps, map_set(map)
        try:
            self._check_room()
        except InputError:
            self._maps = before
            raise

    def set_opponent(self, opponent: Any) -> None:
        """Who plays from the next game on; see `make_opponent`."""
        self._settings["opponent"] = opponent
        for env in self._known.values():
            env.set_opponent(opponent)

    def _check_room(self) -> None:
        wanted, room = self._maps.room, self.room
        if wanted.regions > room.regions or wanted.edges > room.edges:
            raise InputError(
                f"maps of {wanted.regions} regions and {wanted.edges} directed edges: there is room for {room.regions} "
                f"and {room.edges}; say room=({wanted.regions}, {wanted.edges}) from the start"
            )

    def _env(self, map_: maps.Map) -> WarlightEnv:
        """The environment of one map; the one that was asked for longest ago is forgotten."""
        key = map_.digest()
        if key not in self._known:
            self._known[key] = WarlightEnv(map_, **self._settings)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    # Spaces

    def _actions(self) -> spaces.Space[Any]:
        n, e = self.room
        if self._action == "factored":
            inner = self._now.action_space
            assert isinstance(inner, spaces.MultiDiscrete)
            return spaces.MultiDiscrete([int(inner.nvec[0])] * (n + e))
        if self._action == "continuous":
            return spaces.Box(-1.0, 1.0, (n + e,), np.float32)
        return (
            self._now.action_space if self._action == "strategies" else spaces.Discrete(_DEPLOYS * n + _SENDS * e + 1)
        )

    def _observations(self) -> spaces.Dict:
        n, e = self.room
        inner = self._now.observation_space
        assert isinstance(inner, spaces.Dict)
        features = inner["nodes"].shape
        assert features is not None
        told: dict[str, spaces.Space[Any]] = {
            "nodes": spaces.Box(0.0, 1.0, (n, features[1]), np.float32),
            "globals": inner["globals"],
            "region_mask": spaces.MultiBinary(n),
            "edge_mask": spaces.MultiBinary(e),
            "edge_index": spaces.Box(0, n - 1, (2, e), np.int64),
            "super_region": spaces.Box(0, n - 1, (n,), np.int64),
        }
        if self._mask == "observation" and self._action != "continuous":
            told["action_mask"] = spaces.MultiBinary(len(self.action_masks()))
        return spaces.Dict(told)

    # Games

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game, on a map that the seed draws or that the options name.

        options: ``map``, and those of `WarlightEnv.reset`. InputError, with nothing changed, for a map without room.
        """
        more = dict(options or {})
        chosen = map_set(more.pop("map")).draw(np.random.default_rng(0)) if "map" in more else None
        if chosen is not None and not self.room.holds(chosen):
            raise InputError(
                f"option 'map': {len(chosen.regions)} regions and {edges_of(chosen)} directed edges; there is room for "
                f"{self.room.regions} and {self.room.edges}"
            )
        super().reset(seed=seed)
        now = self._env(self._maps.draw(self.np_random) if chosen is None else chosen)
        observation, info = now.reset(seed=draw_seed(self.np_random), options=more or None)
        self._now = now
        return self._padded(observation), self._told(info, 0)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a round, or a part of a turn; see `WarlightEnv.step`."""
        if not self.action_space.contains(action):
            raise ValueError(f"{action!r:.80} is no action of {self.action_space!r:.80}; nothing played")
        own, dropped = self._own(action)
        observation, reward, terminated, truncated, info = self._now.step(own)
        return self._padded(observation), reward, terminated, truncated, self._told(info, dropped)

    def action_masks(self) -> npt.NDArray[np.int8]:
        """What is allowed, as one flat int8 vector, as MaskablePPO wants it."""
        mask, (n, e) = self._now.action_masks(), self._size
        if self._action == "strategies":
            return mask
        if self._action == "steps":
            padded = np.zeros(_DEPLOYS * self.room.regions + _SENDS * self.room.edges + 1, np.int8)
            padded[: _DEPLOYS * n] = mask[: _DEPLOYS * n]
            start = _DEPLOYS * self.room.regions
            padded[start : start + _SENDS * e] = mask[_DEPLOYS * n : -1]
            padded[-1] = mask[-1]
            return padded
        rows = mask.reshape(n + e, -1)
        wide = np.zeros((self.room.regions + self.room.edges, rows.shape[1]), np.int8)
        wide[:, 0] = 1  # nothing, where there is nothing
        wide[:n], wide[self.room.regions : self.room.regions + e] = rows[:n], rows[n:]
        return wide.reshape(-1)

    def render(self) -> Any:
        """The true position; see `WarlightEnv.render`."""
        return self._now.render()

    @property
    def _size(self) -> MapRoom:
        """Regions and directed edges of the running game's map."""
        board = self._now.episodes.core.board
        return MapRoom(board.n_regions, board.n_edges)

    def _own(self, action: Any) -> tuple[Any, int]:
        """The action on the running game's map, and how much of it names what is not there."""
        (n, e), start = self._size, self.room.regions
        if self._action == "strategies":
            return action, 0
        if self._action == "steps":
            number, sends = int(action), int(action) - _DEPLOYS * start
            end = _DEPLOYS * n + _SENDS * e
            if number == self.action_space.n - 1:  # type: ignore[attr-defined]
                return end, 0
            if sends < 0:
                return (number, 0) if number < _DEPLOYS * n else (end, 1)
            return (_DEPLOYS * n + sends, 0) if sends < _SENDS * e else (end, 1)
        values = np.asarray(action)
        own = np.concatenate((values[:n], values[start : start + e]))
        if self._action == "continuous":
            return own, 0
        return own, int(np.count_nonzero(values)) - int(np.count_nonzero(own))

    def _padded(self, observation: dict[str, Any]) -> dict[str, Any]:
        (n, e), board = self._size, self._now.episodes.core.board
        told: dict[str, Any] = {
            name: np.zeros(space.shape, space.dtype) for name, space in self._spaces() if name != "globals"
        }
        told["nodes"][:n], told["globals"] = observation["nodes"], observation["globals"]
        told["region_mask"][:n], told["edge_mask"][:e] = 1, 1
        told["edge_index"][:, :e] = self._now.edge_index
        told["super_region"][:n] = board.super_region
        if "action_mask" in told:
            told["action_mask"][:] = self.action_masks()
        return told

    def _spaces(self) -> Any:
        space = self.observation_space
        assert isinstance(space, spaces.Dict)
        return space.spaces.items()

    def _told(self, info: dict[str, Any], dropped: int) -> dict[str, Any]:
        if "action_mask" in info:
            info["action_mask"] = self.action_masks()
        info["illegal"] = type(info["illegal"])(info["illegal"] + dropped)
        return info
