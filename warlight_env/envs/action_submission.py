"""`CoreSubmission`: the methods of an `EnvCore` that submit the turns of learners, agents and compiled bots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.core.ccallback import CFunc

from warlight_env.agents.context import Context, picker_signature, policy_signature
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.weights import THESIS
from warlight_env.arguments import index, short_repr
from warlight_env.array_arguments import checked_array
from warlight_env.engine.callback_errors import raise_callback_errors
from warlight_env.engine.jit import JIT_DISABLED, address
from warlight_env.engine.orders import Orders, OrdersTypeError, check_turn, preferences_of
from warlight_env.engine.view import View
from warlight_env.envs.actions import Choice
from warlight_env.envs.actions.kernels import COUNT, READY, Turn
from warlight_env.envs.step import MOST_ILLEGAL, submit_actions, submit_and_resolve, submit_policy_turns
from warlight_env.envs.views import CoreViews
from warlight_env.errors import InputError
from warlight_env.step_results import dropped_orders

_NOTHING = "; no game has changed"
#: The comparison of an array's dtype with a dtype object is faster than with a scalar type such as `np.int8`.
_INT8, _INT64 = np.dtype(np.int8), np.dtype(np.int64)


class ActionError(InputError):
    """An error for an action outside the action space. After this error, no game has made a step."""

    def __init__(self, game: int, player: int, reason: str) -> None:
        super().__init__(f"game {game}, player {player}: {reason}")
        self.game, self.player, self.reason = game, player, reason

    def __reduce__(self) -> tuple[type[ActionError], tuple[int, int, str], dict[str, Any]]:
        return ActionError, (self.game, self.player, self.reason), {**vars(self), "args": self.args}


def tell_nothing_played(error: InputError) -> None:
    """Add the words "no game has changed" to the message of an error, unless the message already ends with these words.

    The message does not change if another package defines the class of the error.
    """
    if type(error).__module__.partition(".")[0] == __name__.partition(".")[0]:
        error.args = (f"{str(error).removesuffix(_NOTHING)}{_NOTHING}",)


def out_of_limits(game: int, player: int, row: npt.NDArray[Any], limits: npt.NDArray[np.int64]) -> ActionError:
    """Return the error for an action row; the message shows the first entry that is outside its limits."""
    i = int(np.flatnonzero((row < 0) | (row >= limits))[0])
    return ActionError(game, player, f"entry {i} is {row[i]}; it must lie in 0 .. {limits[i] - 1}")


def _preferences(player_view: View, choice: Any) -> tuple[list[int], int]:
    """Remove regions that are not offered, and repeated regions, from a list of preferred regions.

    Return the regions that are left in the list, and the number of entries that the function has removed.
    """
    try:
        preferences = preferences_of(choice, player_view.player)
    except OrdersTypeError as error:
        raise InputError(str(error)) from None
    offers = set(player_view.offers)
    preferred = [region for region in dict.fromkeys(preferences) if region in offers]
    return preferred, len(preferences) - len(preferred)


def _address_of(signature: Callable[[], Any], plug: Any) -> Any:
    compiled: Any = plug if isinstance(plug, CFunc) else None
    if not JIT_DISABLED and (compiled is None or compiled._sig.args != signature().args):
        raise InputError(f"{short_repr(plug)}: must be a result of `plug_in`, with the signature of this argument")
    return address(plug)


class CoreSubmission(CoreViews):
    """The part of `EnvCore` that converts actions and turns of players to the arrays of `turns`."""

    def _submit_rows(
        self,
        actions: npt.NDArray[np.integer[Any]],
        dropped: npt.NDArray[np.int32] | None,
        acting: npt.NDArray[np.int8],
        resolves: bool,
    ) -> None:
        """Submit the action rows int[B, S, K] of all players for whom the entry of `acting` int8[B, S] is not 0.

        `EnvCore.step` documents the errors.

        resolves: whether the same kernel call also plays the rounds of the games. One kernel call for both the
            submission of turns and the rounds saves tens of microseconds.
        """
        out, buffers, small = self.out, self.row_buffers, getattr(actions, "dtype", None) == _INT8
        shape, converted = buffers.converted.shape, None if small else buffers.converted
        # Kernels accept rows of int8 or int64: for a large batch, int8 rows need one eighth of the memory traffic.
        actions = checked_array(actions, "actions", _INT8 if small else _INT64, shape, converted)
        if dropped is not None:
            dropped = checked_array(dropped, "dropped", np.int32, (self.batch, self.players))
        before = out.illegal.copy()
        out.illegal[:] = 0 if dropped is None else dropped
        if resolves:
            invalid = submit_and_resolve(self.game_batch, acting, actions, buffers.every_game)
        else:
            invalid = submit_actions(self.game_batch, acting, actions)
        if invalid >= 0:
            out.illegal[:] = before
            games, slots, _ = shape
            if invalid >= games * slots:
                raise InputError(f"dropped[{invalid - games * slots}]: every number must be in 0 .. {MOST_ILLEGAL}")
            b, s = divmod(int(invalid), slots)
            raise out_of_limits(b, int(out.seat[b, s]), actions[b, s], self.limits)

    def submit_actions(
        self,
        actions: npt.NDArray[np.integer[Any]],
        dropped: npt.NDArray[np.int32] | None = None,
        acting: npt.NDArray[np.int8] | None = None,
    ) -> None:
        """Submit actions without playing a round. After `submit_actions`, a call of `resolve` completes the step.

        Each call sets `out.illegal` of all players anew, also of players without an action in this call.

        acting: int8[B, S], 0 for a slot whose row is ignored; None: no row is ignored. `step` documents the
            arguments `actions` and `dropped`, and the errors.
        """
        all_slots = self.row_buffers.all_slots
        acting = all_slots if acting is None else checked_array(acting, "acting", np.int8, all_slots.shape)
        self._submit_rows(actions, dropped, acting, False)

    def submit_choice(self, b: int, player: int, choice: Choice) -> None:
        """Submit a player's complete turn in game b; drop and count illegal orders or regions.

        choice: `Orders`, or a list of preferred regions while the players pick their start regions.
        """
        b, player = index(b, "b", self.batch), index(player, "player", self.players)
        player_view = self.view(player, b)
        turn = Turn(*(array[b, player] for array in self.turns))
        if isinstance(choice, Orders) == (player_view.phase == "pick"):
            expected = "a list of regions to pick" if player_view.phase == "pick" else "Orders"
            raise InputError(f"game {b}, player {player}: the turn must be {expected}, not {short_repr(choice)}")
        if isinstance(choice, Orders):
            count, dropped, reasons = check_turn(
                self.board, self.params, player_view.owner, player, player_view.income, choice, turn.deploy,
                turn.attacks,
            )  # fmt: skip
            if self.round_history is not None:
                self.round_history.record_dropped(b, player, dropped_orders(player, choice, reasons))
        else:
            preferred, dropped = _preferences(player_view, choice)
            count = len(preferred)
            turn.preferences[:count], turn.deploy[:] = preferred, 0
        turn.status[:] = 0
        turn.status[COUNT], turn.status[READY] = count, 1
        self.out.illegal[b, player] = min(int(self.out.illegal[b, player]) + dropped, 2**31 - 1)

    def submit_policy(
        self,
        policy: Any,
        pick: Any,
        chosen: npt.NDArray[np.int16],
        number: int,
        after: npt.NDArray[np.int8],
        rngs: npt.NDArray[np.uint64],
        context: Context | None = None,
    ) -> None:
        """Run a compiled bot for each player p of each game b with chosen[b, p] == number, and submit its turns.

        In game b, the bot submits turns only if the player with the number after[b] has already submitted a complete
        turn. Players whose turn is already complete keep this turn.

        Args:
            policy, pick: results of `plug_in` with the kinds "policy" and "picker".
            chosen: int16[B, P], the number of each player's bot. number: the number of this bot, 0 .. 2**15 - 1.
            after: int8[B], for each game a player; the bots move only after this player has submitted its turn.
            rngs: uint64[B, P, 2], the state of a random generator for each player; the call advances these states.
            context: the context argument of the bot; None: the thesis's evaluation and the built-in functions.

        Raises:
            InputError: an argument has the wrong type, or an entry of `after` is not a player. If a user's function
                raises an exception, this method raises the same exception. After any error no turn is submitted, and
                the generators do not change.
        """
        if context is None:
            context = make_context(self.board, self.params, self.players, THESIS)
        batch, players = self.batch, self.players
        generators = checked_array(rngs, "rngs", np.uint64, (batch, players, 2))
        if not rngs.flags.writeable:
            raise InputError("rngs must be writeable, because bots advance their generators")
        saved_status, saved_generators = self.turns.status.copy(), generators.copy()
        try:
            with raise_callback_errors():
                invalid = submit_policy_turns(
                    self.game_batch,
                    context,
                    _address_of(policy_signature, policy),
                    _address_of(picker_signature, pick),
                    checked_array(chosen, "chosen", np.int16, (batch, players)),
                    index(number, "number", 2**15),
                    checked_array(after, "after", np.int8, (batch,)),
                    generators,
                )
        except BaseException:
            self.turns.status[...], generators[...] = saved_status, saved_generators
            raise
        if invalid >= 0:
            raise InputError(f"after[{invalid}] = {after[invalid]}: must be a player in 0 .. {players - 1}")
        if generators is not rngs:
            rngs[...] = generators
