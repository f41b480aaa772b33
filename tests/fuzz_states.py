"""Damaged states and arguments for `EnvCore`, and their allowed results: ``python tests/fuzz_states.py CASES SEED``.

The program runs in its own process, because the errors that it looks for can end the process.
"""

from __future__ import annotations

import faulthandler
import functools
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from env_helpers import SMALL, as_game, equal
from fuzz.small_maps import STAR
from helpers import RING
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.engine.state import State
from warlight_env.envs import EnvCore
from warlight_env.envs.opponents import BotOpponent
from warlight_env.envs.snapshots import Snapshot
from warlight_env.envs.step import Turns
from warlight_env.errors import InputError

#: The arguments of the cores: map, rules, number of players, encoding, number of games.
KINDS: tuple[tuple[Any, Any, int, str, int], ...] = (
    (RING, {"picks": 1}, 2, "factored", 2),
    (SMALL, {"name": "challenge1", "picks": 1, "ranked": 2}, 3, "factored", 1),
    (SMALL, {"name": "challenge2", "picks": 2}, 3, "steps", 2),
    (STAR, {"picks": 1, "max_rounds": 6, "tie_break": "regions", "base_income": 0}, 2, "steps", 1),
    (SMALL, {"picks": 1, "offers_per_super_region": 0}, 6, "orders", 1),
    (SMALL, {"picking": "dealt", "picks": 1, "max_rounds": 8, "offers_per_super_region": 0}, 4, "factored", 1),
)
_WILD = (0, 1, -1, 2, 3, 5, 7, 63, 127, -128, 255, 1000, 2**15, 2**31 - 1, -(2**31), 2**32, 2**63 - 1, -(2**63))
_DTYPES = ("i1", "i2", "i4", "i8", ">i4", ">i8", "u1", "u4", "u8", "?", "f4", "f8", "c16", "O", "S3", "M8[s]")
_THINGS = (None, 5, 2.5, "x", (), [], {}, b"", np.int32(3), [[0, 1]], np.ma.masked_array([1, 2], [0, 1]))


class SilentError(AssertionError):
    """A rejected call changed the core, or a restored game continued differently."""


@functools.cache
def core_of(kind: int, twin: int = 0) -> EnvCore:
    """Return the core of a kind, created at the first call. Each `twin` is a separate core."""
    map_, rules, players, action, batch = KINDS[kind]
    return EnvCore(map_, rules, players, batch, action=action, observation="flat", max_cycles=25, reward="income")


@functools.cache
def snapshots(kind: int) -> tuple[Snapshot, ...]:
    """Return snapshots of random play: before the first game, during games, and after their end."""
    core, rng = core_of(kind), np.random.default_rng(kind)
    result = [core.snapshot()]
    for seed in range(3):
        core.reset([seed + 10 * b for b in range(core.batch)])
        result.append(core.snapshot())
        for _ in range(26):
            core.step(rows(core, rng))
            result.append(core.snapshot())
    return tuple(result)


def rows(core: EnvCore, rng: np.random.Generator) -> np.ndarray:
    """Return random actions. For `steps`, the mask allows most of them."""
    made = (rng.random((core.batch, core.slots, core.row_size)) * core.limits).astype(np.int64)
    made[rng.random(made.shape) < 0.4] = 0
    if core.settings.stepwise:
        upto = (core.out.mask + 1e-3).cumsum(-1)
        made[..., 0] = (upto > rng.random((*upto.shape[:2], 1)) * upto[..., -1:]).argmax(-1)
    return made


# Damages


def _value(array: np.ndarray, rng: random.Random) -> Any:
    """Return a copy of the array with a few extreme values."""
    changed = array.copy()
    if array.dtype == bool and array.size and rng.random() < 0.3:
        changed.view(np.uint8).reshape(-1)[rng.randrange(changed.size)] = rng.randrange(256)
        return changed
    for _ in range(rng.choice((1, 1, 1, 2, 5)) if changed.size else 0):
        at = rng.randrange(changed.size)
        if array.dtype.kind == "f":
            changed.reshape(-1)[at] = rng.choice((float("nan"), float("inf"), -1.0, 0.5, 1e300, -0.0))
            continue
        wild = rng.choice(_WILD) if rng.random() < 0.6 else int(changed.reshape(-1)[at]) + rng.choice((-1, 1))
        with np.errstate(over="ignore"):
            changed.reshape(-1)[at] = np.array(wild % 2**64, dtype=np.uint64).astype(array.dtype)
    return changed


