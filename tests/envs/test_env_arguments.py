"""Wrong arguments of environments: an `InputError` names the error, and the state does not change."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from env_helpers import SMALL, equal, make_single
from helpers import position
from warlight_env import Game
from warlight_env.envs import (
    EnvCore,
    OpponentPool,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightParallelEnv,
    WarlightVectorEnv,
    make_opponent,
)
from warlight_env.errors import InputError

SETTINGS: dict[str, Any] = {"map": SMALL, "action": "factored", "max_cycles": 20}
FRONTS = {
    "single": lambda: make_single(),
    "vector": lambda: WarlightVectorEnv(2, **SETTINGS),
    "parallel": lambda: WarlightParallelEnv(**SETTINGS),
    "maps": lambda: WarlightMapsEnv([SMALL], action="factored"),
    "maps vector": lambda: WarlightMapsVectorEnv(2, map=[SMALL], action="factored"),
}


@functools.cache
def front(name: str) -> Any:
    """An environment, made once."""
    env = FRONTS[name]()
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


def game_of(env: Any) -> Any:
    """What decides how an environment's games go on."""
    core = env.core if isinstance(env, WarlightParallelEnv) else None
    if core is None:
        episodes = env.episodes
        core = episodes.core_of(0)[0] if isinstance(env, WarlightMapsEnv | WarlightMapsVectorEnv) else episodes.core
    return core.snapshot()


WRONG: tuple[Any, ...] = (
    3, "x", [], (), 1.5, True, b"x", np.zeros(2), Failing(), 10**5000, [{}], np.zeros((2, 0), np.int8),
)  # fmt: skip


@pytest.mark.parametrize("name", FRONTS)
@pytest.mark.parametrize("options", WRONG, ids=lambda value: type(value).__name__)
def test_options_that_are_no_dict(name, options):
    env = front(name)
    before = game_of(env)
    with pytest.raises(InputError, match="options"):
        env.reset(options=options)
    assert equal(game_of(env), before)


@pytest.mark.parametrize("name", FRONTS)
@pytest.mark.parametrize("seed", ["x", -1, 1.5, b"", np.array([1, 2, 3]), {}, True, Failing(), -(10**400)],
                         ids=lambda value: type(value).__name__)  # fmt: skip
def test_seeds_that_are_none(name, seed):
    env = front(name)
    before = game_of(env)
    with pytest.raises(InputError, match="seed"):
        env.reset(seed=seed)
    assert equal(game_of(env), before)


@pytest.mark.parametrize("name", FRONTS)
def test_seeds_of_any_size_and_numpy_s_integers(name):
    env = front(name)
    large, alike = env.reset(seed=2**70), env.reset(seed=2**70)
    assert equal(large, alike)
    assert equal(env.reset(seed=np.int64(5)), env.reset(seed=5))


@pytest.mark.parametrize("seed", [[1], [1, "x"], [1, -1], [1, 1.5], [[1], [2]]])
def test_a_vector_s_seeds_are_all_checked_before_one_is_used(seed):
    env = WarlightVectorEnv(2, **SETTINGS)
    env.reset(seed=1)
    expected = WarlightVectorEnv(2, **SETTINGS)
    expected.reset(seed=1)
    with pytest.raises(InputError, match="seed"):
        env.reset(seed=seed)
    assert equal(env.reset(), expected.reset())


@pytest.mark.parametrize("name", FRONTS)
@pytest.mark.parametrize("action", [None, *WRONG], ids=lambda value: type(value).__name__)
def test_actions_that_are_none(name, action):
    env = front(name)
    before = game_of(env)
    with pytest.raises(InputError, match="action"):
        env.step(action)
    assert equal(game_of(env), before)


@pytest.mark.parametrize("mask", [None, 3, "x", [1, 0], np.ones(2), np.zeros(2, bool), np.ones(3, bool), [[True], []]],
                         ids=lambda value: type(value).__name__)  # fmt: skip
def test_reset_masks_that_are_none(mask):
    env = front("vector")
    before = game_of(env)
    with pytest.raises(InputError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})
    assert equal(game_of(env), before)


def test_a_start_that_is_refused_leaves_the_stream_of_seeds():
    env, twin = make_single(players=3, seat="random"), make_single(players=3, seat="random")
    lost = position(Game(SMALL, players=3, picks="random"), [0] * 6 + [1] * 6, [1] * 12)
    for each in (env, twin):
        each.reset(seed=1)
    with pytest.raises(InputError, match="the learner's seat may be eliminated"):
        env.reset(options={"start": lost})
    assert equal(env.reset(), twin.reset())


INDICES = (-1, 2, 99, 0.0, None, "0", True, 2**70, Failing(), np.array([0, 1]), [0])


@functools.cache
def core(action: str = "factored") -> EnvCore:
    """A core of two games."""
    made = EnvCore(SMALL, batch=2, action=action, picking="random")
    made.reset([1, 2])
    return made


@pytest.mark.parametrize("action", ["factored", "orders"])
@pytest.mark.parametrize("wrong", INDICES, ids=lambda value: type(value).__name__)
def test_slots_games_and_players_that_there_are_not(action, wrong):
    games, encoding = core(action), core(action).encoding
    rows, out = np.zeros((2, encoding.limits.size), np.int64), np.zeros((2, games.row_size), np.int64)
    calls = (
        lambda: games.seen(wrong), lambda: games.flat_masks(wrong), lambda: games.mask(wrong),
        lambda: games.mask(0, wrong), lambda: games.shaped_mask(wrong), lambda: games.view(wrong),
        lambda: games.view(0, wrong), lambda: games.render("ansi", wrong), lambda: games.submit_choice(wrong, 0, []),
        lambda: games.read_rows(rows, np.arange(2), wrong, out), lambda: games.submit_choice(0, wrong, []),
        lambda: front("vector").render_game(wrong), lambda: front("maps vector").render_game(wrong),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(InputError, match="must be an integer"):
            call()


@pytest.mark.parametrize("wrong", [
    np.array([0, 2]), np.array([-1]), np.array([0.0]), np.zeros((1, 1), int), np.array(0), "x", None, 1.5,
    [[0], [1, 2]], slice("a", None), slice(0, 2, 0), np.array([True, False]), Failing(),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_games_that_there_are_not(wrong):
    for action in ("factored", "orders"):
        for look in (core(action).seen, core(action).flat_masks):
            with pytest.raises(InputError, match="games"):
                look(0, wrong)


def test_no_games_have_masks_of_the_same_width():
    for action in ("factored", "orders"):
        masks = core(action).flat_masks(0)
        assert core(action).flat_masks(0, slice(0, 0)).shape == (0, masks.shape[1])


@pytest.mark.parametrize("agent", [None, 0, "player_9", [], np.array([1, 2]), 1.5])
def test_agents_that_there_are_not(agent):
    env = front("parallel")
    for ask in (env.observe, env.action_masks, env.view, env.action_space, env.observation_space):
        with pytest.raises(InputError, match="must be one of player_0, player_1"):
            ask(agent)


def test_arguments_of_a_core_s_other_methods():
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
def test_arguments_of_a_vector_environment(arguments, message):
    with pytest.raises(InputError, match=message):
        WarlightVectorEnv(2, **{**SETTINGS, **arguments})


def test_arguments_of_a_pool():
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
