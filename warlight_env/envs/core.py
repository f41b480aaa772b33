"""`EnvCore`: a batch of games in arrays, and one kernel call that steps all games.

Every environment of this package stores its games in an `EnvCore` and calls its methods.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.agents.context import bare_context
from warlight_env.agents.weights import THESIS
from warlight_env.arguments import check_flag, integers_of
from warlight_env.array_arguments import checked_array
from warlight_env.engine.bits import make_bits
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import DEALT, check_players
from warlight_env.engine.state import make_state
from warlight_env.envs.action_submission import ActionError, CoreSubmission
from warlight_env.envs.actions import EncodingFactory, make_encoding
from warlight_env.envs.arrays import games_named
from warlight_env.envs.core_arguments import check_arguments
from warlight_env.envs.core_arrays import make_action_buffers
from warlight_env.envs.custom_functions import (
    CustomObservation,
    CustomReward,
    Games,
    ObservationFunction,
    RewardFunction,
    select_games,
)
from warlight_env.envs.rewards import Reward
from warlight_env.envs.round_history import RoundHistory
from warlight_env.envs.snapshots import CoreSnapshots, Snapshot, digest_of
from warlight_env.envs.step import GameBatch, Turns, Work, begin, resolve
from warlight_env.errors import InputError
from warlight_env.features.columns import observed_features
from warlight_env.thread_ownership import SingleThreaded, unchecked


class EnvCore(CoreSubmission, CoreSnapshots, SingleThreaded):
    """B games of P players. A step plays one round (or one pick, or a part of a turn) in every game.

    The results of a step are in the arrays of `out` (see `Buffers`), and the next step overwrites these arrays. `nodes`
    and `globals` are NumPy views of ``out.features``. An action is a row of K = `row_size` integers, in the format of
    the action encoding. Array arguments of methods may have any integer dtype. A value outside the range of the
    kernel's dtype raises InputError, and the games do not change. Kernels read the arrays of `state` and `out` without
    checks. If you change these arrays directly, then call `refresh_observations`, which checks the arrays.

    Args:
        map, rules, players: the same as for `Game`. fog: True, False, or None for the rules' setting.
        batch: B, the number of games.
        action: the name of an action encoding, or a factory such as
            ``functools.partial(FactoredActions, priority=True)``.
        observation: "graph", "flat", "raw" (without features), or an `ObservationFunction`.
        picking: "play": the players pick their start regions in the first steps of the episode. "random": the start
            regions are drawn at random.
        max_cycles: the number of steps after which a game is truncated; None: the encoding's `default_cycles`.
        reward: "win", "regions", "income", a `Reward`, or a `RewardFunction`.
        slots: S, the number of players in each game that get observations and masks; None: all players.
    """

    not_copied = ("_game_batch",)  # `_game_batch` contains addresses of compiled code
    exclusive_methods = (
        "set_slots", "reset", "start_from", "record_history", "step", "submit_actions", "submit_choice",
        "submit_policy", "resolve", "resolve_bare", "refresh_observations", "games", "player_views", "view", "render",
        "mask", "flat_masks", "read_rows", "read_rows_bare", "shaped_mask", "snapshot", "restore", "new_like", "clone",
        "game_batch_for",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 -- one argument for each setting of users
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        batch: int = 1,
        *,
        action: str | EncodingFactory = "factored",
        observation: str | ObservationFunction = "graph",
        fog: bool | None = None,
        picking: Literal["play", "random"] = "play",
        max_cycles: int | None = None,
        reward: str | Reward | RewardFunction = "win",
        slots: int | None = None,
    ) -> None:
        custom_observation = None if isinstance(observation, str) or not callable(observation) else observation
        custom_reward = None if isinstance(reward, str | Reward) or not callable(reward) else reward
        observation = "raw" if custom_observation is not None else observation
        check_arguments(map, batch, observation, fog, picking)
        assert isinstance(observation, str)
        self.map = map if isinstance(map, maps.Map) else maps.load(map)
        self.rules = Rules.of(rules) if fog is None else Rules.of(rules, fog=fog)
        self.players, self.batch = players, batch
        self.picking, self.reward = picking, Reward.of("win" if custom_reward is not None else reward)
        self.board = make_board(self.map)
        self.bits = make_bits(self.board)
        #: int64[2, E]: the source and the target region of each directed edge. Read-only.
        self.edge_index = np.stack([self.board.edge_source, self.board.edge_target]).astype(np.int64)
        self.edge_index.flags.writeable = False
        self.params = check_players(self.board, self.rules, players)
        self.encoding = make_encoding(action, self.board, self.params)
        self.observation = observation
        #: The name, position and range of each feature in an observation.
        self.features = observed_features(observation, self.board.n_regions, players, self.encoding.stepwise)
        self._limits: npt.NDArray[np.int64] = np.array(self.encoding.limits)
        #: int64[K]: the entry k of an action's row must be at least 0 and less than limits[k]. Read-only.
        self.limits = self._limits.view()
        self.limits.flags.writeable = False
        #: Digest of the map, the rules and the number of players. A game can start from a position of another game
        #: only if both have the same digest.
        self.digest = digest_of(self.map, self.rules, players)
        #: The context argument of the action encoding's kernels.
        self.context = self.encoding.context(players)
        #: The context argument of compiled bots.
        self.bots_context = bare_context(self.board, self.params, players, THESIS)
        self._config = self.encoding.config
        self._set_settings(self.encoding.default_cycles if max_cycles is None else max_cycles)
        self.state = make_state(batch, self.board.n_regions, players)
        self.out = self._make_buffers(players if slots is None else slots)
        #: Arrays that are allocated once and used at each submission of action rows.
        self.row_buffers = make_action_buffers(batch, self.slots, self.row_size)
        self._work: Work | None = None
        self._turns: Turns | None = None
        self._game_batch: GameBatch | None = None
        #: The history that views of a game include, see `record_history`; None: views contain only the position.
        self.round_history: RoundHistory | None = None
        #: uint64[B, P, 2]: the state of a random generator for each player, for compiled bots.
        self.bot_rngs = np.zeros((batch, players, 2), dtype=np.uint64)
        self._add_own(custom_reward, custom_observation)

    def _add_own(self, reward: RewardFunction | None, observation: ObservationFunction | None) -> None:
        """Store the user's reward and observation functions, and test these functions on new games."""
        #: The user's functions for rewards and observations; None: the built-in reward or observation is used.
        self.custom_reward: CustomReward | None = None
        self.custom_observation: CustomObservation | None = None
        if reward is None and observation is None:
            return
        trial = self.new_like(self.batch)
        if self._may_fail:
            for b in range(self.batch):
                with contextlib.suppress(RulesError):  # this game has not begun, and contains only neutral regions
                    trial.reset([b], [b])
        else:
            trial.reset(range(self.batch))
        if reward is not None:
            self.custom_reward = CustomReward(reward, trial.games())
        if observation is not None:
            self.custom_observation = CustomObservation(observation, trial.player_views(0))

    # Playing

    def reset(self, seeds: Sequence[int], games: Sequence[int] | None = None) -> None:
        """Restart the games with the numbers in `games` (None: all games), each with its own seed.

        seeds: any integers, one for each restarted game, in the order of `games`.
        """
        games, words = games_named(games, self.batch), integers_of(seeds, "seeds")
        if len(words) != len(games):
            raise InputError(f"seeds: there are {len(words)} seeds for {len(games)} games")
        with self.rollback_on_error(games=True) if self._may_fail else contextlib.nullcontext():
            for b, seed in zip(games, words, strict=True):
                self.state.rng[b] = make_rng(derive_seed(seed))
            failed = begin(self.game_batch, self.picking == "random", np.array(games, dtype=np.int64))
            if failed >= 0:
                raise RulesError(
                    f"map {self.map.name!r}: cannot find start regions for {self.players} players "
                    "that are not neighbours"
                )
        if self.round_history is not None:
            self.round_history.begin(self.state, games)

    @property
    def _may_fail(self) -> bool:
        """Whether `reset` can fail, because random start regions of different players must not be neighbours."""
        return bool(self.params.picking == DEALT and self.params.dealt_apart)

    @property
    def begins_alone(self) -> bool:
        """Whether `reset` only needs to seed the random generators and to call the kernel `begin`."""
        return not self._may_fail and self.round_history is None

    def record_history(self) -> None:
        """From now on, record the players' start regions and the events of the last round for the views of the games.

        The recording slows down each round. In a game that has already begun, the recording starts with the next round.
        """
        if self.round_history is None:
            self.round_history = RoundHistory(self.map, self.board, self.rules, self.params)

    @property
    def records_history(self) -> bool:
        """Whether the history of the games is recorded, see `record_history`."""
        return self.round_history is not None

    def step(self, actions: npt.NDArray[np.integer[Any]], dropped: npt.NDArray[np.int32] | None = None) -> None:
        """Step every game that is not over. Games that are over do not change and have reward 0.

        Args:
            actions: int[B, S, K], an action row for each slot. Rows of eliminated players, and of players who have
                already submitted a complete turn, are ignored.
            dropped: int32[B, P], the numbers of orders that an encoding dropped before this call. `out.illegal`
                includes these orders. If `dropped` is None, no orders were dropped.

        Raises InputError for an array of another shape, and ActionError for a row with an entry outside `limits`; after
        these errors, no game has made a step.
        """
        if self.round_history is None and self.custom_reward is None:
            self._submit_rows(actions, dropped, self.row_buffers.all_slots, True)
            return
        with self.rollback_on_error():
            self._submit_rows(actions, dropped, self.row_buffers.all_slots, False)
            self.resolve_bare()

    def resolve(self, selected: npt.NDArray[np.int8] | None = None) -> None:
        """Play the round of each game in which all players have submitted a turn, and update the results in `out`.

        `submit_actions` and this method together do the same as `step`. If a user's reward function raises an
        exception, this method raises the same exception, no round is played, and the submitted turns remain.

        Args:
            selected: int8[B], 0 for a game that is not played: this game does not change and has reward 0. If
                `selected` is None, all games are played.
        """
        with contextlib.nullcontext() if self.custom_reward is None else self.rollback_on_error():
            self.resolve_bare(selected)

    def resolve_bare(
        self, selected: npt.NDArray[np.int8] | None = None, numbers: npt.NDArray[np.int64] | None = None
    ) -> None:  # fmt: skip
        """Do the same as `resolve`, but without protection against errors; call it inside `rollback_on_error`.

        If a user's reward function raises an exception, the rounds are already played, but `out.reward` is not final.

        numbers: int64[B], the numbers of the games in a larger batch, for error messages. -1 marks an unused game, for
        which a user's reward function is not called.
        """
        games_before = None if self.custom_reward is None else select_games(self.games(), np.arange(self.batch))
        every_game = self.row_buffers.every_game
        selected = every_game if selected is None else checked_array(selected, "selected", np.int8, (self.batch,))
        history = self.round_history
        owners = None if history is None else history.record_positions(self.state, self.out.live, self.turns, selected)
        resolve(self.game_batch, selected)
        if games_before is not None:
            acting = games_before.live & (selected != 0)[:, None]
            self.out.reward[...] = np.where(acting, self._custom_rewards(games_before, numbers), 0.0)
        if history is not None and owners is not None:
            history.record_picks(self.state, owners)

    def _custom_rewards(self, games_before: Games, numbers: npt.NDArray[np.int64] | None) -> npt.NDArray[np.float64]:
        """Return float64[B, P], the rewards of the user's function. A game whose entry in `numbers` is negative gets 0.

        Args:
            games_before: the games before the step.
            numbers: see `resolve_bare`.
        """
        function, games, wins = self.custom_reward, self.games(), self.out.reward
        assert function is not None
        if numbers is None or numbers.min() >= 0:
            return function.paid(games_before, games, wins, numbers)
        rewards, used_games = np.zeros(wins.shape), np.flatnonzero(numbers >= 0)
        before, after = select_games(games_before, used_games), select_games(games, used_games)
        rewards[used_games] = function.paid(before, after, wins[used_games], numbers[used_games])
        return rewards

    def refresh_observations(self, turns_only: bool = False, validate: bool = True) -> None:
        """Update observations and masks after direct changes of the arrays in `state`, `out` or `turns`.

        Args:
            turns_only: True updates only the features of incomplete turns, after `submit_actions`.
            validate: True first checks all values on which kernels rely (not with `turns_only`), and raises StateError
                for an impossible value. Set `validate` to False if the position contains only the knowledge of one
                player under fog: in such a position, for example, the regions that are offered to other players can be
                missing.
        """
        check_flag(turns_only, "turns_only")
        check_flag(validate, "validate")
        if validate and not turns_only:
            self._check_arrays()
        if not turns_only and self.round_history is not None:
            self.round_history.forget(range(self.batch))
        self._refresh(turns_only=turns_only)


@unchecked
class InnerCore(EnvCore):
    """An `EnvCore` inside an environment, without a check of the calling thread, because the environment checks it."""


__all__ = ["ActionError", "EnvCore", "InnerCore", "Snapshot"]