def _shape(array: np.ndarray, rng: random.Random) -> Any:
    changes: tuple[Callable[[], Any], ...] = (
        lambda: array[:-1], lambda: array[None], lambda: array.reshape(-1), lambda: array[..., :-1], lambda: array[0],
        lambda: array.T, lambda: np.zeros(0, array.dtype), lambda: np.array(0, array.dtype),
        lambda: np.concatenate([array, array]), lambda: np.broadcast_to(array, (3, *array.shape)),
    )  # fmt: skip
    return rng.choice(changes)()


def _memory(array: np.ndarray, rng: random.Random) -> Any:
    """Return the values in another memory layout: another order, gaps, read-only, unaligned, or reversed."""
    way = rng.randrange(5)
    if way == 0:
        return np.asfortranarray(array)
    if way == 1:
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if way == 2:
        array = array.copy()
        array.flags.writeable = False
        return array
    if way == 3:
        raw = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:]
        raw[:] = np.frombuffer(array.tobytes(), dtype=np.uint8)
        return raw.view(array.dtype).reshape(array.shape)
    return array[::-1].copy()[::-1]


def _dtype(array: np.ndarray, rng: random.Random) -> Any:
    try:
        return array.astype(rng.choice(_DTYPES))
    except (TypeError, ValueError):
        return array.tolist()


def _swap(array: np.ndarray, rng: random.Random) -> Any:
    changed = array.copy()
    if changed.size > 1:
        flat = changed.reshape(-1)
        a, b = rng.randrange(flat.size), rng.randrange(flat.size)
        flat[a], flat[b] = flat[b], flat[a]
    return changed


def _thing(array: np.ndarray, rng: random.Random) -> Any:
    return rng.choice((*_THINGS, array.tolist(), array.astype(object), np.ma.masked_array(array)))


def damaged(array: Any, rng: random.Random) -> Any:
    """Return the array with one random error, or in another memory layout."""
    if type(array) is not np.ndarray or array.ndim == 0 or array.dtype.kind not in "biuf":
        return rng.choice(_THINGS)
    way = rng.choices((_value, _swap, _shape, _memory, _dtype, _thing), (10, 3, 2, 2, 2, 1))[0]
    return way(array, rng)


