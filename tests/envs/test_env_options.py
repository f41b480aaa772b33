"""Options of `reset`: games from a given position, and the learner's seat; unknown options raise errors."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from env_helpers import SMALL, equal, make, make_single
from warlight_env import Game
from warlight_env.engine.orders import Orders
from warlight_env.envs import EnvCore, Reward, WarlightVectorEnv
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.errors import InputError


def middle(rounds=3, **arguments):
    """A game after some rounds without orders."""
    game = Game(**{"map": SMALL, "seed": 4, "picks": "random", **arguments})
    for _ in range(rounds):
        game.play_round([None] * game.players)
    return game


def has_position_of(core, game, b=0):
    return np.array_equal(core.state.owner[b], game.owner) and core.state.round[b] == game.round


@pytest.mark.parametrize("action", ["steps", "strategies", "factored"])
def test_start_option_applies_to_one_game_of_the_learner(action):
    env, game = make_single(action=action, opponent="aggressive"), middle()
    _, info = env.reset(seed=1, options={"start": game, "seat": 1})
    assert has_position_of(env.episodes.core, game) and info["round"] == 3 and env.view().player == 1
    env.step(env.action_space.sample(info["action_mask"]))
    assert env.reset()[1]["round"] == 0


def test_start_option_keeps_the_position_and_draws_new_dice():
    env, game = make(picking="play"), middle()
    observations, infos = env.reset(seed=1, options={"start": game})
    assert (
        has_position_of(env.core, game)
        and infos["player_1"]["round"] == 3
        and set(observations) == set(env.possible_agents)
    )
    rng = env.core.state.rng.copy()
    env.reset(seed=2, options={"start": game})
    assert has_position_of(env.core, game) and not np.array_equal(rng, env.core.state.rng)


def test_reward_shaping_starts_at_the_start_position():
    for shaping in ("regions", "income"):
        env, game = make(reward=Reward(shaping)), middle(0)
        env.reset(seed=1, options={"start": game})
        nothing = np.zeros(env.core.row_size, dtype=np.int64)
        assert set(env.step(dict.fromkeys(env.agents, nothing))[1].values()) == {0.0}


def test_start_option_works_alike_in_batches_and_single_games():
    game, arguments = middle(), {"map": SMALL, "action": "factored", "opponent": "random"}
    batch, single = WarlightVectorEnv(2, **arguments), make_single(**arguments)
    seen, infos = batch.reset(seed=5, options={"start": game, "seat": 0})
    assert infos["round"].tolist() == [3, 3]
    assert equal(seen[1], single.reset(seed=6, options={"start": game, "seat": 0})[0])
    library = make_vec_env(2, seed=5, **arguments)
    library.set_options({"start": game, "seat": 0})
    assert equal(library.reset(), seen) and not equal(library.reset(), seen), "of one reset alone"


class Listening:
    """An agent without orders; it records its views in `told`, by its seed."""

    name = "listening"
    told: dict[int, list] = {}  # noqa: RUF012  shared by all agents

    def __init__(self, seed: int = 0) -> None:
        self.mine = self.told.setdefault(seed, [])

    def pick(self, view) -> list[int]:
        return []

    def act(self, view, budget=None) -> Orders:
        self.mine.append((view.round, view.starts, view.last_round))
        return Orders([], [])


def test_start_of_one_game_does_not_change_the_views_in_other_games():
    arguments = {"map": SMALL, "action": "factored", "opponent": Listening, "seat": 0}
    batch, single = WarlightVectorEnv(2, **arguments), make_single(**arguments)
    nothing = np.zeros(batch.single_action_space.shape, dtype=np.int64)

    def record_views(env, actions, options=None):
        Listening.told.clear()
        env.reset(seed=5)
        for number in range(4):
            if number == 2 and options:
                env.reset(options=options)
            env.step(actions)
        return list(Listening.told.values())

    (alone,) = (each for each in record_views(single, nothing) if each)
    together = record_views(
        batch, np.stack([nothing, nothing]), {"reset_mask": np.array([False, True]), "start": middle()}
    )
    assert alone in together and alone[3][1] is not None and alone[3][2].round == 3


@pytest.mark.parametrize("shaping", ["none", "regions", "income"])
@pytest.mark.parametrize("action", ["factored", "steps"])
def test_start_from_changes_only_the_given_games_of_a_core(action, shaping):
    arguments = {"map": SMALL, "action": action, "reward": Reward(shaping), "picking": "random"}
    core, game, rng = EnvCore(batch=4, **arguments), middle(), np.random.default_rng(1)
    alone = [EnvCore(**arguments) for _ in range(4)]

    def play(resolved=True):
        rows = (rng.random((4, 2, core.row_size)) * core.limits).astype(np.int64)
        for b, each in enumerate([core, *alone]):
            each.submit_actions(rows if each is core else rows[b - 1 : b])
            if resolved:
                each.resolve()

    for b, each in enumerate([core, *alone]):
        each.record_history()
        each.reset([7, 8, 9, 10] if each is core else [b + 6])
    play()
    core.reset([1, 2], [1, 3])
    play(resolved=False)
    for b, seed in ((1, 1), (3, 2)):
        alone[b].reset([seed])
        alone[b].start_from(game)
    core.start_from(game, [3, 1])
    for resolved in (False, True):
        if resolved:
            core.resolve()
            for each in alone:
                each.resolve()
        for b, each in enumerate(alone):
            for mine, theirs in ((core.state, each.state), (core.out, each.out), (core.turns[3:], each.turns[3:])):
                assert all(np.array_equal(array[b], other[0]) for array, other in zip(mine, theirs, strict=True))
            assert [core.view(p, b).starts for p in (0, 1)] == [each.view(p).starts for p in (0, 1)]
            assert [core.view(p, b).last_round for p in (0, 1)] == [each.view(p).last_round for p in (0, 1)]
    assert core.view(0, 0).starts is not None and core.view(0, 1).starts is None


def test_start_from_rejects_invalid_games_and_changes_nothing():
    core, game = EnvCore(SMALL, batch=2, picking="random"), middle()
    core.reset([1, 2])
    core.step(np.zeros((2, 2, core.row_size), dtype=np.int64))
    core.reset([3], [1])
    before = core.snapshot()
    for games, reason in (
        ([1, 0], "game 0 has already made a step"),
        ([1, 1], "different games"),
        ([2], "from 0 to 1"),
    ):
        with pytest.raises(InputError, match=reason):
            core.start_from(game, games)
        assert equal(core.snapshot(), before)


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"colour": 1}, "no option 'colour'; there are start, seat"),
        ({"map": "world"}, "option 'map': .*make another environment"),
        ({"start": 5}, "start must be a `Game`"),
        ({"start": functools.partial(middle, rules={"base_income": 9})}, "must have the environment's map"),
        ({"seat": 2}, "option 'seat' = 2"),
        ({"start": functools.partial(Game, "small")}, "must have the environment's map"),
    ],
)  # fmt: skip
def test_invalid_reset_options_raise_an_error_and_change_nothing(options, reason):
    options = {name: value() if callable(value) else value for name, value in options.items()}
    env = make_single()
    seen, _ = env.reset(seed=1)
    with pytest.raises(InputError, match=reason):
        env.reset(seed=2, options=options)
    assert equal(env.episodes.observe(0), seen)


def test_start_option_rejects_a_finished_game():
    over = middle(rules={"max_rounds": 3})
    env = make_single(rules={"max_rounds": 3})
    with pytest.raises(InputError, match="the given game is over"):
        env.reset(options={"start": over})
