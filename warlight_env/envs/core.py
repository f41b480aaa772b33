"""`EnvCore`: a batch of games in arrays, stepped by one kernel call; all environments are thin fronts over it."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import check_players, picks_left
from warlight_env.engine.state import PHASES, UNKNOWN, State, copy_state, make_state
from warlight_env.engine.view import View
from warlight_env.envs.actions import EncodingFactory, FactoredActions, make_encoding
from warlight_env.envs.actions.base import OFFERED
from warlight_env.envs.actions.factored import VALUES
from warlight_env.envs.bits import make_bits
from warlight_env.envs.features import OBSERVATIONS, SEEN_MINE, SEEN_NEUTRAL, SEEN_UNKNOWN, node_features
from warlight_env.envs.observations import Buffers, Settings, make_buffers, observe
from warlight_env.envs.rewards import SHAPINGS, Reward
from warlight_env.envs.step import Work, begin, make_work, step_batch


class Snapshot(NamedTuple):
    """Everything that decides how the games of a core go on."""

    board: str  #: digest of the map and the rules that they are played by
    state: State
    cycles: npt.NDArray[np.int32]
    potential: npt.NDArray[np.float64]
    reward: npt.NDArray[np.float64]
    illegal: npt.NDArray[np.int32]
    live: npt.NDArray[np.bool_]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]


class EnvCore:
    """B games of P players; one step is one round (or pick) of every game.

    What a step produces lies in `out` (see `Buffers`), in memory that the next step overwrites; `nodes` and `globals`
    are views of its features. An action is a row of integers, K = `row_size` of them, as the encoding writes it.

    Args:
        map, rules, players: as for `Game`. fog: None leaves it to the rules.
        batch: number of games.
        action: an encoding's name, or a factory such as ``functools.partial(FactoredActions, priority=True)``.
        observation: "graph", "flat" or "raw"; "raw" spares the features.
        picking: "play" makes the picks part of the episode, "random" draws them.
        max_cycles: steps after which a game is truncated.
        reward: "win", "regions", "income" or a `Reward`.
    """

    def __init__(
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        batch: int = 1,
        *,
        action: str | EncodingFactory = "factored",
        observation: str = "graph",
        fog: bool | None = None,
        picking: Literal["play", "random"] = "play",
        max_cycles: int = 100,
        reward: str | Reward = "win",
    ) -> None:
        if observation not in OBSERVATIONS:
            raise ValueError(f"observation = {observation!r}: there are {', '.join(OBSERVATIONS)}")
        if picking not in ("play", "random"):
            raise ValueError(f"picking = {picking!r}: must be 'play' or 'random'")
        if fog is not None and not isinstance(fog, bool):
            raise ValueError(f"fog = {fog!r}: must be True, False or None (as the rules have it)")
        if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
            raise ValueError(f"batch = {batch!r}: must be an integer from 1 up")
        self.map = map if isinstance(map, maps.Map) else maps.load(map)
        self.rules = Rules.of(rules) if fog is None else Rules.of(rules, fog=fog)
        self.players, self.batch = players, batch
        self.picking, self.reward = picking, Reward.of(reward)
        self.board = make_board(self.map)
        self.bits = make_bits(self.board)
        self.params = check_players(self.board, self.rules, players)
        self.encoding = make_encoding(action, self.board, self.params)
        self.observation = observation
        self.limits = self.encoding.limits
        said = json.dumps([self.map.digest(), self.rules.to_dict(), players])
        self._digest = hashlib.sha256(said.encode()).hexdigest()
        self._set_settings(max_cycles)
        self._allocate()

    def _set_settings(self, max_cycles: int) -> None:
        if isinstance(max_cycles, bool) or not isinstance(max_cycles, int | np.integer) or not 0 < max_cycles < 2**31:
            raise ValueError(f"max_cycles = {max_cycles!r}: must be an integer from 1 to {2**31 - 1}")
        encoding = self.encoding
        factored = isinstance(encoding, FactoredActions)
        self.settings = Settings(
            encoding=encoding.code,
            max_armies=encoding.max_armies,
            max_wish=int(self.limits[: self.board.n_regions].max()) - 1,
            row_width=VALUES if factored else 0,
            priority=isinstance(encoding, FactoredActions) and encoding.priority,
            features=self.observation != "raw",
            fog=self.rules.fog,
            max_cycles=int(max_cycles),
            max_income=encoding.max_income,
            shaping=SHAPINGS.index(self.reward.shaping),
            scale=float(self.reward.scale),
            gamma=float(self.reward.gamma),
        )

    def _allocate(self) -> None:
        encoding = self.encoding
        rows = encoding.rows if isinstance(encoding, FactoredActions) else 0
        self.state = make_state(self.batch, self.board.n_regions, self.players)
        self.out: Buffers = make_buffers(
            self.board, self.players, self.batch, self.settings.features, rows, self.settings.row_width
        )
        self._work: Work | None = None

    @property
    def _node_width(self) -> int:
        return len(node_features(self.players)) if self.settings.features else 0

    @property
    def nodes(self) -> npt.NDArray[np.float32]:
        """float32[B, P, N, F], a view of the features: the nodes'."""
        n, width = self.board.n_regions, self._node_width
        return self.out.features[:, :, : n * width].reshape(self.batch, self.players, n, width)

    @property
    def globals(self) -> npt.NDArray[np.float32]:
        """float32[B, P, G], a view of the features: the globals."""
        return self.out.features[:, :, self.board.n_regions * self._node_width :]

    @property
    def row_size(self) -> int:
        """K, the integers of an action's row."""
        return len(self.limits)

    @property
    def max_cycles(self) -> int:
        """Steps after which a game is truncated."""
        return self.settings.max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int) -> None:
        self._set_settings(value)

    @property
    def work(self) -> Work:
        """Working memory, made when it is first needed."""
        if self._work is None:
            self._work = make_work(self.board, self.bits, self.players)
        return self._work

    # Playing

    def reset(self, seeds: Sequence[int], which: Sequence[int] | None = None) -> None:
        """Start games anew, all or those named, each from a seed (any integer)."""
        games = list(range(self.batch)) if which is None else [operator.index(b) for b in which]
        if not all(0 <= b < self.batch for b in games) or len(set(games)) < len(games):
            raise ValueError(f"which = {games}: must be different games from 0 to {self.batch - 1}")
        if len(seeds) != len(games):
            raise ValueError(f"{len(seeds)} seeds for {len(games)} games")
        for b, seed in zip(games, [operator.index(seed) for seed in seeds], strict=True):
            self.state.rng[b] = make_rng(derive_seed(seed))
            picked = self.picking == "random"
            if not begin(self.board, self.params, self.settings, self.state, self.out, self.bits, self.work, picked, b):
                raise RulesError(f"map {self.map.name!r}: found no deal in which {self.players} players start apart")

    def step(self, actions: npt.NDArray[np.integer[Any]], dropped: npt.NDArray[np.int32] | None = None) -> None:
        """Step every game that is not over with actions int[B, P, K]; rows of players who are out are not looked at.

        `dropped` int32[B, P] is what an encoding dropped before; it is counted in `out.illegal`. Games that are over
        stay as they are, with reward 0. Raises ValueError, with nothing stepped, for rows out of `limits`.
        """
        if actions.shape != (self.batch, self.players, self.row_size) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be integers of shape {(self.batch, self.players, self.row_size)}, "
                f"not {actions.dtype} of shape {actions.shape}"
            )
        actions = np.ascontiguousarray(actions, dtype=np.int64)
        before = self.out.illegal.copy()
        self.out.illegal[:] = 0 if dropped is None else dropped
        bad = step_batch(
            self.board, self.params, self.settings, self.state, self.out, self.bits, self.work, self.limits, actions
        )
        if bad >= 0:
            self.out.illegal[:] = before
            b, p = divmod(int(bad), self.players)
            row = actions[b, p]
            i = int(np.flatnonzero((row < 0) | (row >= self.limits))[0])
            raise ActionError(b, p, f"entry {i} is {row[i]}; it must lie in 0 .. {self.limits[i] - 1}")

    # Looking

    def view(self, player: int, b: int = 0) -> View:
        """What the player may see of game b, as agents take it."""
        seen = self.out.seen_owner[b, player]
        owner = ((seen.astype(np.int16) - SEEN_MINE + player) % self.players).astype(np.int8)
        owner[seen == SEEN_NEUTRAL] = -1
        owner[seen == SEEN_UNKNOWN] = UNKNOWN
        phase = PHASES[self.state.phase[b]]
        offers = tuple(np.flatnonzero(self.out.free[b, player] == OFFERED).tolist())
        return View(
            map=self.map,
            board=self.board,
            rules=self.rules,
            params=self.params,
            player=player,
            players=self.players,
            phase=phase,
            round=int(self.state.round[b]),
            owner=owner,
            army=self.out.seen_army[b, player].copy(),
            income=int(self.out.income[b, player]),
            offers=offers,
            picks_left=int(picks_left(self.params, self.state, b, player)),
        )

    # Saving

    def snapshot(self) -> Snapshot:
        """A copy of everything that decides how the games go on, dice included."""
        out = self.out
        return Snapshot(
            self._digest, copy_state(self.state), out.cycles.copy(), out.potential.copy(), out.reward.copy(),
            out.illegal.copy(), out.live.copy(), out.terminated.copy(), out.truncated.copy(),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this core or of one made alike, observations and masks included."""
        if snapshot.board != self._digest:
            raise ValueError("the saved state is of another map, other rules or another number of players")
        saved: list[Any] = [*snapshot.state, *snapshot[2:]]
        own: list[Any] = [*self.state, *(getattr(self.out, name) for name in Snapshot._fields[2:])]
        for theirs, mine in zip(saved, own, strict=True):
            if theirs.shape != mine.shape:
                raise ValueError(f"the saved state has an array of shape {theirs.shape}, this environment {mine.shape}")
        for theirs, mine in zip(saved, own, strict=True):
            mine[...] = theirs
        observe(
            self.board, self.params, self.settings, self.state, self.out, self.bits, self.work.memory, 0, self.batch
        )

    def clone(self) -> EnvCore:
        """An independent copy that goes on exactly as this one would; what is static is shared."""
        other = EnvCore.__new__(EnvCore)
        other.__dict__.update(self.__dict__)
        other.state = copy_state(self.state)
        arrays: Any = self.out
        other.out = Buffers(*[array.copy() for array in arrays])
        other._work = None
        return other


class ActionError(ValueError):
    """An action out of its space; nothing was stepped."""

    def __init__(self, game: int, player: int, reason: str) -> None:
        super().__init__(f"game {game}, player {player}: {reason}")
        self.game, self.player, self.reason = game, player, reason

    def __reduce__(self) -> tuple[type[ActionError], tuple[int, int, str]]:
        return ActionError, (self.game, self.player, self.reason)


__all__ = ["ActionError", "EnvCore", "Snapshot"]
