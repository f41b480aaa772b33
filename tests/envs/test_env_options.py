"""Options of `reset`: games that begin in the middle, the learner's seat; what is not known is refused."""

from __future__ import annotations

import numpy as np
import pytest

from env_helpers import SMALL, equal, make, make_single
from warlight_env import Game
from warlight_env.envs import Reward, WarlightVectorEnv
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.errors import InputError


def middle(rounds=3, **arguments):
    """A game after some rounds in which nobody moved."""
    game = Game(**{"map": SMALL, "seed": 4, "picks": "random", **arguments})
    for _ in range(rounds):
        game.play_round([None] * game.players)
    return game


def same(core, game, b=0):
    return np.array_equal(core.state.owner[b], game.owner) and core.state.round[b] == game.round


@pytest.mark.parametrize("action", ["steps", "strategies", "factored"])
def test_a_learner_s_game_begins_in_the_middle_and_the_next_one_does_not(action):
    env, game = make_single(action=action, opponent="aggressive"), middle()
    _, info = env.reset(seed=1, options={"start": game, "seat": 1})
    assert same(env.episodes.core, game) and info["round"] == 3 and env.view().player == 1
    env.step(env.action_space.sample(info["action_mask"]))
    assert env.reset()[1]["round"] == 0


def test_players_begin_in_the_middle_with_dice_of_their_own():
    env, game = make(picking="play"), middle()
    observations, infos = env.reset(seed=1, options={"start": game})
    assert same(env.core, game) and infos["player_1"]["round"] == 3 and set(observations) == set(env.possible_agents)
    rng = env.core.state.rng.copy()
    env.reset(seed=2, options={"start": game})
    assert same(env.core, game) and not np.array_equal(rng, env.core.state.rng)


def test_shaping_counts_from_where_the_game_begins():
    for shaping in ("regions", "income"):
        env, game = make(reward=Reward(shaping)), middle(0)
        env.reset(seed=1, options={"start": game})
        nothing = np.zeros(env.core.row_size, dtype=np.int64)
        assert set(env.step(dict.fromkeys(env.agents, nothing))[1].values()) == {0.0}


def test_batches_begin_as_single_games_do():
    game, arguments = middle(), {"map": SMALL, "action": "factored", "opponent": "random"}
    batch, single = WarlightVectorEnv(2, **arguments), make_single(**arguments)
    seen, infos = batch.reset(seed=5, options={"start": game, "seat": 0})
    assert infos["round"].tolist() == [3, 3]
    assert equal(seen[1], single.reset(seed=6, options={"start": game, "seat": 0})[0])
    library = make_vec_env(2, seed=5, **arguments)
    library.set_options({"start": game, "seat": 0})
    assert equal(library.reset(), seen) and not equal(library.reset(), seen), "of one reset alone"


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"colour": 1}, "no option 'colour'; there are start, seat"),
        ({"map": "world"}, "option 'map': .*make another one"),
        ({"start": 5}, "start must be a `Game`"), ({"start": middle(rules={"base_income": 9})}, "other rules"),
        ({"seat": 2}, "option 'seat' = 2"), ({"start": Game("small")}, "another map"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused_and_nothing_changes(options, reason):
    env = make_single()
    seen, _ = env.reset(seed=1)
    with pytest.raises(InputError, match=reason):
        env.reset(seed=2, options=options)
    assert equal(env.episodes.observe(0), seen)


def test_a_game_that_is_over_is_refused():
    over = middle(rules={"max_rounds": 3})
    env = make_single(rules={"max_rounds": 3})
    with pytest.raises(InputError, match="that game is over"):
        env.reset(options={"start": over})
