"""Environments check the callers' arrays before kernels use them."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from env_helpers import equal, make
from forked_python import run_in_copy
from fuzz_states import plain, same
from helpers import RING, make_map
from warlight_env import envs
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.engine.rules import RulesError
from warlight_env.engine.validity import StateError
from warlight_env.envs import EnvCore, FactoredActions, OrdersActions
from warlight_env.envs.parallel import EnvState
from warlight_env.errors import InputError

FUZZ = Path(__file__).parents[1] / "fuzz_states.py"


def core_in_play(action: str = "factored", batch: int = 1, **arguments: Any) -> EnvCore:
    """A core on a ring of six regions, in the middle of play: players 0 and 1 have one region each."""
    core = EnvCore(RING, {"picks": 1, **arguments}, batch=batch, action=action, picking="random")
    core.reset([1 + b for b in range(batch)])
    return core


def opponent_region(core: EnvCore, player: int) -> int:
    """The region of the opponent; each of the two players has one region."""
    return int(np.flatnonzero(core.state.owner[0] == 1 - player)[0])


def damage(core: EnvCore, field: str, at: Any, value: Any) -> Any:
    """A snapshot of the core with one changed number; the field belongs to the snapshot, its state or its turns."""
    snapshot = core.snapshot()
    for record in (snapshot, snapshot.state, snapshot.turns):
        if field in getattr(record, "_fields", ()):
            getattr(record, field)[at] = value
            return snapshot
    raise AssertionError(field)


def rejects(core: EnvCore, snapshot: Any, message: str) -> None:
    """Check that the core rejects the snapshot with this message and does not change."""
    before, features = core.snapshot(), core.out.features.copy()
    with pytest.raises(StateError, match=message):
        core.restore(snapshot)
    assert same(core.snapshot(), before) and np.array_equal(core.out.features, features)


# Numbers


@pytest.mark.parametrize(
    ("field", "at", "value", "message"),
    [
        ("owner", (0, 3), 2, r"game 0: owner of region 3 is 2: must lie in -1 \.\. 1"),
        ("owner", (0, 3), -2, "owner of region 3 is -2"),
        ("army", (0, 2), 0, "army of region 2 is 0: must lie in 1"),
        ("army", (0, 2), 2_000_001, "army of region 2 is 2000001"),
        ("offers", (0, 2), 1, "offers of region 2 are 1: must be 0, because"),
        ("offers", (0, 2), 255, r"offers of region 2 are 255: must lie in 0 \.\. 3"),
        ("phase", 0, 3, "phase is 3"),
        ("phase", 0, 0, "player 0 owns 1 regions, but has picked 0"),
        ("phase", 0, 2, "phase is 'over', but the game has not ended"),
        ("winner", 0, 2, r"winner is 2: must lie in -1 \.\. 1"),
        ("winner", 0, 1, "winner is 1: must be -1"),
        ("round", 0, -1, "round is -1"),
        ("round", 0, 2**31 - 1, "round is 2147483647"),
        ("turn", 0, 1, r"turn is 1: must lie in 0 \.\. 0"),
        ("eliminated_at", (0, 1), 1, r"eliminated_at of player 1 is 1: must lie in 0 \.\. round, 0"),
        ("rng", 0, 0, "rng must not be all 0"),
        ("cycles", 0, -1, "cycles is -1"),
        ("cycles", 0, 2**31 - 1, "cycles is 2147483647"),
        ("potential", (0, 1), np.nan, r"potential of player 1 must lie in 0 \.\. 1"),
        ("potential", (0, 1), 1.5, "potential of player 1"),
        ("reward", (0, 0), np.inf, "reward of player 0 must be a finite number"),
        ("illegal", (0, 0), -1, "illegal of player 0 is -1"),
        ("live", (0, 1), False, "player 1 must be exactly one of live, terminated and truncated"),
        ("terminated", (0, 1), True, "player 1 must be exactly one"),
    ],
)
def test_restore_error_names_the_invalid_number_and_changes_nothing(field, at, value, message):
    core = core_in_play()
    rejects(core, damage(core, field, at, value), message)


@pytest.mark.parametrize(
    ("field", "at", "value", "message"),
    [
        ("status", (0, 1, 0), 15, "turns: status of player 1 contains 15"),
        ("status", (0, 1, 0), -1, "turns: status of player 1 contains -1"),
        ("status", (0, 1, 2), 2, "turns: status of player 1 contains 2"),
        ("status", (0, 1, 1), -7, "turns: status of player 1 contains -7"),
        ("status", (0, 1, 0), 1, "turns: attack 0 of player 1: must be from a region of the player"),
        (
            "deploy",
            (0, 1, slice(None)),
            1,
            "turns: player 1 deploys 1 armies: must be 0 or more, and 0 on a region of another owner",
        ),
        ("deploy", (0, 1, slice(None)), -1, "turns: player 1 deploys -1 armies"),
    ],
)
def test_restore_error_names_invalid_turn_numbers(field, at, value, message):
    core = core_in_play("steps")
    rejects(core, damage(core, field, at, value), message)


def test_restore_error_names_illegal_turns():
    core = core_in_play("steps", max_orders=1)
    mine, theirs = opponent_region(core, 1), opponent_region(core, 0)
    near = [int(r) for r in core.map.neighbors[mine]]
    far = next(r for r in range(6) if r != mine and r not in near)
    for attack, message in [
        ((theirs, near[0], 1), "must be from a region of the player"), ((mine, far, 1), "to a neighbour"),
        ((mine, 99, 1), "region"),
        ((mine, near[0], 0), r"attacks with 0 armies: must lie in 1 \.\. 1000000"), ((mine, near[0], 2**30), "armies"),
    ]:  # fmt: skip
        saved = damage(core, "attacks", (0, 0, 0), attack)
        saved.turns.status[0, 0] = 1, 0, 0
        rejects(core, saved, message)
    saved = core.snapshot()
    saved.turns.deploy[0, 0, mine] = 6
    rejects(core, saved, "player 0 deploys 6 armies, but its income is 5")
    saved = core.snapshot()
    saved.turns.attacks[0, 0, :2] = [(mine, near[0], 1), (mine, near[1], 1)]
    saved.turns.status[0, 0] = 2, 0, 0
    rejects(core, saved, "player 0 has 2 deploys, or 2 attacks, but the rules allow 1")
    free = core_in_play("steps")
    saved = free.snapshot()
    mine = opponent_region(free, 1)
    saved.turns.attacks[0, 0, :2] = (mine, free.map.neighbors[mine][0], 1)
    saved.turns.status[0, 0] = 2, 0, 0
    rejects(free, saved, "once for each pair")


def test_restore_error_names_invalid_preferences():
    core = EnvCore(RING, {"picks": 1}, action="steps")
    core.reset([1])
    offered = [int(r) for r in np.flatnonzero(core.state.offers[0] & 1)]
    closed = next(r for r in range(6) if r not in offered)
    for preferences in ([closed], [offered[0], offered[0]], [77], [-1]):
        saved = core.snapshot()
        saved.turns.preferences[0, 0, : len(preferences)] = preferences
        saved.turns.status[0, 0, 0] = len(preferences)
        rejects(core, saved, f"player 0 prefers region {preferences[-1]}: it is not offered, or in the list twice")


def test_restore_error_names_impossible_positions():
    core = core_in_play()
    saved = core.snapshot()
    saved.state.owner[0] = [0, 0, -1, -1, -1, -1]
    rejects(core, saved, "player 1 is not eliminated, but owns no region")
    saved.state.round[0], saved.state.eliminated_at[0, 1] = 3, 2
    rejects(core, saved, "phase is 'play', but the game is over")
    saved.state.phase[0] = 2
    rejects(core, saved, "winner is -1: must be 0")
    saved.state.winner[0] = 0
    rejects(core, saved, "terminated of player 0 is 0: must be 1")
    saved.terminated[:], saved.live[:] = True, False
    core.restore(saved)
    assert core.out.terminated.all() and not core.out.live.any()


def test_restore_error_names_offers_of_too_few_regions():
    core = EnvCore(RING, {"picks": 1})
    core.reset([1])
    saved = core.snapshot()
    saved.state.offers[0] = 0
    rejects(core, saved, "offers leave player 0 too few regions to pick: 0 of 1")
    saved.state.offers[0] = 3
    rejects(core, saved, "must be to only one player")
    ranked = EnvCore(RING, {"name": "challenge1", "picks": 1, "ranked": 2})
    ranked.reset([1])
    saved = ranked.snapshot()
    saved.state.offers[0] = [3, 0, 0, 0, 0, 0]
    rejects(ranked, saved, "offers leave too few regions to pick: 1 of 2")
    alternating = EnvCore(RING, {"name": "challenge2", "picks": 1, "wastelands": 0})
    alternating.reset([1])
    saved = alternating.snapshot()
    saved.state.owner[0, 5], saved.state.offers[0, 5] = 1, 0
    rejects(alternating, saved, "player 1 owns 1 regions, but has picked 0")


# Arrays


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(np.int64), lambda a: a.astype(">i4"), lambda a: a.astype(object), lambda a: a.tolist(),
        lambda a: a[:, :-1], lambda a: a[None], lambda a: np.zeros((0, 6), np.int32), lambda a: None,
        lambda a: np.ma.masked_array(a),
    ],
)  # fmt: skip
def test_restore_rejects_arrays_of_another_dtype_or_shape(change):
    core = core_in_play()
    saved = core.snapshot()
    rejects(core, saved._replace(state=saved.state._replace(army=change(saved.state.army))), "^army must be an array")
    rejects(core, saved._replace(state=tuple(saved.state)), "must be a `Snapshot`")
    rejects(core, None, "must be a `Snapshot`")


def test_restore_accepts_any_memory_layout_and_copies_the_arrays():
    core = core_in_play(batch=2)
    saved = core.snapshot()
    army = np.asfortranarray(saved.state.army)
    army.flags.writeable = False
    core.restore(
        saved._replace(state=saved.state._replace(army=army, owner=core.state.owner))
    )  # one is the core's array
    assert same(core.snapshot(), saved)
    core.step(np.full((2, 2, core.row_size), 4))
    assert np.array_equal(army, saved.state.army)


def test_restore_discards_submitted_actions():
    core, other = core_in_play(), core_in_play()
    saved, rows = core.snapshot(), np.zeros((1, 2, core.row_size), dtype=np.int64)
    core.submit_actions(rows + 4)
    core.restore(saved)
    core.step(rows)
    other.step(rows)
    assert same(core.snapshot(), other.snapshot())


@pytest.mark.parametrize("state", [None, 5, (None, None), EnvState(None, None), EnvState(5, {})])  # type: ignore[arg-type]
def test_set_state_rejects_other_objects(state):
    env = make()
    env.reset(seed=1)
    before = pickle.dumps(env.get_state())
    with pytest.raises(InputError):
        env.set_state(state)
    assert pickle.dumps(env.get_state()) == before


def test_set_state_checks_and_copies_the_random_generator_state():
    env = make()
    env.reset(seed=1)
    saved = env.get_state()
    other, none = {"bit_generator": "MT19937"}, {"state": {"state": -1}}
    wrong: list[Any] = [{}, 5, "x", {**saved.random, **other}, {**saved.random, **none}]
    for random in wrong:
        before = pickle.dumps(env.get_state())
        with pytest.raises(InputError, match="random must be None or the state"):
            env.set_state(EnvState(saved.snapshot, random))
        assert pickle.dumps(env.get_state()) == before
    kept = copy.deepcopy(saved.random)
    env.set_state(saved)
    saved.random["state"]["state"] = 7
    env.get_state().random["state"]["state"] = 8
    assert env.get_state().random == kept


def test_refresh_observations_checks_the_position():
    core = core_in_play()
    core.state.owner[0, 3] = 2
    with pytest.raises(StateError, match="owner of region 3 is 2"):
        core.refresh_observations()


# Arguments


def test_core_methods_reject_invalid_arguments_and_change_nothing():
    core = core_in_play(batch=2)
    rows, flags = np.zeros((2, 2, core.row_size), dtype=np.int64), np.ones((2, 2), dtype=np.int8)
    before = core.snapshot()
    for call, message in [
        (lambda: core.step(rows.tolist()), "actions must be an array"),
        (lambda: core.step(rows[:, :1]), "actions must be integers of shape"),
        (lambda: core.step(rows.astype(float)), "actions must be integers"),
        (lambda: core.step(rows, np.zeros(2, np.int32)), "dropped must be integers of shape"),
        (lambda: core.step(rows, np.full((2, 2), -1)), r"dropped\[0\]: every number must be in 0"),
        (lambda: core.step(rows, np.full((2, 2), 2**40)), "dropped must fit into int32"),
        (lambda: core.submit_actions(rows, None, flags[:, :1]), "acting must be integers of shape"),
        (lambda: core.submit_actions(rows, None, flags * 0.5), "acting must be integers"),
        (lambda: core.resolve(flags[:, :1]), "selected must be integers of shape"),
        (lambda: core.resolve(np.zeros(0, np.int8)), "selected must be integers"),
        (lambda: core.resolve([1, 1]), "selected must be an array"),
        (lambda: core.submit_choice(2, 0, Orders()), r"b = 2: must be an integer in 0 \.\. 1"),
        (lambda: core.submit_choice(-1, 0, Orders()), "b = -1"),
        (lambda: core.submit_choice(0, 2, Orders()), "player = 2"),
        (lambda: core.submit_choice(0, 0, [1]), "must be Orders"),
        (lambda: core.submit_choice(0, 0, None), "must be Orders"),
        (lambda: core.submit_choice(0, 0, Orders([(0.5, 1)])), "deploys must"),
        (lambda: core.view(5), "player = 5"),
        (lambda: core.mask(0, 7), "b = 7"),
        (lambda: core.mask(-1), "slot = -1"),
        (lambda: core.render("ansi", 2), "b = 2"),
        (lambda: core.set_slots(1.5), "slots = 1.5"),
        (lambda: core.reset([None, 1]), "seeds = .*must be a list of integers"),
        (lambda: core.reset([1], [0.5]), "games = .*must be a list of integers"),
    ]:
        with pytest.raises((InputError, OrdersTypeError), match=message):
            call()
        assert same(core.snapshot(), before) and not core.turns.status.any()


@pytest.mark.parametrize("change", [
    lambda a: a.astype(np.int64), lambda a: a.astype(bool), lambda a: np.asfortranarray(a.astype(np.uint16)),
    lambda a: np.broadcast_to(a, a.shape), lambda a: a.astype(">i2"),
])  # fmt: skip
def test_integers_of_another_dtype_and_read_only_arrays_are_converted(change):
    """No kernel is compiled again, because that takes as long as hundreds of thousands of steps."""
    from warlight_env.envs import step

    core, other = core_in_play(batch=2), core_in_play(batch=2)
    rows, flags, selected = np.full((2, 2, core.row_size), 1), np.ones((2, 2), np.int8), np.array([1, 0], np.int8)
    core.submit_actions(rows, None, flags)
    core.resolve(selected)
    kernels = len(step.submit_actions.signatures), len(step.resolve.signatures)
    other.submit_actions(change(rows), change(np.zeros((2, 2), np.int32)), change(flags))
    other.resolve(change(selected))
    assert same(core.snapshot(), other.snapshot())
    assert (len(step.submit_actions.signatures), len(step.resolve.signatures)) == kernels


def test_state_with_the_largest_cycle_count_can_be_restored():
    core = core_in_play()
    core.restore(damage(core, "cycles", 0, 2**31 - 2))
    core.step(np.zeros((1, core.slots, core.row_size), np.int64))
    assert not core.out.live.any()
    core.restore(core.snapshot())
    rejects(core, damage(core, "live", (0, 0), 1), "cycles is 2147483647: must lie in 0 .. 2147483646")


def test_core_before_its_first_game_accepts_only_empty_turns():
    core = EnvCore(RING, {"picks": 1}, action="steps")
    rejects(core, damage(core, "status", (0, 1, 0), 63), "game 0: turns: status of player 1")
    rejects(core, damage(core, "status", (0, 1, 0), 2), "prefers region")
    core.restore(core.snapshot())


def test_submit_policy_rejects_invalid_arguments():
    from warlight_env.envs.opponents import BotOpponent

    core, (policy, pick) = core_in_play(batch=2), BotOpponent("random").kernels
    chosen, after, rngs = np.zeros((2, 2), np.int16), np.zeros(2, np.int8), np.ones((2, 2, 2), np.uint64)
    before = core.snapshot()
    for arguments, message in [
        ((pick, pick, chosen, 0, after, rngs), "`plug_in`"),
        ((12345, pick, chosen, 0, after, rngs), "`plug_in`"),
        ((policy, pick, chosen[:1], 0, after, rngs), "chosen must be"),
        ((policy, pick, chosen, 0, after + 2, rngs), r"after\[0\] = 2: must be a player"),
        ((policy, pick, chosen, 0, after - 1, rngs), r"after\[0\] = -1: must be a player"),
        ((policy, pick, chosen, 0, after, rngs[:1]), "rngs must be"),
        ((policy, pick, chosen, "0", after, rngs), "number = '0'"),
        ((policy, pick, chosen, 0, after, np.broadcast_to(rngs[0], (2, 2, 2))), "rngs must be writeable"),
    ]:
        with pytest.raises(InputError, match=message):
            core.submit_policy(*arguments)
        assert same(core.snapshot(), before) and not core.turns.status.any()


class _Short(OrdersActions):
    """An encoding with rows that are shorter than its kernel reads."""

    @property
    def limits(self) -> Any:
        return super().limits[:-1]


class _Wide(FactoredActions):
    """An encoding with fewer mask rows than its kernel writes."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.mask_rows -= 1


