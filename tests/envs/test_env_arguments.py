"""Invalid arguments of environments: an `InputError` names the argument, and the state does not change."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest

from env_helpers import SMALL, equal, make_single
from helpers import position
from warlight_env import Game
from warlight_env.envs import (
    EnvCore,
    OpponentPool,
    WarlightEnv,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightParallelEnv,
    WarlightVectorEnv,
    make_opponent,
)
from warlight_env.envs.core_arguments import UnknownArgumentError
from warlight_env.envs.sb3 import WarlightVecEnv
from warlight_env.errors import InputError
from warlight_env.tensor_env import WarlightTensorVectorEnv

SETTINGS: dict[str, Any] = {"map": SMALL, "action": "factored", "max_cycles": 20}
ENV_FACTORIES = {
    "single": lambda: make_single(),
    "vector": lambda: WarlightVectorEnv(2, **SETTINGS),
    "parallel": lambda: WarlightParallelEnv(**SETTINGS),
    "maps": lambda: WarlightMapsEnv([SMALL], action="factored"),
    "maps vector": lambda: WarlightMapsVectorEnv(2, map=[SMALL], action="factored"),
}


@functools.cache
def cached_env(name: str) -> Any:
    """Return an environment of this kind; it is created only once."""
    env = ENV_FACTORIES[name]()
    env.reset(seed=1)
    return env


class Failing:
    """An object whose conversions fail."""

    def __index__(self) -> int:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError

    def __array__(self, *arguments: Any, **names: Any) -> Any:
        raise ZeroDivisionError


def snapshot_of(env: Any) -> Any:
    """The snapshot that determines how the environment's games continue."""
    core = env.core if isinstance(env, WarlightParallelEnv) else None
    if core is None:
        episodes = env.episodes
        core = episodes.core_of(0)[0] if isinstance(env, WarlightMapsEnv | WarlightMapsVectorEnv) else episodes.core
    return core.snapshot()


INVALID_VALUES: tuple[Any, ...] = (
    3, "x", [], (), 1.5, True, b"x", np.zeros(2), Failing(), 10**5000, [{}], np.zeros((2, 0), np.int8),
)  # fmt: skip


@pytest.mark.parametrize("name", ENV_FACTORIES)
@pytest.mark.parametrize("options", INVALID_VALUES, ids=lambda value: type(value).__name__)
def test_reset_rejects_options_that_are_not_a_dict(name, options):
    env = cached_env(name)
    before = snapshot_of(env)
    with pytest.raises(InputError, match="options"):
        env.reset(options=options)
    assert equal(snapshot_of(env), before)


@pytest.mark.parametrize("name", ENV_FACTORIES)
@pytest.mark.parametrize("seed", ["x", -1, 1.5, b"", np.array([1, 2, 3]), {}, True, Failing(), -(10**400)],
                         ids=lambda value: type(value).__name__)  # fmt: skip
def test_reset_rejects_invalid_seeds(name, seed):
    env = cached_env(name)
    before = snapshot_of(env)
    with pytest.raises(InputError, match="seed"):
        env.reset(seed=seed)
    assert equal(snapshot_of(env), before)


@pytest.mark.parametrize("name", ENV_FACTORIES)
def test_reset_accepts_large_seeds_and_numpy_integers(name):
    env = cached_env(name)
    large, alike = env.reset(seed=2**70), env.reset(seed=2**70)
    assert equal(large, alike)
    assert equal(env.reset(seed=np.int64(5)), env.reset(seed=5))


@pytest.mark.parametrize("seed", [[1], [1, "x"], [1, -1], [1, 1.5], [[1], [2]]])
def test_vector_reset_checks_all_seeds_before_it_uses_one(seed):
    env = WarlightVectorEnv(2, **SETTINGS)
    env.reset(seed=1)
    expected = WarlightVectorEnv(2, **SETTINGS)
    expected.reset(seed=1)
    with pytest.raises(InputError, match="seed"):
        env.reset(seed=seed)
    assert equal(env.reset(), expected.reset())


@pytest.mark.parametrize("name", ENV_FACTORIES)
@pytest.mark.parametrize("action", [None, *INVALID_VALUES], ids=lambda value: type(value).__name__)
def test_step_rejects_invalid_actions(name, action):
    env = cached_env(name)
    before = snapshot_of(env)
    with pytest.raises(InputError, match="action"):
        env.step(action)
    assert equal(snapshot_of(env), before)


@pytest.mark.parametrize("mask", [None, 3, "x", [1, 0], np.ones(2), np.zeros(2, bool), np.ones(3, bool), [[True], []]],
                         ids=lambda value: type(value).__name__)  # fmt: skip
def test_reset_rejects_invalid_reset_masks(mask):
    env = cached_env("vector")
    before = snapshot_of(env)
    with pytest.raises(InputError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})
    assert equal(snapshot_of(env), before)


def test_rejected_start_does_not_advance_the_seed_stream():
    env, twin = make_single(players=3, seat="random"), make_single(players=3, seat="random")
    lost = position(Game(SMALL, players=3, picks="random"), [0] * 6 + [1] * 6, [1] * 12)
    for each in (env, twin):
        each.reset(seed=1)
    with pytest.raises(InputError, match="the learner's seat may be eliminated"):
        env.reset(options={"start": lost})
    assert equal(env.reset(), twin.reset())


INVALID_INDICES = (-1, 2, 99, 0.0, None, "0", True, 2**70, Failing(), np.array([0, 1]), [0])


@functools.cache
def core(action: str = "factored") -> EnvCore:
    """A core of two games."""
    env_core = EnvCore(SMALL, batch=2, action=action, picking="random")
    env_core.reset([1, 2])
    return env_core


