"""`MapEpisodes`: a batch of games of one learner each, every one on another map, stepped by a few kernel calls."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import index, short_repr
from warlight_env.array_arguments import fitting
from warlight_env.engine.board import make_board
from warlight_env.engine.jit import address
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import check_players
from warlight_env.envs.actions.kernels import mask_pointer, no_mask, submit_pointer
from warlight_env.envs.core import ActionError, EnvCore
from warlight_env.envs.core_arguments import check_batch, cycles
from warlight_env.envs.episodes import NO_OPTIONS, Episodes
from warlight_env.envs.map_actions import PaddedActions
from warlight_env.envs.map_parts import JointSeating, MapPart, PartsOfMaps
from warlight_env.envs.map_players import MapPlayers
from warlight_env.envs.map_sets import GeneratedMaps, MapLike, MapRoom, edges_of, map_set
from warlight_env.envs.opponents import Opponent, make_slots
from warlight_env.envs.padding import Padding
from warlight_env.envs.policy_settings import PolicySettings, told_action
from warlight_env.envs.reset_options import ResetOptions, options_given
from warlight_env.envs.seeds import draw_seed
from warlight_env.envs.step_many import NUMBERS, Paid, begin_some, gather_many, gather_some, step_many
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps import Map

#: What stands for several maps.
MapsLike = MapLike | Sequence[MapLike] | Mapping[Any, float] | GeneratedMaps


#: Nodes [B, N, F], globals [B, G] and flat masks [B, M] of all games.
Seen = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int8]]
#: Where a game is played: a part, and its number there.
_Place = tuple[MapPart, int]


class Beginning(NamedTuple):
    """What decides a game."""

    map: Map
    seed: int


class MapEpisodes:
    """B games of one learner each, every one on a map of a set, in spaces of one size; see `WarlightMapsEnv`.

    To fronts it is what `Episodes` are. Games of a map are together in parts (`map_parts`), whose arrays have the sizes
    of that map, and kernels go from part to part.

    Args:
        map: see `WarlightMapsEnv`. room: for how many regions and edges; None: as the set needs.
        settings: others of `Episodes`.
        batch: B.
    """

    def __init__(
        self,
        map: MapsLike = ("small", "world"),
        *,
        room: MapRoom | tuple[int, int] | None = None,
        action: Literal["factored", "continuous", "strategies", "steps"] = "factored",
        mask: Literal["observation", "info"] = "info",
        opponent: Any = "random",
        batch: int = 1,
        **settings: Any,
    ) -> None:
        if not isinstance(mask, str) or mask not in ("observation", "info"):
            raise InputError(f"mask = {short_repr(mask)}: must be observation or info")
        if "observation" in settings:
            raise InputError("observation: many maps have one form, see WarlightMapsEnv")
        check_batch(batch)
        self._maps = map_set(map)
        self.padding = Padding(self._maps.room if room is None else MapRoom.of(room), action)
        self.batch, self.mask, self._settings = batch, mask, {**settings, "action": action, "observation": "graph"}
        self._check_maps()
        self._slots = make_slots(opponent, settings.get("players", 2) - 1)
        self._max_cycles: int | None = None
        self._parts = PartsOfMaps(self._new, self.padding)
        self._set_up(self._parts.of(self._some_map()).parts[0].episodes)

    def _set_up(self, some: Episodes) -> None:
        """Spaces and arrays, which a game of any of the maps has alike."""
        core, padding, batch = some.core, self.padding, self.batch
        self.action_space = padding.action_space(core.encoding.space)
        self.observation_space = padding.observation_space(some.observation_space, self.mask == "observation")
        self.mask_size = padding.mask_size
        shape = self.observation_space["nodes"].shape, self.observation_space["globals"].shape
        assert shape[0] is not None and shape[1] is not None
        #: nodes, globals and masks; once somebody has got them, they are written no more.
        self._seen: Seen = (
            np.zeros((batch, *shape[0]), np.float32), np.zeros((batch, *shape[1]), np.float32),
            np.zeros((batch, self.mask_size), np.int8),
        )  # fmt: skip
        self._given = False
        self._paid: Paid = reference(
            Paid(
                reward=np.zeros(batch), terminated=np.zeros(batch, np.bool_), truncated=np.zeros(batch, np.bool_),
                numbers=np.zeros((batch, len(NUMBERS)), np.int64),
            )
        )  # fmt: skip
        self._find_kernels(core)
        self._where: list[_Place | None] = [None] * batch
        self._actions = PaddedActions(padding, batch, self._player)
        self._players = MapPlayers(self._parts)
        self._begun = False
        self._maps_of = np.zeros(batch, np.int64)  # the number of each game's map

    def _find_kernels(self, core: EnvCore) -> None:
        """Where the encoding's kernels stand in memory."""
        self._submit = address(submit_pointer(core.encoding.submit))
        self._write_mask = address(mask_pointer(core.encoding.write_mask or no_mask))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy's games stand elsewhere, and in another process kernels do."""
        self.__dict__.update(state)
        self._find_kernels(self._some().core)
        self._parts.changed = True

    # Maps

    def _check_maps(self) -> None:
        """Raises InputError where maps have no room, or can never hold the players; those not named are not known."""
        wanted, room = self._maps.room, self.padding.room
        if wanted.regions > room.regions or wanted.edges > room.edges:
            raise InputError(
                f"maps of {wanted.regions} regions and {wanted.edges} directed edges: there is room for {room.regions} "
                f"and {room.edges}; say room=({wanted.regions}, {wanted.edges}) from the start"
            )
        rules, players = Rules.of(self._settings.get("rules", "thesis")), self._settings.get("players", 2)
        for map_ in self._maps.named:
            try:
                check_players(make_board(map_), rules, players)
            except RulesError as error:
                raise RulesError(f"map {map_.name!r}: {error}") from None

    def set_maps(self, map: MapsLike) -> None:
        """Draw from other maps from the next games on; InputError, with nothing changed, for what has no room."""
        before, self._maps = self._maps, map_set(map)
        try:
            self._check_maps()
        except InputError:
            self._maps = before
            raise

    def map_of(self, b: int) -> Map:
        """Of game b."""
        return self.core_of(b)[0].map

    def core_of(self, b: int) -> tuple[EnvCore, int]:
        """Of game b: the core that plays it, and its number there."""
        where = self._where[index(b, "b", self.batch)]
        if where is None:
            raise InputError(f"game {b}: it has not begun")
        return where[0].episodes.core, where[1]

    def _new(self, map_: Map) -> Episodes:
        made = Episodes(map_, opponent=self._slots, **self._settings)
        if self._max_cycles is not None:
            made.limit_cycles(self._max_cycles)
        return made

    def _some_map(self) -> Map:
        return self._maps.draw(np.random.default_rng(0))

    # Opponents

    def set_opponent(self, opponent: Any) -> None:
        """Who plays from the next games on; those that have begun are finished by whom they were begun with."""
        self._slots = make_slots(opponent, self._settings.get("players", 2) - 1)

    def opponents(self, b: int) -> tuple[Opponent, ...]:
        """Who plays against the learner in game b, by seat."""
        where = self._where[b]
        return () if where is None else where[0].episodes.opponents(where[1])

    # Playing

    def limit_cycles(self, count: int) -> None:
        """Truncate games that begin from now on after so many steps, if that was not sooner.

        Raises:
            InputError: it is no number of steps.
        """
        count = cycles(count)
        self._max_cycles = count if self._max_cycles is None else min(count, self._max_cycles)
        self._parts.forget()

    def read_options(self, options: Mapping[str, Any] | None, known: Collection[str]) -> ResetOptions:
        """See `reset_options.read_options`; ``map`` may be named, too, and a `Game` to start from has its own.

        Raises:
            InputError: one is not known, makes no sense, or the map has no room.
        """
        more = dict(options_given(options))
        told = more.pop("map") if "map" in more else None
        if told is None and isinstance(more.get("start"), Game):
            told = more["start"].map
        if told is None:
            return self._some().read_options(more, (*known, "map"))
        chosen, room = map_set(told).draw(np.random.default_rng(0)), self.padding.room
        if not room.holds(chosen):
            raise InputError(
                f"option 'map': {len(chosen.regions)} regions and {edges_of(chosen)} directed edges; there is room for "
                f"{room.regions} and {room.edges}"
            )
        episodes = self._parts.of(chosen).parts[0].episodes
        return episodes.read_options(more, (*known, "map"))._replace(map=chosen)

    def _some(self) -> Episodes:
        """Games of some map, whose settings all have."""
        return self._parts.some() or self._parts.of(self._some_map()).parts[0].episodes

    def draw(self, stream: np.random.Generator, options: ResetOptions = NO_OPTIONS) -> Beginning:
        """What decides the next game of an environment with this stream: its map, unless that was chosen, and seed."""
        chosen = self._maps.draw(stream) if options.map is None else options.map
        return Beginning(chosen, draw_seed(stream))

    def reset(
        self, beginnings: Sequence[Beginning], which: Sequence[int], options: ResetOptions = NO_OPTIONS
    ) -> None:  # fmt: skip
        """Begin the games `which`, each as it was drawn.

        Where a map cannot be played on, or the learner may be out of the game to start from, what is raised leaves all
        games as they were. What is raised later leaves `which` without games, and `step` asks for a reset.
        """
        if options.start is not None:
            self._some().check_start(options)
        taken = self._move(beginnings, which)
        try:
            self._begin([beginning.seed for beginning in beginnings], taken, options)
        except BaseException:
            self._lose(which)
            raise

    def _move(self, beginnings: Sequence[Beginning], which: Sequence[int]) -> list[_Place]:
        """Have the games `which` leave their places for others, on their new maps; what raises moves none."""
        of_map: dict[str, list[int]] = {}
        for k, beginning in enumerate(beginnings):
            of_map.setdefault(beginning.map.digest(), []).append(k)
        left = [(b, place) for b in which if (place := self._where[b]) is not None]
        for _, (part, c) in left:
            part.leave(c)
        taken: dict[int, _Place] = {}
        try:
            for chosen in of_map.values():
                found = self._parts.take(beginnings[chosen[0]].map, len(chosen), self._slots)
                taken.update(zip(chosen, found, strict=True))
        except BaseException:
            for part, c in taken.values():
                part.leave(c)
            for b, (part, c) in left:
                part.come_back(c, b)
            self._parts.changed = True
            raise
        for k, (part, c) in taken.items():
            b = which[k]
            part.places[c], self._where[b] = b, (part, c)
            self._maps_of[b] = part.known.index
        self._parts.forget_idle()
        return [taken[k] for k in range(len(which))]

    def _lose(self, which: Sequence[int]) -> None:
        """The games `which` did not begin: they have no places any more."""
        for b in which:
            place, self._where[b] = self._where[b], None
            if place is not None:
                place[0].leave(place[1])
        self._begun, self._parts.changed = False, True

    def _begin(self, seeds_of: Sequence[int], taken: Sequence[_Place], options: ResetOptions) -> None:
        """Begin games in places that they have taken, each with its seed."""
        begun: dict[int, tuple[MapPart, list[int], list[int]]] = {}
        for seed, (part, c) in zip(seeds_of, taken, strict=True):
            _, seeds, places = begun.setdefault(id(part), (part, [], []))
            seeds.append(seed)
            places.append(c)
        met: list[tuple[Episodes, list[tuple[int, int, int]]]] = []
        alone: list[_Place] = []
        quick = JointSeating()
        for part, seeds, places in begun.values():
            episodes, core = part.episodes, part.episodes.core
            if options.start is not None:
                episodes.reset(seeds, places, options)
                continue
            numbers = episodes.numbers_of_bots() if core.begins_alone else None
            if numbers is not None:
                quick.add(part, seeds, places, numbers)
                met.append((episodes, []))
            else:
                met.append((episodes, episodes.seat_players(seeds, places, options)))
                if not core.begins_alone:
                    core.reset(seeds, places)
                    continue
                core.set_dice(seeds, places)
            alone += [(part, c) for c in places]
        quick.seat(self._some().seat_of(options))
        self._players.note([part for part, _, _ in begun.values()])
        self._begun = self._begun or None not in self._where
        begin_some(self._write_mask, *self._players.found(alone), self._some().core.picking == "random")
        for episodes, opponents in met:
            episodes.let_begin(opponents)
        (found, at), (nodes, overall, mask) = self._players.found(taken), self._room(False)
        regions = self.padding.room.regions
        gather_some(found, at, nodes, overall, mask, self._paid, regions, self._factored)

    def step(self, actions: Any, acting: npt.NDArray[np.bool_] | None = None) -> None:
        """Step the games with the learners' actions, or those with acting bool[B]; `reward` and so on tell the rest.

        Raises InputError, with nothing stepped, for actions that are none and an `acting` of another shape, and
        whatever an opponent or a reward of one's own raises, with nothing stepped either.
        """
        if not self._begun:
            raise InputError("not all games have begun; call reset()")
        if self._parts.changed:  # by what raised, or was only asked for
            self._players.note(())
        moves = np.ones(self.batch, np.int8)
        if acting is not None:
            moves = fitting(acting, "acting", np.int8, (self.batch,))
        rows, dropped = self._actions.read(actions, moves != 0, self._parts.sizes[self._maps_of])
        parts = [part for part in self._parts.all if part.played]
        at_once = not self._players.others and not any(part.by_hand for part in parts)
        with contextlib.ExitStack() as undoing:
            for part in () if at_once else parts:
                undoing.enter_context(part.episodes.core.undoing())
            bad = step_many(
                self._submit, self._write_mask, *self._players.kernels(), self._players.addresses, rows, moves,
                dropped, self._players.numbers, self.padding.room.regions, self._factored, at_once,
            )  # fmt: skip
            if bad >= 0:
                raise ActionError(int(bad), self._player(int(bad)), "out of the limits of its map")
            if not at_once:
                self._resolve_by_hand(parts)
        nodes, overall, mask = self._room(True)
        regions = self.padding.room.regions
        gather_many(self._players.addresses, nodes, overall, mask, self._paid, regions, self._factored)

    def _resolve_by_hand(self, parts: Sequence[MapPart]) -> None:
        """Let those who are no kernels move, and play the rounds core by core."""
        for i, others in sorted(self._players.others.items()):
            part = self._parts.all[i]
            if not part.played:
                continue
            episodes = part.episodes
            for number, opponent, memory in others:
                opponent.move(memory, episodes.core, episodes.chosen, number, episodes.learner)
        for part in parts:
            part.episodes.core.resolve_bare(part.record.which, part.places)

    def _player(self, b: int) -> int:
        """The learner's seat in game b."""
        where = self._where[b]
        return -1 if where is None else int(where[0].episodes.learner[where[1]])

    @property
    def _factored(self) -> bool:
        return self.padding.action == "factored"

    def _room(self, whole: bool) -> Seen:
        """Where to write what is seen: of all games, or of some, while the others' stays."""
        if self._given:
            another: Any = np.empty_like if whole else np.copy
            nodes, overall, mask = self._seen
            self._seen = another(nodes), another(overall), another(mask)
            self._given = False
        return self._seen

    # Looking

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """float64[B] of the learners, in the last step."""
        return self._paid.reward.copy()

    @property
    def terminated(self) -> npt.NDArray[np.bool_]:
        """bool[B]"""
        return self._paid.terminated.copy()

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """bool[B]"""
        return self._paid.truncated.copy()

    def observe(self, games: slice | int | npt.NDArray[np.int64] = slice(None)) -> dict[str, npt.NDArray[Any]]:
        """The learners' observations of several games, or of one, in arrays of their own."""
        nodes, overall, mask = self._seen
        seen: dict[str, npt.NDArray[Any]] = {"nodes": nodes, "globals": overall}
        if "action_mask" in self.observation_space.spaces:
            seen["action_mask"] = mask
        if isinstance(games, slice) and games == slice(None):
            self._given = True
        else:
            seen = {name: array[games].copy() for name, array in seen.items()}
        return seen | {name: np.take(array, self._maps_of[games], 0) for name, array in self._parts.boards.items()}

    def masks(self) -> npt.NDArray[np.int8]:
        """int8[B, M]: what the learners may do, flat."""
        if "action_mask" in self.observation_space.spaces:
            return self._seen[2].copy()
        self._given = True
        return self._seen[2]

    def infos(self) -> dict[str, npt.NDArray[Any]]:
        """What goes into infos at every step, an array [B] each, as of `Episodes`."""
        told = {name: self._paid.numbers[:, i].copy() for i, name in enumerate(NUMBERS)}
        return {**told, "is_success": told["is_success"].astype(np.bool_)}

    @property
    def policy_settings(self) -> PolicySettings:
        """What a policy has to know of its environment in order to play elsewhere."""
        core = self._some().core
        return PolicySettings(
            told_action(self.padding.action), "graph", core.max_cycles, core.picking, core.players, core.rules,
            "many maps", *self.padding.room, padded=True,
        )  # fmt: skip

    def render(self, mode: str | None, b: int) -> Any:
        """The true position of game b; see `EnvCore.render`."""
        core, c = self.core_of(b)
        return core.render(mode, c)
