"""`Episodes`: a batch of games of one or more learners against opponents."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.arguments import index, short_repr
from warlight_env.array_arguments import checked_array
from warlight_env.engine.reference import array_addresses
from warlight_env.engine.view import View
from warlight_env.envs.action_submission import ActionError, out_of_limits
from warlight_env.envs.batch_spaces import Form, OneMapSpaces, PaddedSpaces
from warlight_env.envs.core import EnvCore, InnerCore
from warlight_env.envs.core_arguments import (
    CoreSettings,
    LearnerSeats,
    check_batch,
    check_max_cycles,
    check_names,
    checked_seats,
)
from warlight_env.envs.map_sets import MapLimits, MapSet, MapsLike, check_maps, checked_option, map_set
from warlight_env.envs.opponent_assignment import draw_opponents
from warlight_env.envs.opponents import BotOpponent, Opponent, Slot, make_slots
from warlight_env.envs.padding import Padding
from warlight_env.envs.parts import EnvParts, MapPart, Place
from warlight_env.envs.policy_settings import PolicySettings, action_to_dict
from warlight_env.envs.reset_options import ResetOptions, options_given, read_options
from warlight_env.envs.results import BatchResults, StepResults, batch_results
from warlight_env.envs.seeds import draw_seed, draw_word
from warlight_env.envs.step import MOST_ILLEGAL
from warlight_env.envs.step_many import LearnerActions, begin_some, seat_some, step_many
from warlight_env.errors import InputError
from warlight_env.game import Game

NO_OPTIONS = ResetOptions()
#: The defaults of `Episodes` for arguments of `EnvCore`.
DEFAULTS: Final[CoreSettings] = {
    "rules": "thesis", "players": 2, "action": "steps", "observation": "flat", "fog": None, "picking": "random",
    "max_cycles": None, "reward": "win",
}  # fmt: skip
#: The arguments of `Episodes` that environments with one map pass through.
ARGUMENTS: Final = (*DEFAULTS, "map", "opponent", "seat", "mask")
#: The arguments of `Episodes` that environments with many maps pass through.
MAPS_ARGUMENTS: Final = (*(name for name in ARGUMENTS if name != "observation"), "map_limits")


class EpisodeStart(NamedTuple):
    """The map and the seed of a new game. Equal maps, seeds and actions give equal games."""

    map: maps.Map
    seed: int


class Episodes:
    """B games, each of L learners against opponents that the environment controls.

    All games are in one `EnvCore`, the attribute `core`; learner number l has slot l. Padded games are in one or more
    `EnvCore` objects, see `envs.parts`, and kernels process these objects one after another.

    Args:
        map: the same as for `EnvCore`; for padded games a set of maps, see `WarlightMapsEnv`.
        opponent: the players in the other seats; see `make_opponent`. A list has one opponent for each seat. If
            `opponent` is a mapping of opponents to weights, or an `OpponentPool`, the opponents are drawn at random in
            every game.
        seat: the learner's seat, or "random" for a random seat in every game. For several learners in each game: their
            `LearnerSeats`.
        mask: "info" for observations without masks; "observation" adds the mask to observations, with the key
            action_mask.
        batch: B, the number of games.
        padded: whether every game has its own map, and observations and actions are padded to one size.
        map_limits: only for padded games: the numbers of regions and directed edges to which observations and actions
            are padded. If `map_limits` is None, the limits are the largest numbers in the set of maps.
        settings: the arguments rules, players, action, observation, fog, picking, max_cycles and reward of `EnvCore`,
            with the defaults in `DEFAULTS`.

    Raises InputError for an invalid argument, and UnknownArgumentError for an unknown one.
    """

    def __init__(
        self,
        map: MapsLike = "world",
        opponent: Any = "random",
        *,
        seat: int | Literal["random"] | LearnerSeats = "random",
        mask: Literal["observation", "info"] = "info",
        batch: int = 1,
        padded: bool = False,
        map_limits: MapLimits | tuple[int, int] | None = None,
        **settings: Unpack[CoreSettings],
    ) -> None:
        if not isinstance(mask, str) or mask not in ("observation", "info"):
            raise InputError(f"mask = {short_repr(mask)}: must be 'observation' or 'info'")
        check_names(settings, DEFAULTS, ("map", "opponent", "seat", "mask", "batch", "map_limits"))
        check_batch(batch, "num_envs")
        self.batch, self.padded = batch, padded
        #: Whether each game may have several learners. Then the games get the same seeds as `WarlightParallelEnv`.
        self.shared = isinstance(seat, LearnerSeats)
        self._count = len(seat) if isinstance(seat, LearnerSeats) else 1  # L
        self._settings: dict[str, Any] = {**DEFAULTS, **settings}
        self._most_cycles: int | None = None
        with_mask = mask == "observation"
        self.form: Form
        self._maps: MapSet | None = None  # None: all games are on the map of `core`
        if padded:
            self._maps = map_set(map)
            padding = Padding(
                self._maps.map_limits if map_limits is None else MapLimits.from_pair(map_limits),
                self._settings["action"],
            )
            check_maps(self._maps, padding.map_limits, self._settings["rules"], self._settings["players"])
            self._parts = EnvParts(batch, self._new_core, self._count, padding.board_arrays)
            # The `EnvCore` of any map. The `EnvCore` objects of all maps have the same settings, except `slots` and the
            # recording of the history. With the encoding "steps", the default of `max_cycles` also depends on the map.
            self._any_core = self._parts.get_or_add_map(self._maps.draw(np.random.default_rng(0))).parts[0].core
            self.form = PaddedSpaces(padding, self._any_core, with_mask)
        elif map_limits is not None:
            raise InputError(
                f"map_limits = {short_repr(map_limits)}: only environments of many maps take this argument"
            )
        else:
            self._any_core = self._new_core(map, batch)
            self.form = OneMapSpaces(self.core, with_mask)
            self._parts = EnvParts(batch, self._new_core, self._count)
            self._parts.add_core(self.core)
        self.observation_space, self.action_space = self.form.observation_space, self.form.action_space
        #: M, the length of a flat mask; 0 if the encoding has no mask.
        self.mask_size = self.form.mask_size
        self._fixed = checked_seats(seat, self._settings["players"])  # int8[L], the learners' seats; -1: a random seat
        #: int8[B, L]: the learners' seats in each game.
        self.learners = np.zeros((batch, self._count), dtype=np.int8)
        #: uint64[B]: the seed of each game.
        self.seeds = np.zeros(batch, dtype=np.uint64)
        self._has_begun = np.zeros(batch, dtype=np.bool_)
        self._shows_history = False  # whether `view` was called, so that all games record their history
        self._every_game = np.ones(batch, dtype=np.int8)
        self.set_opponent(opponent)

    def _new_core(self, map: Any, batch: int = 1) -> EnvCore:
        core = InnerCore(map, batch=batch, slots=self._count, **self._settings)
        if core.custom_reward is not None:
            self._settings["reward"] = core.custom_reward  # the games on all maps share its compiled function
        if self._most_cycles is not None:
            core.max_cycles = min(core.max_cycles, self._most_cycles)
        return core

    @property
    def learner(self) -> npt.NDArray[np.int8]:
        """int8[B]: the seat of the first learner in each game."""
        return self.learners[:, 0]

    @property
    def core(self) -> EnvCore:
        """The `EnvCore` of all games. Games on many maps do not have this attribute, see `core_of`."""
        if self.padded:
            raise AttributeError("games on many maps have no common `core`; `core_of(b)` returns the EnvCore of game b")
        return self._any_core

    @property
    def policy_settings(self) -> PolicySettings:
        """The environment settings that a policy file contains, so that other programs can use the policy.

        Raises InputError for a custom observation function, because a policy file cannot contain it.
        """
        core, form = self._any_core, self.form
        if core.custom_observation is not None:
            raise InputError("observation: a policy file cannot store a custom observation function")
        return PolicySettings(
            action_to_dict(self._settings["action"]), core.observation, core.max_cycles, core.picking, core.players,
            core.rules, *form.map_summary(core), padded=self.padded,
        )  # fmt: skip

    @property
    def parts(self) -> Sequence[MapPart]:
        """The `MapPart` objects that contain the games, one or more for each map."""
        return self._parts.all

    @property
    def slots(self) -> Sequence[Slot]:
        """The opponents, or pools of opponents, of the games that begin next, by seat."""
        return self._slots

    @property
    def kind(self) -> tuple[Any, ...]:
        """Data that depend only on the environment's arguments. A saved state is accepted only if these data are
        equal."""
        core = self._any_core
        return (
            self.padded, self.batch, self._fixed.tolist(), core.rules, core.players, core.picking, core.reward,
            core.observation, core.custom_reward is None, "" if self.padded else core.digest, self.form.mask_size,
            self.observation_space, self.action_space, core.max_cycles if not self.padded else 0,
        )  # fmt: skip

    @property
    def max_cycles(self) -> int | None:
        """The number of steps after which a game is truncated; None if it depends on the map of each game."""
        if self.padded and self._settings["max_cycles"] is None and self._any_core.encoding.stepwise:
            return None
        return self._any_core.max_cycles

    # Maps

    def set_maps(self, map: MapsLike) -> None:
        """Use another set of maps for the games that begin after this call.

        Raises InputError if a map is too large; then the old set of maps remains.
        """
        if self.form.padding is None:
            raise InputError(
                "an environment of one map cannot change its map; for several maps, use warlight/WarlightMaps-v0"
            )
        new_maps = map_set(map)
        check_maps(new_maps, self.form.padding.map_limits, self._settings["rules"], self._settings["players"])
        self._maps = new_maps

    def map_of(self, b: int) -> maps.Map:
        """Return the map of game b."""
        return self.core_of(b)[0].map

    def core_of(self, b: int) -> tuple[EnvCore, int]:
        """Return the `EnvCore` that contains game b, and the number of this game in it."""
        part, c = self._parts.at(index(b, "b", self.batch))
        return part.core, c

    # Opponents

    def set_opponent(self, opponent: Any) -> None:
        """Set the opponents of the games that begin after this call. Games that have begun keep their opponents."""
        self._slots: list[Slot] = make_slots(opponent, self._any_core.players - self._count)

    def opponents(self, b: int) -> tuple[Opponent, ...]:
        """Return the learner's opponents in game b, in the order of their seats."""
        place = self._parts.where[b]
        return () if place is None else place[0].players.in_game(place[1])

    # Playing

    def limit_cycles(self, count: int) -> None:
        """Truncate games after `count` steps, unless `max_cycles` is already smaller.

        Raises InputError if `count` is not a valid number of steps.
        """
        count = check_max_cycles(count)
        self._most_cycles = count if self._most_cycles is None else min(count, self._most_cycles)
        for core in (self._any_core, *(part.core for part in self._parts.all)):
            core.max_cycles = min(core.max_cycles, count)

    def read_options(self, options: Mapping[str, Any] | None, allowed: Collection[str]) -> ResetOptions:
        """Check the options of a reset and return them, see `reset_options.read_options`.

        In environments of many maps, the option ``map`` is the map of the next game. If the option ``map`` is missing,
        the game has the map of the `Game` in the option ``start``. If ``map`` and ``start`` are missing, the map is
        drawn.

        Raises:
            InputError: an option is unknown or invalid, the map is too large, or the learner may be eliminated in the
                game of the option ``start``.
        """
        core, map_, core_options, padding = self._any_core, None, dict(options_given(options)), self.form.padding
        if padding is not None:
            allowed, named = (*allowed, "map"), core_options.pop("map", None)
            if named is None and isinstance(core_options.get("start"), Game):
                named = core_options["start"].map
            if named is not None:
                map_ = checked_option(named, padding.map_limits)
                core = self._parts.get_or_add_map(map_).parts[0].core
        checked = read_options(core, core_options, allowed)._replace(map=map_)
        self._check_start(checked)
        return checked

    def _seats_of(self, options: ResetOptions) -> npt.NDArray[np.int8]:
        """Return int8[L], the learners' seats (-1: random) in games that begin with the given options."""
        return self._fixed if options.seat is None else np.array([options.seat], np.int8)

    def _check_start(self, options: ResetOptions) -> None:
        """Raise InputError if the learner may be eliminated in the game of the option ``start``.

        If each game may have several learners, the method raises InputError only if all learners are eliminated in this
        game.
        """
        start = options.start
        if start is None:
            return
        seats = self._seats_of(options).tolist()
        seats = range(self._any_core.players) if seats == [-1] else seats
        if not (any if self.shared else all)(map(start.alive, seats)):
            raise InputError(
                "option 'start': all learners are eliminated in that game"
                if self.shared
                else "option 'start': the learner's seat may be eliminated in that game; "
                "choose a seat with the option 'seat'"
            )

    def draw(self, streams: Sequence[np.random.Generator], options: ResetOptions = NO_OPTIONS) -> list[EpisodeStart]:
        """Draw the seeds and the maps of the next games; a map in the options is used instead of a draw.

        streams: the random generators of the environments in which the games begin.
        """
        draw, maps_ = draw_word if self.shared else draw_seed, self._maps
        if options.map is not None or maps_ is None:
            next_map = self.core.map if options.map is None else options.map
            return [EpisodeStart(next_map, draw(stream)) for stream in streams]
        return [EpisodeStart(maps_.draw(stream), draw(stream)) for stream in streams]

    def reset(
        self, beginnings: Sequence[EpisodeStart], games: Sequence[int], options: ResetOptions = NO_OPTIONS
    ) -> None:  # fmt: skip
        """Begin the games with the numbers in `games`, each with the map and the seed of its `EpisodeStart`.

        First the method checks the maps and the option ``start``, and draws the opponents. If an error occurs in these
        checks or draws, all games stay unchanged. If an error occurs after the draw of the opponents, the games in
        `games` have not begun, and `step` raises an error until the next reset.
        """
        if len(games) == 0:
            return
        self._check_start(options)
        opponents = draw_opponents(self._slots, [beginning.seed for beginning in beginnings])
        places = self._parts.move([beginning.map for beginning in beginnings], games)
        parts = list(dict.fromkeys(part for part, _ in places))
        numbers = np.array(games, np.int64)
        self._has_begun[numbers] = False
        try:
            self._begin([beginning.seed for beginning in beginnings], opponents, numbers, places, parts, options)
        finally:
            self._parts.update_parts(parts)
        self._has_begun[numbers] = True

    def _begin(
        self, seeds: Sequence[int], opponents: Sequence[Sequence[Opponent]], games: npt.NDArray[np.int64],
        places: Sequence[Place], parts: Sequence[MapPart], options: ResetOptions,
    ) -> None:  # fmt: skip
        """Begin games, each with its seed and its opponents, at the given places in `MapPart` objects.

        opponents: the opponents in each game; empty if no game has opponents.
        """
        for part in parts:
            part.players.prepare(self._slots, self._shows_history)
        opponent_numbers = np.zeros((len(games), len(self._slots)), np.int16)
        for k, game_opponents in enumerate(opponents):
            opponent_numbers[k] = [places[k][0].players.number(opponent) for opponent in game_opponents]
        fixed = self._seats_of(options)
        learners = np.zeros((len(games), len(fixed)), np.int8)
        words = np.array([seed & (2**64 - 1) for seed in seeds], np.uint64)
        self._parts.refresh_addresses(parts)
        addresses = self._parts.game_arguments(games)
        seat_some(*addresses, words, opponent_numbers, fixed, learners)
        self.learners[games], self.seeds[games] = learners, words
        checked = [part for part in parts if not part.core.begins_alone]
        for part in checked:
            resets = [(seed, c) for seed, (owner, c) in zip(seeds, places, strict=True) if owner is part]
            part.core.reset(*map(list, zip(*resets, strict=True)))
        if checked:
            addresses = self._parts.game_arguments(games[[part not in checked for part, _ in places]])
        begin_some(*addresses, self._any_core.picking == "random")
        if options.start is not None:
            for part in parts:
                part.core.start_from(options.start, [c for owner, c in places if owner is part])
        if not all(isinstance(opponent, BotOpponent) for game_opponents in opponents for opponent in game_opponents):
            for seed, (part, c) in zip(seeds, places, strict=True):
                part.players.begin(c, seed)
        for part in parts:
            part.players.forget_idle(part.in_use)

    def step(
        self, actions: Sequence[Any], acting: npt.NDArray[np.bool_] | None = None,
        live: npt.NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """Step the games with the learners' actions and the opponents' turns; `results` then returns the results.

        Args:
            actions: a batch of B actions for each of the L learners.
            acting: bool[B], whether a game makes a step; None: all games do.
            live: bool[B, L], False for a learner whose episode has ended, so that its action is ignored; None: no
                action is ignored.

        Raises InputError for invalid actions or a wrong shape of `acting`. If an opponent or a custom reward function
        raises an exception, this method raises the same exception. If the method raises an exception, no game makes a
        step, but agents in Python may keep changes of their own data, see `AgentOpponent`.
        """
        moves = self._every_game if acting is None else checked_array(acting, "acting", np.int8, (self.batch,))
        if not self._has_begun.all() and (moves.astype(np.bool_) & ~self._has_begun).any():
            raise InputError("not all games have begun; call reset()")
        parts = self._parts.parts_in_use()
        rows, dropped = self._read(actions, moves != 0, live)
        lineup = self._parts.lineup
        custom_reward = self._any_core.custom_reward is not None
        at_once = not (lineup.others or custom_reward or any(part.core.round_history is not None for part in parts))
        active_opponents = [active for group in lineup.others.values() for active in group]
        may_raise = custom_reward or any(active.opponent.raises for active in active_opponents)
        with contextlib.ExitStack() as rollback_on_error:
            if may_raise:
                for part in parts:
                    rollback_on_error.enter_context(part.core.rollback_on_error())
                for active in active_opponents:
                    rollback_on_error.enter_context(active.opponent.rollback_on_error(active.memory))
            invalid = step_many(
                self._parts.addresses, *lineup.kernels(), lineup.numbers,
                LearnerActions(array_addresses(rows), (self.batch, 1, rows[0].shape[1])), moves,
                dropped, self.form.kernel_layout, at_once,
            )  # fmt: skip
            if invalid >= 0:
                self._refuse(int(invalid), rows)
            if not at_once:
                self._resolve_by_hand(parts)

    def _read(
        self, actions: Sequence[Any], moves: npt.NDArray[np.bool_], live: npt.NDArray[np.bool_] | None
    ) -> tuple[list[npt.NDArray[np.int64]], npt.NDArray[np.int32]]:
        """Return the actions of each learner as rows int64[B, M], and the argument `dropped` of `step_many`."""
        dropped = np.zeros(self.learners.shape, np.int32)
        rows = []
        for i, batch in enumerate(actions):
            acting = moves if live is None else moves & live[:, i]
            try:
                row, dropped[:, i] = self.form.read(self._parts, batch, acting, i)
            except InputError as error:
                if self.shared and not isinstance(error, ActionError):
                    error.args = (f"player_{self._fixed[i]}: {error}",)
                raise
            rows.append(row)
        return rows, dropped

    def _refuse(self, invalid: int, rows: Sequence[npt.NDArray[np.int64]]) -> None:
        """Raise the error for a return value `invalid` of the kernel `step_many`, which documents these values."""
        count, learners = self.learners.size, self.learners.shape[1]
        if invalid >= count:
            raise InputError(f"dropped: the numbers of game {invalid - count} must lie in 0 .. {MOST_ILLEGAL}")
        b, i = divmod(invalid, learners)
        part, _ = self._parts.at(b)
        raise out_of_limits(b, int(self.learners[b, i]), rows[i][b], part.core.limits)

    def _resolve_by_hand(self, parts: Sequence[MapPart]) -> None:
        """Ask the opponents that are not compiled for their turns, and play the rounds, one `MapPart` after another."""
        for part in parts:
            for number, opponent, memory in self._parts.lineup.others.get(part.index, ()):
                opponent.move(memory, part.core, part.players.chosen, number, part.record.after)
        for part in parts:
            part.core.resolve_bare(part.record.selected, part.places)

    # Observations, views and pictures

    def live(self) -> npt.NDArray[np.bool_]:
        """Return bool[B, L]: whether the episode of each learner continues."""
        return self.all_results().live

    def results(self) -> StepResults:
        """Return the results of the last step for the first learner of each game, in new arrays."""
        return self.all_results().for_learner(0)

    def all_results(
        self, games: slice | npt.NDArray[np.int64] = slice(None), before: npt.NDArray[np.bool_] | None = None
    ) -> BatchResults:
        """Return the results of the last step for all learners of the selected games, see `batch_results`."""
        return batch_results(self._parts, self._count, games, before)

    def observe(self, games: slice | int | npt.NDArray[np.int64] = slice(None), learner: int = 0) -> Any:
        """Return the learner's observations in the selected games, or in one game. learner: see `results`."""
        return self.form.observe(self._parts, games, learner)

    def observe_all(self, copy: bool = True) -> list[tuple[Any, npt.NDArray[np.int8] | None]]:
        """Return the observations and the flat masks (None: no masks) of each learner, in all games.

        copy: False allows arrays that the next step changes.
        """
        return self.form.observe_all(self._parts, self._count, copy)

    def masks(self, learner: int = 0) -> npt.NDArray[np.int8]:
        """Return int8[B, M]: the flat action mask of the learner in each game. learner: see `results`."""
        return self.form.masks(self._parts, slice(None), learner)

    def view(self, b: int, learner: int = 0) -> View:
        """Return the learner's view of game b.

        The first call of `view` starts the recording of rounds in all games, also in games that begin later, on any
        map. Views contain the events of the last round if this round was recorded. learner: see `results`.
        """
        part, c = self._parts.at(b)
        if not self._shows_history:
            self._shows_history = True
            for each in self._parts.all:
                each.players.record_history()
        return part.core.view(int(self.learners[b, learner]), c)

    def render(self, mode: str | None, b: int) -> Any:
        """Render the true position of game b in a render mode; see `EnvCore.render`."""
        core, c = self.core_of(b)
        return core.render(mode, c)