@pytest.mark.parametrize("action", ["factored", "orders"])
@pytest.mark.parametrize("wrong", INVALID_INDICES, ids=lambda value: type(value).__name__)
def test_core_methods_reject_invalid_slot_game_and_player_indices(action, wrong):
    games, encoding = core(action), core(action).encoding
    rows, out = np.zeros((2, encoding.limits.size), np.int64), np.zeros((2, games.row_size), np.int64)
    calls = (
        lambda: games.player_views(wrong), lambda: games.flat_masks(wrong), lambda: games.mask(wrong),
        lambda: games.mask(0, wrong), lambda: games.shaped_mask(wrong), lambda: games.view(wrong),
        lambda: games.view(0, wrong), lambda: games.render("ansi", wrong), lambda: games.submit_choice(wrong, 0, []),
        lambda: games.read_rows(rows, np.arange(2), wrong, out), lambda: games.submit_choice(0, wrong, []),
        lambda: cached_env("vector").render_game(wrong), lambda: cached_env("maps vector").render_game(wrong),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(InputError, match="must be an integer"):
            call()


@pytest.mark.parametrize("wrong", [
    np.array([0, 2]), np.array([-1]), np.array([0.0]), np.zeros((1, 1), int), np.array(0), "x", None, 1.5,
    [[0], [1, 2]], slice("a", None), slice(0, 2, 0), np.array([True, False]), Failing(),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_observation_and_mask_calls_reject_invalid_game_arrays(wrong):
    for action in ("factored", "orders"):
        for look in (core(action).player_views, core(action).flat_masks):
            with pytest.raises(InputError, match="games"):
                look(0, wrong)


def test_masks_of_zero_games_keep_their_width():
    for action in ("factored", "orders"):
        masks = core(action).flat_masks(0)
        assert core(action).flat_masks(0, slice(0, 0)).shape == (0, masks.shape[1])


@pytest.mark.parametrize("agent", [None, 0, "player_9", [], np.array([1, 2]), 1.5])
def test_parallel_env_methods_reject_unknown_agents(agent):
    env = cached_env("parallel")
    for ask in (env.observe, env.action_masks, env.view, env.action_space, env.observation_space):
        with pytest.raises(InputError, match="must be one of player_0, player_1"):
            ask(agent)


def test_other_core_methods_reject_invalid_arguments():
    games = core()
    before = games.snapshot()
    for call, message in (
        (lambda: games.new_like("x"), "batch"),
        (lambda: games.set_slots(None), "slots"),
        (lambda: games.reset(3), "seeds"),
        (lambda: games.reset([1], [7]), "games"),
        (lambda: games.refresh_observations(turns_only=np.zeros(2)), "turns_only"),
        (lambda: games.render("xml"), "render_mode"),
        (lambda: games.restore(3), "Snapshot"),
        (lambda: setattr(games, "max_cycles", 0.5), "max_cycles"),
    ):
        with pytest.raises(InputError, match=message):
            call()
    assert equal(games.snapshot(), before)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"autoreset_mode": "later"}, "autoreset_mode"), ({"max_episode_steps": b""}, "max_cycles"),
    ({"render_mode": np.zeros(2)}, "render_mode"), ({"seat": np.zeros(2)}, "seat"), ({"mask": np.zeros(2)}, "mask"),
    ({"picking": np.zeros(2)}, "picking"), ({"reward": np.zeros(2)}, "reward"), ({"opponent": 10**5000}, "opponent"),
])  # fmt: skip
def test_vector_env_rejects_invalid_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        WarlightVectorEnv(2, **{**SETTINGS, **arguments})


@pytest.mark.parametrize(("kind", "further", "refused"), [
    (WarlightVectorEnv, set(), set()), (WarlightMapsVectorEnv, {"map_limits"}, {"observation"}),
    (WarlightMapsEnv, {"map_limits"}, {"observation"}), (WarlightVecEnv, {"map_limits"}, set()),
    (WarlightTensorVectorEnv, set(), {"mask", "render_mode"}),
])  # fmt: skip
def test_the_error_for_an_unknown_argument_names_exactly_the_possible_arguments(kind, further, refused):
    with pytest.raises(UnknownArgumentError, match=r"^unknown arguments 'oponent'; known: ") as error:
        kind(**{"num_envs": 2, "oponent": "random"} if kind is not WarlightMapsEnv else {"oponent": "random"})
    named = str(error.value).partition("known: ")[2].split(", ")
    signatures = [inspect.signature(kind), inspect.signature(WarlightEnv)]
    expected = {p.name for s in signatures for p in s.parameters.values() if p.kind is not p.VAR_KEYWORD}
    assert sorted(named) == sorted((expected | further) - refused)


@pytest.mark.parametrize(("kind", "arguments", "message"), [
    (WarlightVectorEnv, {"map_limits": (60, 400)}, "map_limits = .*: only environments of many maps"),
    (WarlightMapsVectorEnv, {"observation": "flat"}, "observation: environments of many maps have a fixed observation"),
])  # fmt: skip
def test_arguments_of_the_other_kind_of_environment_get_a_specific_error(kind, arguments, message):
    with pytest.raises(InputError, match=message):
        kind(2, **arguments)


def test_opponent_pool_rejects_invalid_arguments():
    pool = OpponentPool({"random": 1.0})
    for call, message in (
        (lambda: OpponentPool([1]), "weights"),
        (lambda: pool.add(3, "random"), "name"),
        (lambda: pool.remove([]), "no opponent"),
        (lambda: pool.set_weight({}, 1.0), "no opponent"),
        (lambda: pool.draw("x"), "seed"),
        (lambda: make_opponent(10**5000), "opponent"),
    ):
        with pytest.raises(InputError, match=message):
            call()
    assert pool.weights == {"random": 1.0}
