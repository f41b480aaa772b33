"""The CUDA kernels of a batch of games: one thread plays one game.

`make_kernels` builds the kernels for one action encoding and its opponents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numba import cuda

from warlight_env.envs.actions import ActionEncoding
from warlight_env.envs.actions.kernels import mask_at, no_mask, submit_at
from warlight_env.envs.restarting_games import finish, observe, play, submit_bots, submit_learners
from warlight_env.envs.step import GameBatch
from warlight_env.tensor_env.games import Bot
from warlight_env.tensor_env.linking import Linker, device_function
from warlight_env.tensor_env.records import mapped, row_reader


class Sources(NamedTuple):
    """The kernels of a batch as Python functions for CUDA, and the names of the fields that they read."""

    submit: Callable[..., Any]  #: (games, seats, actions)
    bots: tuple[Callable[..., Any], ...]  #: (games, seats, number), one for each opponent
    play: Callable[..., Any]  #: (games, seats)
    observe: Callable[..., Any]  #: (games, seats, opening)
    finish: Callable[..., Any]  #: (games, seats)
    names: set[str]
    digest: Callable[..., str]  #: see `Linker.digest`


def make_kernels(encoding: ActionEncoding, bots: Sequence[Bot], work: Any) -> Sources:
    """Return the kernels for an action encoding and compiled bots. Equal arguments give the same functions.

    work: the working memory of one thread.
    """
    key = encoding.submit, encoding.write_mask or no_mask, tuple((bot.policy, bot.pick) for bot in bots)
    if key not in _made:
        _made[key] = _make_kernels(*key, work)
    return _made[key]


#: All results of `make_kernels` in this process.
_made: dict[Any, Sources] = {}


def _make_kernels(submit_row: Any, write_mask: Any, bots: tuple[tuple[Any, Any], ...], work: Any) -> Sources:
    linker = Linker({submit_at: submit_row, mask_at: write_mask})
    device = linker.device
    submit_game, play_game = device(submit_learners), device(play)
    observe_game, finish_game = device(observe), device(finish)
    players = [(device(submit_bots), device(policy), device(pick)) for policy, pick in bots]
    rows = device_function(row_reader(mapped(work, lambda array: array, linker.names)))

    @device_function
    def own(games: Any, b: int) -> Any:
        """Return the batch with the working memory of thread b."""
        return GameBatch(
            games.context, games.settings, games.submit_address, games.mask_address, games.config, games.limits,
            games.state, games.out, games.turns, games.bits, rows(games.work, b),
        )  # fmt: skip

    def submit(games: Any, seats: Any, actions: Any) -> None:
        b = cuda.grid(1)
        if b < actions.shape[0]:
            submit_game(own(games, b), seats, actions, b)

    def play_rounds(games: Any, seats: Any) -> None:
        b = cuda.grid(1)
        if b < seats.ended.shape[0]:
            play_game(own(games, b), seats, b)

    def observe_games(games: Any, seats: Any, opening: bool) -> None:
        b = cuda.grid(1)
        if b < seats.ended.shape[0]:
            observe_game(own(games, b), seats, opening, b)

    def finish_games(games: Any, seats: Any) -> None:
        b = cuda.grid(1)
        if b < seats.ended.shape[0]:
            finish_game(own(games, b), seats, b)

    def bot_kernel(submit_turns: Any, policy: Any, pick: Any) -> Callable[..., Any]:
        def submit_bot(games: Any, seats: Any, number: int) -> None:
            b = cuda.grid(1)
            if b < seats.ended.shape[0]:
                submit_turns(own(games, b), seats, games.context, policy, pick, number, b)

        return submit_bot

    kernels = tuple(bot_kernel(*functions) for functions in players)
    return Sources(submit, kernels, play_rounds, observe_games, finish_games, linker.names, linker.digest)