def damage(snapshot: Snapshot, rng: random.Random, other: Snapshot | None = None) -> Any:
    """Return a snapshot in which one or a few arrays are damaged, or come from another snapshot."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        part = rng.choice(Snapshot._fields[1:])
        if rng.random() < 0.4 and isinstance(snapshot.state, State):
            part = "state"
        if rng.random() < 0.3 and isinstance(snapshot.turns, Turns):
            part = "turns"
        old = getattr(snapshot, part)
        if other is not None and rng.random() < 0.15:
            new = getattr(other, part)
        elif isinstance(old, State | Turns) and rng.random() < 0.97:
            field = rng.choice(old._fields)
            copied = other is not None and isinstance(getattr(other, part), type(old)) and rng.random() < 0.15
            array = getattr(getattr(other, part), field) if copied else damaged(getattr(old, field), rng)
            new = old._replace(**{field: array})
        else:
            new = damaged(old, rng)
        snapshot = snapshot._replace(**{part: new})
    if rng.random() < 0.01:
        return rng.choice((None, tuple(snapshot), snapshot._replace(board="x"), snapshot._replace(board=None), 7))
    return snapshot


# Allowed results


def same(a: Any, b: Any) -> bool:
    """Whether two snapshots are equal."""
    return equal(plain(a), plain(b))


def plain(snapshot: Snapshot) -> list[Any]:
    """Return a snapshot as nested lists of arrays."""
    turns = [] if snapshot.turns is None else list(snapshot.turns)
    return [list(snapshot.state), list(snapshot[2:-1]), turns]


def try_state(kind: int, snapshot: Any, rng: random.Random) -> bool:
    """Restore a snapshot in a core; return whether the core accepted it.

    A rejected snapshot must not change the core. After an accepted one, two cores must continue in the same way and
    with valid states. If a turn is one action, `Game` must continue in the same way, too.
    """
    core, twin = core_of(kind), core_of(kind, 1)
    start = rng.choice(snapshots(kind))
    core.restore(start)
    features = core.out.features.copy()
    try:
        core.restore(snapshot)
    except InputError as error:
        if not str(error) or len(str(error)) > 500:
            raise SilentError(f"no reason, or too long a one: {error!r:.600}") from error
        if not same(core.snapshot(), start) or not np.array_equal(core.out.features, features):
            raise SilentError(f"refused, but something changed: {error}") from error
        return False
    if not same(core.snapshot(), snapshot):
        raise SilentError("taken, but it is another state")
    twin.restore(snapshot)
    draw = np.random.default_rng(rng.randrange(2**32))
    for _ in range(3):
        actions = rows(core, draw)
        games = _games(core, actions) if core.batch == 1 and not core.settings.stepwise else None
        core.step(actions)
        twin.step(actions.copy())
        if not same(core.snapshot(), twin.snapshot()) or not np.array_equal(core.out.features, twin.out.features):
            raise SilentError("two cores went on differently")
        if not np.isfinite(core.out.features).all():
            raise SilentError("features that are no numbers")
        if games is not None and games.to_dict()["state"] != as_game(core).to_dict()["state"]:
            raise SilentError("the games went on in another way than `Game` plays them")
        core.restore(core.snapshot())  # raises an error if the state is invalid
    return True


def _games(core: EnvCore, actions: np.ndarray) -> Any:
    """Play the actions with `Game`; return the game, or None if not all remaining players act now."""
    live = core.out.live[0]
    if core.state.phase[0] != 1 or not np.array_equal(live, core.state.eliminated_at[0] == 0):
        return None
    game, n, e = as_game(core), core.board.n_regions, core.board.n_edges
    turns = {}
    for p in np.flatnonzero(live).tolist():
        row = actions[0, p]
        action = {"deploy": row[:n], "attack": row[n : n + e], "priority": row[n + e :]} if len(row) > n + e else row
        turns[p] = core.encoding.decode(core.view(p), action)
    game.play_round(turns)
    return game


def try_call(kind: int, rng: random.Random) -> bool:
    """Call a public method with damaged arguments; return whether it succeeded. Rejected calls change nothing."""
    core = core_of(kind)
    core.restore(rng.choice(snapshots(kind)))
    draw = np.random.default_rng(rng.randrange(2**32))
    b, s, p = core.batch, core.slots, core.players
    bot = _bot()
    actions = rows(core, draw)
    flags, dropped = np.ones((b, s), np.int8), np.zeros((b, p), np.int32)
    chosen, after, rngs = np.zeros((b, p), np.int16), np.zeros(b, np.int8), np.ones((b, p, 2), np.uint64)

    def bad(value: Any) -> Any:
        return damaged(value, rng) if rng.random() < 0.5 else value

    def number() -> Any:
        return rng.choice((0, 1, p - 1, p, -1, b, 2**40, None, 0.5, "0", True, np.int8(0)))

    seeds = ([1] * b, [1], [], ["x"] * b, [2**70] * b, None)
    orders = (Orders(), Orders([(0, 1)], [(0, 1, 1)]), Orders([(0.5, 1)]), [0, 1], [0.5], None, "a")  # type: ignore[list-item]
    policy_kernel, pick = bot.kernels
    policy = rng.choice((policy_kernel, policy_kernel, pick, 5))
    calls: tuple[Callable[[], Any], ...] = (
        lambda: core.step(bad(actions), bad(dropped)),
        lambda: core.submit_actions(bad(actions), bad(dropped), bad(flags)),
        lambda: core.resolve(bad(np.ones(b, np.int8))),
        lambda: core.reset(rng.choice(seeds), rng.choice((None, [0], [b], [-1], 3))),
        lambda: core.submit_policy(policy, pick, bad(chosen), number(), bad(after), bad(rngs)),
        lambda: core.submit_choice(number(), number(), rng.choice(orders)),
        lambda: core.view(number(), number()),
        lambda: core.mask(number(), number()),
        lambda: core.shaped_mask(number(), number()),
        lambda: core.render("ansi", number()),
    )
    before = core.snapshot()
    submitted = _handed_in(core)
    try:
        rng.choice(calls)()
        core.resolve()
    except (InputError, OrdersTypeError) as error:
        if not same(core.snapshot(), before) or not equal(_handed_in(core), submitted):
            raise SilentError(f"refused, but something changed: {error}") from error
        return False
    core.restore(core.snapshot())  # raises an error if the state is invalid
    return True


def _handed_in(core: EnvCore) -> list[Any]:
    return [array.copy() for array in (*core.turns, core.out.illegal)]


@functools.cache
def _bot() -> BotOpponent:
    return BotOpponent("random")


def case(number: int, seed: int) -> bool:
    """Run case `number` of a seed, which depends only on these two; return whether the core accepted the input."""
    rng = random.Random(f"{seed} {number}")
    kind = rng.randrange(len(KINDS))
    if rng.random() < 0.3:
        return try_call(kind, rng)
    snapshot, other = rng.choice(snapshots(kind)), rng.choice(snapshots(kind))
    return try_state(kind, damage(snapshot, rng, other), rng)


def main() -> None:
    faulthandler.enable()
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    accepted = 0
    for number in range(count):
        try:
            accepted += case(number, seed)
        except BaseException:
            print(f"case {number} of seed {seed}", file=sys.stderr)
            raise
    print(f"{count} cases, {accepted} taken")


if __name__ == "__main__":
    main()