class _Spaceless(FactoredActions):
    """An encoding without an action space."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        del self.space


@pytest.mark.parametrize("action", [_Short, _Wide, _Spaceless, lambda board, params: None, 5])
def test_core_rejects_encodings_with_inconsistent_sizes(action):
    with pytest.raises(ValueError, match="action"):
        EnvCore(RING, {"picks": 1}, action=action)


def test_failed_start_deal_changes_nothing():
    """On a line of four regions, two random regions are available; they are neighbours in half of the deals."""
    line = make_map([0] * 4, [(0, 1), (1, 2), (2, 3)], [1], "line")
    rules = {"picking": "dealt", "picks": 1, "dealt_apart": True, "offers_per_super_region": 0, "wastelands": 2.0}
    core = EnvCore(line, rules, batch=2)
    failed = 0
    for seed in range(40):
        before = plain(core.snapshot())
        try:
            core.reset([seed, seed + 1])
        except RulesError:
            failed += 1
            assert equal(plain(core.snapshot()), before)
    assert 10 < failed < 40


def test_failed_start_deal_keeps_the_submitted_turns_of_other_games():
    line = make_map([0] * 4, [(0, 1), (1, 2), (2, 3)], [1], "line")
    rules = {"picking": "dealt", "picks": 1, "dealt_apart": True, "offers_per_super_region": 0, "wastelands": 2.0}
    core, seed = EnvCore(line, rules, batch=2), 0
    while True:  # find a seed with a valid deal; other seeds fail below
        try:
            core.reset([seed, seed])
            break
        except RulesError:
            seed += 1
    core.submit_actions(np.zeros((2, core.slots, core.row_size), np.int64), acting=np.array([[0, 0], [1, 0]], np.int8))
    before, failed = core.turns.status.copy(), 0
    assert before[1].any()
    for seed in range(20):
        try:
            core.clone().reset([seed], [0])
        except RulesError:
            failed += 1
            with pytest.raises(RulesError):
                core.reset([seed], [0])
            assert (core.turns.status == before).all()
    assert failed > 3


def test_step_rejects_masked_arrays():
    core = core_in_play()
    for mask in (np.ma.nomask, True):
        rows = np.ma.masked_array(np.zeros((1, core.slots, core.row_size), np.int32), mask)
        with pytest.raises(InputError, match="masked"):
            core.step(rows)


# Fuzzing


def run_fuzzer(cases: int, seed: int) -> None:
    """Run the fuzzer with this number of damaged states and calls in another process, which may crash."""
    process = run_in_copy(FUZZ, str(cases), str(seed), folder=Path.cwd())
    assert process.returncode == 0, process.stdout[-3000:]
    assert int(process.stdout.split()[2]) > cases / 5


def test_damaged_states_and_calls_raise_an_error_or_work():
    run_fuzzer(200, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_many_damaged_states_and_calls_raise_an_error_or_work(seed):
    run_fuzzer(10_000, seed)


def test_environments_raise_no_plain_value_errors():
    """They raise `InputError` instead, which is a `ValueError`, as libraries expect."""
    folder = Path(envs.__file__).parent
    raised = [
        f"{file.relative_to(folder)}, line {node.lineno}"
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and re.match("raise ValueError", ast.unparse(node))
    ]
    assert not raised and issubclass(InputError, ValueError)


def test_a_state_of_an_environment_with_another_shaping_is_refused():
    env, other = make(reward="income"), make(reward="win")
    env.reset(seed=1)
    other.reset(seed=1)
    before = pickle.dumps(env.get_state())
    with pytest.raises(InputError, match="reward shaping 'none', not 'income'"):
        env.set_state(other.get_state())
    assert pickle.dumps(env.get_state()) == before
