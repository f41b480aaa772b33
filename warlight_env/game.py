"""The class `Game`: one game for people, bots and web pages.

The class `Game` checks all input. Compiled functions, the kernels of `warlight_env.engine`, execute the rounds.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Never

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.arguments import short_repr
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders, OrdersTypeError, check_turn
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.round import EVENT_COLUMNS, play_round
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import (
    ALTERNATING,
    check_players,
    resolve_picks,
    start_game,
)
from warlight_env.engine.state import (
    PICK,
    State,
    Workspace,
    copy_state,
    make_state,
)
from warlight_env.engine.view import View, view_of
from warlight_env.engine.workspace_pool import workspace_pool
from warlight_env.game_input import (
    check_on_illegal,
    check_player,
    checked_script,
    checked_seed,
    legal_preferences,
    orders_by_player,
    preferences_by_player,
)
from warlight_env.game_position import GamePosition
from warlight_env.registration_hooks import html_of
from warlight_env.saved_position import (
    FORMAT,
    check_saved_game,
    fill_state,
    loaded_map,
    position_fingerprint,
    position_hash,
    saved_map,
)
from warlight_env.step_results import (
    Deploy,
    Event,
    GameError,
    IllegalOrder,
    IllegalOrdersError,
    RoundResult,
    dropped_orders,
    round_result,
)
from warlight_env.thread_ownership import UseLock, exclusive

OnIllegal = Literal["raise", "skip"]

#: A step in the path of seeds of `reseed`, so that `Game(seed=s)` and `reseed(s)` have different dice.
RESEED: Final = 0x5EED


class _DiceSeed(NamedTuple):
    """The seed that determines the dice."""

    value: int
    reseeded: bool  # whether the seed comes from `reseed`, not from the constructor


class _Past(NamedTuple):
    """The position and the dice before a step of the game, which `undo` restores."""

    state: State
    last: RoundResult | None
    dice_seed: _DiceSeed
    past: _Past | None


class Game(GamePosition):
    """A game of 2 to 6 players. Only one thread at a time may use a `Game` object.

    Args:
        map: the name of a bundled map, the path of a map file, or a `Map`.
        rules: the name of a rules preset, a `Rules` object, or a dict with the fields of `Rules`.
        players: number of players, 2 to 6.
        seed: any integer of fewer than 300 digits. The seed determines the regions that players may pick, and all dice.
            `reseed` replaces the dice.
        picks: "play" starts the game with the picking phase. "random" draws the start regions of all players at random.

    Raises:
        MapError, RulesError: the map or the rules are not valid; the message gives the place and the reason.
    """

    __slots__ = (
        "_dice_seed", "_in_use", "_last", "_past", "_starts", "_workspaces", "map",
    )  # fmt: skip

    def __init__(
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        seed: int = 0,
        picks: Literal["play", "random"] = "play",
    ) -> None:
        self._dice_seed = _DiceSeed(checked_seed(seed), reseeded=False)
        if not isinstance(picks, str) or picks not in ("play", "random"):
            raise GameError(f"picks = {short_repr(picks)}: must be 'play' or 'random'")
        self._in_use = UseLock()
        self.map = map if isinstance(map, maps.Map) else maps.load(map)
        self.rules = Rules.of(rules)
        self.players = players
        self._board = make_board(self.map)
        self._params = check_players(self._board, self.rules, players)
        self._workspaces = workspace_pool(self._board.n_regions, self._board.n_edges, players)
        self._state = make_state(1, self._board.n_regions, players)
        self._past: _Past | None = None
        self._last: RoundResult | None = None  # `view` needs the last result, and the start regions below
        self._starts: tuple[tuple[int, ...], ...] | None = None
        self._state.rng[0] = make_rng(derive_seed(self.seed))
        with self._workspaces.borrow() as work:
            if not start_game(self._board, self._params, self._state, 0, work.scratch):
                raise RulesError(
                    f"map {self.map.name!r}: cannot find start regions for {players} players that are not neighbours"
                )
            if picks == "random" and self.phase == "pick":
                self._pick_at_random(work)
        self._note_starts()

    # State

    @property
    def seed(self) -> int:
        """The seed of the dice: the argument of the constructor, or of the last `reseed`. Read-only.

        The method `undo` restores the earlier seed together with the earlier dice.
        """
        return self._dice_seed.value

    @seed.setter
    def seed(self, value: Never) -> None:
        raise AttributeError("Game.seed is read-only: call reseed(seed) for new dice, or clone(seed=...) for a copy")

    @property
    def reseeded(self) -> bool:
        """Whether the dice come from `reseed`, not from the constructor's seed."""
        return self._dice_seed.reseeded

    @exclusive
    def view(self, player: int) -> View:
        """Return the position as the player sees it.

        Under fog of war, the player sees only its own regions and their neighbours. In the phase "pick" the player sees
        all regions.
        """
        check_player(player, self.players)
        last_round = None if self._last is None else functools.partial(self._last.seen_by, player)
        return view_of(
            self.map,
            self._board,
            self.rules,
            self._params,
            self._state,
            0,
            player,
            starts=self._starts,
            last_round=last_round,
        )

    # Steps of the game

    @exclusive
    def pick(
        self, preferences: Mapping[int, Sequence[int]] | None = None, on_illegal: OnIllegal = "raise"
    ) -> list[IllegalOrder]:
        """Pick start regions for the players in `pickers`. Return the illegal picks, which were ignored.

        If none of a player's preferred regions is left, the game draws a start region for it at random.

        preferences: for each player who must pick, a list of regions, best first. With the picking rule "ranked", the
            game uses only as many regions from the start of the list as the rules require.
        on_illegal: "raise" raises `IllegalOrdersError` if a list has too few regions, a region twice, or a region that
            the player may not pick. "skip" ignores illegal regions and returns them.
        """
        check_on_illegal(on_illegal)
        if self.phase != "pick":
            raise GameError(f"pick is not possible now: the game's phase is {self.phase!r}")
        pickers = self.pickers()
        by_player = preferences_by_player(preferences, self.players, pickers)
        required = 1 if self._params.picking == ALTERNATING else self._params.picks
        illegal: list[IllegalOrder] = []
        table = np.full((self.players, max(1, self._board.n_regions)), -1, dtype=np.int32)
        counts = np.zeros(self.players, dtype=np.int32)
        for player in pickers:
            legal = legal_preferences(
                player,
                by_player.get(player, ()),
                set(self.offers(player)),
                required if on_illegal == "raise" else 0,
                illegal,
            )
            table[player, : len(legal)] = legal
            counts[player] = len(legal)
        if illegal and on_illegal == "raise":
            raise IllegalOrdersError(illegal)
        state = copy_state(self._state)
        with self._workspaces.borrow() as work:
            resolve_picks(self._params, state, 0, table, counts, work.scratch)
        self._advance(state)
        self._note_starts()
        return illegal

    def _note_starts(self) -> None:
        if self.phase != "play":
            return
        pick_steps: dict[int, int] = {}  # for each region: the step of the game in which a player picked it
        state, previous, step = self._state, self._past, 0
        while previous is not None:
            for region in np.flatnonzero(state.owner[0] != previous.state.owner[0]).tolist():
                pick_steps[region] = step
            state, previous, step = previous.state, previous.past, step - 1
        # Start regions with an unknown step come first: regions assigned at random, and regions picked before the game
        # was saved and loaded.
        starts = (np.flatnonzero(self.owner == p).tolist() for p in range(self.players))
        self._starts = tuple(tuple(sorted(start, key=lambda r: pick_steps.get(r, step))) for start in starts)

    def _pick_at_random(self, work: Workspace) -> None:
        table, counts = np.full((self.players, 1), -1, dtype=np.int32), np.zeros(self.players, dtype=np.int32)
        while self._state.phase[0] == PICK:
            resolve_picks(self._params, self._state, 0, table, counts, work.scratch)

    @exclusive
    def check(self, player: int, orders: Orders) -> list[IllegalOrder]:
        """Check a player's orders for this round. Return the illegal orders with reasons; the game does not change."""
        with self._workspaces.borrow() as work:
            return self._check(player, orders, work)

    def _check(self, player: int, orders: Orders, work: Workspace) -> list[IllegalOrder]:
        """Check orders as in `check`, and write the legal orders to the player's rows of the arrays in `_work`."""
        check_player(player, self.players)
        if self.phase != "play":
            raise GameError(f"orders are not possible now: the game's phase is {self.phase!r}")
        if not isinstance(orders, Orders):
            raise OrdersTypeError(f"orders must be `Orders`, not {type(orders).__name__}", player)
        try:
            count, dropped, reasons = check_turn(
                self._board, self._params, self._state.owner[0], player, self.income(player), orders,
                work.deploy[player], work.attacks[player],
            )  # fmt: skip
        except OrdersTypeError as error:
            raise OrdersTypeError(error.reason, player) from None
        work.counts[player] = count
        return dropped_orders(player, orders, reasons) if dropped else []

    @exclusive
    def play_round(
        self,
        orders: Sequence[Orders | None] | Mapping[int, Orders | None],
        on_illegal: OnIllegal = "raise",
        script: npt.NDArray[np.int64] | None = None,
    ) -> RoundResult:
        """Play a round with the orders of all players.

        orders: for each player its `Orders`; None, or no entry in a dict, means that the player does nothing.
        on_illegal: "raise" raises `IllegalOrdersError` if any order is illegal; then the game does not change. "skip"
            ignores illegal orders and lists them in the result.
        script: predetermined results that replace the dice, int64[1 + K]; see `engine.dice.scripted_below`.
        """
        check_on_illegal(on_illegal)
        script = checked_script(script)
        by_player = orders_by_player(orders, self.players)
        illegal: list[IllegalOrder] = []
        with self._workspaces.borrow() as work:
            for player in range(self.players):
                turn = by_player.get(player)
                illegal += self._check(player, Orders() if turn is None else turn, work)
            if illegal and on_illegal == "raise":
                raise IllegalOrdersError(illegal)
            events = np.zeros((int(work.counts.sum()), EVENT_COLUMNS), dtype=np.int32)
            before, state = self._state.owner[0], copy_state(self._state)
            executed = play_round(self._params, state, 0, work, script, events)
            self._advance(state)
            self._last = round_result(
                self.map.neighbors, self.rules.fog, self.round, work.deploy, events[:executed], before,
                self._state.owner[0], illegal,
            )  # fmt: skip
            return self._last

    @exclusive
    def arrays(self) -> State:
        """Return a copy of the position as arrays, with a leading axis of 1, including the random generator's state."""
        return copy_state(self._state)

    # Undo and copies

    def _advance(self, state: State) -> None:
        """Replace the current position, and keep the old one for `undo`.

        Do not modify the states in `_state` and `_past`: clones of the game share them.
        """
        self._past, self._state = _Past(self._state, self._last, self._dice_seed, self._past), state

    @property
    def can_undo(self) -> bool:
        """Whether there is a pick or a round that `undo` can undo."""
        return self._past is not None

    @exclusive
    def changed(self) -> list[tuple[int, int, int]]:
        """Return the regions that the last pick or round changed, as (region, new owner, new number of armies).

        Raises:
            GameError: no pick or round has been played, or all were undone.
        """
        if self._past is None:
            raise GameError("there is no last step: no pick or round has been played, or all were undone")
        now, before = self._state, self._past.state
        regions = ((now.owner != before.owner) | (now.army != before.army)).nonzero()[1]
        owner, army = now.owner[0].take(regions), now.army[0].take(regions)
        return list(zip(regions.tolist(), owner.tolist(), army.tolist(), strict=True))

    @exclusive
    def undo(self) -> None:
        """Undo the last pick or round. `undo` also restores the state of the dice."""
        if self._past is None:
            raise GameError("nothing to undo: the game has just begun")
        self._state, self._last, self._dice_seed, self._past = self._past

    @exclusive
    def reseed(self, seed: int) -> None:
        """Replace the dice of all future steps. Afterwards only the position and the seed determine the dice.

        The method works in all phases. The position, the offers and the undo history stay the same. `reseed` is not a
        step: `undo` still undoes the last pick or round, and restores the dice from before that pick or round.

        seed: any integer. The dice differ from those of a new game with this seed.

        Raises:
            GameError: the seed is not an integer of fewer than 300 digits.
        """
        checked = checked_seed(seed)
        self._state = self._state._replace(rng=make_rng(derive_seed(checked, RESEED)).reshape(1, 2))
        self._dice_seed = _DiceSeed(checked, reseeded=True)

    @exclusive
    def clone(self, seed: int | None = None) -> Game:
        """Return an independent copy, with the same undo history.

        A search must give each copy a new seed, because a copy with the same dice shows the search the future dice of
        the real game.

        seed: None: the copy has the same future dice as this game. If `seed` is an integer, the copy has new dice, see
        `reseed`.

        Raises:
            GameError: the seed is neither None nor an integer of fewer than 300 digits.
        """
        new_game = Game.__new__(Game)
        new_game._in_use = UseLock()
        new_game.map, new_game.rules, new_game.players = self.map, self.rules, self.players
        new_game._board, new_game._params, new_game._workspaces = self._board, self._params, self._workspaces
        new_game._state, new_game._past, new_game._dice_seed = self._state, self._past, self._dice_seed
        new_game._last, new_game._starts = self._last, self._starts
        if seed is not None:
            new_game.reseed(seed)
        return new_game

    copy = clone
    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return self.to_dict()

    def __setstate__(self, data: dict[str, Any]) -> None:
        loaded = Game.from_dict(data)
        for slot in (*GamePosition.__slots__, *Game.__slots__):
            setattr(self, slot, getattr(loaded, slot))

    # Saving

    @exclusive
    def hash(self) -> str:
        """Return a SHA-256 digest of the map, the rules, the position and the state of the dice, in hexadecimal.

        Two games with equal hashes have equal results after equal orders.
        """
        return position_hash(self.map, self.rules, self.players, self._state)

    @exclusive
    def fingerprint(self) -> str:
        """Return the 64-bit BLAKE2b digest of the position and the state of the dice, as 16 hexadecimal digits.

        A game log stores this digest for every round, because computing this digest is faster than computing `hash`.
        The digest does not include the map and the rules, which do not change during a game.
        """
        return position_fingerprint(self._state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.hash() == other.hash()

    __hash__ = None  # type: ignore[assignment]

    @exclusive
    def to_dict(self) -> dict[str, Any]:
        """Return the game as data for JSON. The data include the state of the dice, but not the undo history."""
        return {
            "format": FORMAT,
            "map": saved_map(self.map),
            "rules": self.rules.to_dict(),
            "players": self.players,
            "seed": self.seed,
            "reseeded": self.reseeded,
            "state": {name: array[0].tolist() for name, array in self._state._asdict().items()},
            "hash": self.hash(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Game:
        """Return the game that `to_dict` saved. The value of "map" may also be a `Map`.

        Raises:
            GameError: a field is missing or invalid; the message names it.
        """
        check_saved_game(data)
        game = cls(loaded_map(data["map"]), data["rules"], data["players"], data["seed"])
        fill_state(game._params, game._state, data["state"])
        game._dice_seed = game._dice_seed._replace(reseeded=data["reseeded"])
        game._starts = None  # `to_dict` does not save the start regions: only the first round needs them
        if "hash" in data and not (isinstance(data["hash"], str) and data["hash"] == game.hash()):
            raise GameError("saved game: the hash does not match the other fields")
        return game

    # Pictures

    def _repr_svg_(self) -> str:
        from warlight_env.render import ShownPosition, to_svg

        return to_svg(ShownPosition(self.map, self.owner, self.army, self.players, self.round))

    def _repr_html_(self) -> str | None:
        """Return an HTML frame with the web page, for notebooks.

        If the web page is not installed, return None, and the notebook shows the SVG picture.
        """
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"Game(map={self.map.name!r}, rules={self.rules.name!r}, players={self.players}, "
            f"phase={self.phase!r}, round={self.round})"
        )


__all__ = [
    "Deploy",
    "Event",
    "Game",
    "GameError",
    "IllegalOrder",
    "IllegalOrdersError",
    "Orders",
    "OrdersTypeError",
    "RoundResult",
]
