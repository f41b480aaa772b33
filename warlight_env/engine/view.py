"""A player's view of a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.position import Position
from warlight_env.engine.round import income
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.setup import ALTERNATING, most_picks, pick_turn, picker, picks_left
from warlight_env.engine.state import PHASES, PICK, State
from warlight_env.engine.visibility import write_view


@dataclass(frozen=True)
class View:
    """All information with which an agent chooses picks or orders. Regions and players are numbered from 0.

    Attributes:
        map: the `Map` of the game; ``map.neighbors[r]`` are the neighbours of region r, ``map.regions[r].name`` its
            name, ``map.super_region_of[r]`` its super region, ``map.bonuses[s]`` and ``map.members[s]`` the bonus and
            regions of super region s.
        board, params: the map and the rules as arrays and numbers for kernels.
        rules: the `Rules`.
        player, players: the viewing player, and the number of players.
        phase: "pick", "play" or "over".
        round: the number of rounds played.
        owner: int8[N], a player, -1 neutral, -2 not seen.
        army: int32[N], 0 if not seen.
        income: armies that the player may deploy now.
        offers: regions that the player may pick now; empty if another player picks now.
        picks_left: the number of start regions that the player still gets.
        starts: for each player, its start regions; None if they are not public. Regions that were picked one by one are
            in the order of the picks.
        estimated: bool[N], True for a region that is not seen and of which owner and army are an estimate; None if the
            view has no estimates.
    """

    map: Any
    board: Board
    rules: Rules
    params: RuleParams
    player: int
    players: int
    phase: str
    round: int
    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]
    income: int
    offers: tuple[int, ...]
    picks_left: int
    starts: tuple[tuple[int, ...], ...] | None = None
    estimated: npt.NDArray[np.bool_] | None = None
    _last_round: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    @property
    def position(self) -> Position:
        """A copy of the owners, armies and round as a `Position` for kernels."""
        return Position(self.owner.copy(), self.army.copy(), np.array([self.round], dtype=np.int32))

    @property
    def pick_turn(self) -> int:
        """`State.turn` of the game, for the player that picks now; 0 unless the rules use "alternating" picks."""
        if self.phase != PHASES[PICK] or self.params.picking != ALTERNATING:
            return 0
        picks, own_picks = int((self.owner >= 0).sum()), int((self.owner == self.player).sum())
        max_picks = int(most_picks(self.params, picks + len(self.offers), self.players))
        return int(pick_turn(picks, max_picks - own_picks - self.picks_left))

    @property
    def last_round(self) -> Any:
        """The events of the last round that the player may know, as a `RoundResult`.

        The `RoundResult` is computed at the first access. In `warlight bot run`, it is an estimate (see
        `protocol.bot_side`).

        The value is None before the first round, in a loaded game, and in a game without recorded history
        (`EnvCore.record_history`).
        """
        return None if self._last_round is None else self._last_round()


def view_of(
    map: Any,
    board: Board,
    rules: Rules,
    params: RuleParams,
    state: State,
    b: int,
    player: int,
    *,
    starts: tuple[tuple[int, ...], ...] | None = None,
    last_round: Callable[[], Any] | None = None,
) -> View:
    """Make the view that a player has of game b of a batch. All code that needs a view of a game calls this function.

    Args:
        starts: each player's start regions, if known. The view contains the start regions only if they are public. If
            players pick one by one, the picks are public. If all players pick at once, or if start regions are drawn at
            random, the start regions are public only without fog.
        last_round: a function that computes `View.last_round`.
    """
    owner, army = np.empty_like(state.owner[b]), np.empty_like(state.army[b])
    picking, players = state.phase[b] == PICK, state.eliminated_at.shape[1]
    write_view(board, rules.fog and not picking, state.owner[b], state.army[b], player, owner, army)
    offers: tuple[int, ...] = ()
    if picking and (params.picking != ALTERNATING or picker(state.turn[b], players) == player):
        offers = tuple(np.flatnonzero(state.offers[b] >> player & 1).tolist())
    earned = 0 if state.eliminated_at[b, player] else income(board, params.base_income, state.owner[b], player)
    public = not picking and (not rules.fog or params.picking == ALTERNATING)
    return View(
        map=map,
        board=board,
        rules=rules,
        params=params,
        player=player,
        players=players,
        phase=PHASES[state.phase[b]],
        round=int(state.round[b]),
        owner=owner,
        army=army,
        income=int(earned),
        offers=offers,
        picks_left=int(picks_left(params, state, b, player)),
        starts=starts if public else None,
        _last_round=last_round,
    )
