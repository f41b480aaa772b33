"""The Gymnasium environments of many maps: each game has its own map, in spaces that are the same for all maps."""

from __future__ import annotations

from typing import Any

from warlight_env.envs.actions import EncodingFactory
from warlight_env.envs.episodes import Episodes
from warlight_env.envs.map_sets import MapLimits, MapsLike
from warlight_env.envs.single import WarlightEnv
from warlight_env.envs.vector import WarlightVectorEnv
from warlight_env.errors import InputError
from warlight_env.maps import Map


def games_on_maps(
    map: MapsLike = ("small", "world"), *, action: str | EncodingFactory = "factored", **settings: Any
) -> Episodes:
    """Make B games, each on a map of a set. The settings are those of `Episodes`, without the observation.

    Raises:
        InputError: the settings contain an observation, which is fixed here; see also `Episodes`.
    """
    if "observation" in settings:
        raise InputError("observation: environments of many maps have a fixed observation, see WarlightMapsEnv")
    return Episodes(map, action=action, observation="graph", padded=True, **settings)


class WarlightMapsEnv(WarlightEnv):
    """`WarlightEnv` with its own map for every game, padded to spaces of one size.

    ```python
    import gymnasium, warlight_env.envs
    from warlight_env.envs import GeneratedMaps
    env = gymnasium.make("warlight/WarlightMaps-v0", map=GeneratedMaps(10, 40), opponent="aggressive")
    observation, info = env.reset(seed=1)  # the seed selects the map
    ```

    **Maps.** `map` is a list of maps (names, files, ``generated:REGIONS:SEED``, `Map` objects), a mapping of these to
    weights, or `GeneratedMaps`, a range of generated maps. ``set_maps(…)`` changes the maps from the next game on, for
    example for a curriculum. Maps larger than `map_limits` raise an error; set `map_limits` at the start to allow
    larger maps. ``reset(options={"map": …})`` chooses the map of a game; it may also contain options of
    `WarlightEnv.reset`.

    **Observations** are a Dict, with the N and E of `map_limits`. The entries of regions and edges that the map does
    not have are 0. The keys region_mask and edge_mask mark those that it has.

    | key | |
    |---|---|
    | nodes | float32[N, F], see `node_features` |
    | globals | float32[G] |
    | region_mask, edge_mask | int8[N], int8[E]: 1 for a region or edge of the map |
    | edge_index | int64[2, E]: source and target of each directed edge |
    | super_region | int64[N]: the super region of each region |
    | action_mask | with ``mask="observation"``: int8[M] |

    **Actions** are those of the encodings "factored", "continuous", "strategies" and "steps". A region or an edge with
    the same number has the same place in the actions on all maps. The mask forbids the places of regions and edges that
    a map does not have. Actions on such places are dropped and counted in ``info["illegal"]`` ("continuous" ignores
    them and does not count them). The encoding "orders" is not available.

    The other arguments are those of `WarlightEnv`. The attribute ``map`` is the map of the running game. `features`,
    `encoding` and `edge_index` are those of that map, without padding.
    """

    exclusive_methods = (*WarlightEnv.exclusive_methods, "set_maps")

    def __init__(
        self, map: MapsLike = ("small", "world"), *, render_mode: str | None = None, **settings: Any
    ) -> None:  # fmt: skip
        self._set_up(games_on_maps(map, **settings), render_mode)

    @property
    def map_limits(self) -> MapLimits:
        """The maximum numbers of regions and directed edges."""
        padding = self.episodes.form.padding
        assert padding is not None
        return padding.map_limits

    @property
    def map(self) -> Map:
        """The map of the running game."""
        return self.episodes.map_of(0)

    def set_maps(self, map: MapsLike) -> None:
        """Use another set of maps from the next game on; raise InputError (with no change) if a map is too large."""
        self.episodes.set_maps(map)


class WarlightMapsVectorEnv(WarlightVectorEnv):
    """B games of `WarlightMapsEnv` at once; the step is compiled code if all opponents are compiled bots.

    The results are equal to those of B single environments. The arguments are those of `WarlightMapsEnv` and
    `WarlightVectorEnv`. The option ``map`` of `reset` is the map of all games that begin then. For attributes that
    depend on the map, such as `features`, use the core of game b, ``episodes.core_of(b)``.
    """

    exclusive_methods = (*WarlightVectorEnv.exclusive_methods, "set_maps")

    def _make_games(self, num_envs: int, arguments: dict[str, Any]) -> Episodes:
        return games_on_maps(batch=num_envs, **arguments)

    def set_maps(self, map: MapsLike) -> None:
        """Use another set of maps, in each environment from its next game on; see `WarlightMapsEnv.set_maps`."""
        self.episodes.set_maps(map)
