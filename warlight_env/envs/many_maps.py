"""Gymnasium environments with many maps: each game has its own map, and all maps have the same padded spaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warlight_env.envs.actions import EncodingFactory
from warlight_env.envs.core_arguments import check_names
from warlight_env.envs.episodes import MAPS_ARGUMENTS, Episodes
from warlight_env.envs.map_sets import GeneratedMaps, MapLimits, MapsLike
from warlight_env.envs.single import WarlightEnv
from warlight_env.envs.vector import WarlightVectorEnv
from warlight_env.errors import InputError
from warlight_env.maps import Map


def games_on_maps(
    map: MapsLike = ("small", "world"), *, action: str | EncodingFactory = "factored", batch: int, **settings: Any
) -> Episodes:
    """Make B games, each on a map of a set; B = `batch`.

    The settings are those of `Episodes`, without the argument `observation`.

    Raises:
        InputError: the settings contain the argument `observation`, or `Episodes` rejects an argument.
    """
    if "observation" in settings:
        raise InputError("observation: environments of many maps have a fixed observation, see WarlightMapsEnv")
    return Episodes(map, action=action, observation="graph", batch=batch, padded=True, **settings)


def has_many_maps(arguments: Mapping[str, Any]) -> bool:
    """Whether each game has its own map: the argument `map` is a set of maps, or `map_limits` is not None."""
    return isinstance(arguments.get("map"), list | tuple | Mapping | GeneratedMaps) or (
        arguments.get("map_limits") is not None
    )


def games_of(arguments: dict[str, Any], num_envs: int) -> Episodes:
    """Make `num_envs` games with the arguments of an environment; see `has_many_maps` for games on many maps."""
    if has_many_maps(arguments):
        return games_on_maps(batch=num_envs, **arguments)
    return Episodes(batch=num_envs, **arguments)


class WarlightMapsEnv(WarlightEnv):
    """A variant of `WarlightEnv` in which every game has its own map; observations and actions are padded to one size.

    ```python
    import gymnasium, warlight_env.envs
    from warlight_env.envs import GeneratedMaps
    env = gymnasium.make("warlight/WarlightMaps-v0", map=GeneratedMaps(10, 40), opponent="aggressive")
    observation, info = env.reset(seed=1)  # the seed selects the map
    ```

    **Maps.** `map` is a list of maps (names, files, ``generated:REGIONS:SEED``, `Map` objects), a mapping of maps to
    weights, or `GeneratedMaps`, a range of generated maps. ``set_maps(…)`` changes the maps from the next game on, for
    example for a curriculum. A map with more regions or edges than `map_limits` raises an error. To use larger maps
    later, set the argument `map_limits` when you make the environment. ``reset(options={"map": …})`` chooses the map of
    a game; the options of `WarlightEnv.reset` are also allowed.

    **Observations** are a Dict with the keys of the following table; N and E are the numbers in `map_limits`. Entries
    for regions and edges that do not exist on the current map are 0. The masks region_mask and edge_mask show which
    regions and edges exist.

    | key | |
    |---|---|
    | nodes | float32[N, F], see `node_features` |
    | globals | float32[G] |
    | region_mask, edge_mask | int8[N], int8[E]: 1 for a region or edge of the map |
    | edge_index | int64[2, E]: source and target of each directed edge |
    | super_region | int64[N]: the super region of each region |
    | action_mask | with ``mask="observation"``: int8[M] |

    **Actions** are those of the encodings "factored", "continuous", "strategies" and "steps". The region with number r
    has the same index in an action on all maps, and so has the edge with number e. The mask forbids actions for regions
    and edges that do not exist on the current map. Entries of an action for regions and edges that the map does not
    have are dropped and counted in ``info["illegal"]`` ("continuous" does not count these entries). The encoding
    "orders" is not available.

    The other arguments are those of `WarlightEnv`. The attribute ``map`` is the map of the current game. The attributes
    `features`, `encoding` and `edge_index` describe the map of the current game without padding.
    """

    exclusive_methods = (*WarlightEnv.exclusive_methods, "set_maps")

    def __init__(
        self, map: MapsLike = ("small", "world"), *, render_mode: str | None = None, **settings: Any
    ) -> None:  # fmt: skip
        check_names(settings, MAPS_ARGUMENTS, ("render_mode",), refused=("observation",))
        self._set_up(games_on_maps(map, batch=1, **settings), render_mode)

    @property
    def map_limits(self) -> MapLimits:
        """The maximum numbers of regions and directed edges of a map in this environment."""
        padding = self.episodes.form.padding
        assert padding is not None
        return padding.map_limits

    @property
    def map(self) -> Map:
        """The map of the current game."""
        return self.episodes.map_of(0)

    def set_maps(self, map: MapsLike) -> None:
        """Use another set of maps from the next game on. Raise InputError if a map is too large; then the old set
        remains."""
        self.episodes.set_maps(map)


class WarlightMapsVectorEnv(WarlightVectorEnv):
    """The vector environment of B games of `WarlightMapsEnv`.

    If all opponents are compiled bots, compiled code plays all rounds.

    The results are equal to those of B single environments. The arguments are those of `WarlightMapsEnv` and
    `WarlightVectorEnv`. With the option ``map`` of `reset`, all games that begin in this call have the same map. For
    attributes that depend on the map, such as `features`, use ``episodes.core_of(b)``, the `EnvCore` of game b.
    """

    exclusive_methods = (*WarlightVectorEnv.exclusive_methods, "set_maps")
    _allowed, _refused = MAPS_ARGUMENTS, ("observation",)

    def _make_games(self, num_envs: int, arguments: dict[str, Any]) -> Episodes:
        return games_on_maps(batch=num_envs, **arguments)

    def set_maps(self, map: MapsLike) -> None:
        """Use another set of maps for all games that begin after this call; see `WarlightMapsEnv.set_maps`."""
        self.episodes.set_maps(map)
