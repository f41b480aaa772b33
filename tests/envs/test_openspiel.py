"""The game of OpenSpiel: its tests, search and solvers, and the same games as the parallel environment."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from warlight_env import warlight_v0
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.errors import InputError

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")
openspiel = pytest.importorskip("warlight_env.openspiel")

SMALL = "warlight(map=small,max_cycles=6,chance_outcomes=4)"
STEPS = "warlight(map=small,action=steps,max_cycles=60,chance_outcomes=4)"
THREE = "warlight(map=small,players=3,max_cycles=8,picking=random)"


def play_randomly(game, rng, steps=10_000):
    """Return a state after at most `steps` random legal moves, and the list of these moves."""
    state, moves = game.new_initial_state(), []
    while not state.is_terminal() and len(moves) < steps:
        if state.is_chance_node():
            moves.append([int(rng.integers(len(state.chance_outcomes())))])
            state.apply_action(moves[-1][0])
        else:
            legal = [state.legal_actions(p) for p in range(game.num_players())]
            moves.append([int(rng.choice(actions)) if actions else 0 for actions in legal])
            state.apply_actions(moves[-1])
    return state, moves


@pytest.mark.parametrize("name", [SMALL, STEPS, THREE])
def test_openspiel_simulation_test_passes(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", [SMALL, STEPS])
def test_a_playthrough_can_be_repeated(name, tmp_path):
    from absl import flags
    from open_spiel.python.algorithms import generate_playthrough

    flags.FLAGS.mark_as_parsed()
    text = generate_playthrough.playthrough(name, action_sequence=None)
    (tmp_path / "game.txt").write_text(text)
    assert generate_playthrough.replay(str(tmp_path / "game.txt"))[1].strip() == text.strip()


def test_round_equals_a_round_of_the_parallel_environment():
    game = pyspiel.load_game("warlight(map=small,max_cycles=30,chance_outcomes=16)")
    state, moves = play_randomly(game, np.random.default_rng(3))
    env = warlight_v0.parallel_env(map="small", action="strategies", observation="flat", max_cycles=30)
    env.reset(seed=1)
    env.core.reset([derive_seed(0, moves[0][0])])
    seed, total = derive_seed(0, moves[0][0]), np.zeros(2)
    for actions, (outcome,) in zip(moves[1::2], moves[2::2], strict=True):
        seed = derive_seed(seed, outcome)
        env.core.state.rng[0] = make_rng(seed)
        _, rewards, *_ = env.step({f"player_{p}": actions[p] for p in range(2)})
        total += [rewards["player_0"], rewards["player_1"]]
    assert not env.agents
    assert state.returns() == total.tolist()
    np.testing.assert_array_equal(state.observation_tensor(1), env.observe("player_1")["observation"])


@pytest.mark.parametrize("name", [SMALL, STEPS, THREE])
@pytest.mark.parametrize("copied", [lambda s: s.clone(), copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_are_independent_and_continue_alike(name, copied):
    game = pyspiel.load_game(name)
    _, moves = play_randomly(game, np.random.default_rng(1))
    state, _ = play_randomly(game, np.random.default_rng(1), len(moves) // 2)
    other, before = copied(state), str(state)
    for move in moves[len(moves) // 2 :]:
        (other.apply_action if other.is_chance_node() else other.apply_actions)(move if len(move) > 1 else move[0])
    assert other.is_terminal() and str(state) == before
    for move in moves[len(moves) // 2 :]:
        (state.apply_action if state.is_chance_node() else state.apply_actions)(move if len(move) > 1 else move[0])
    assert str(state) == str(other) and state.returns() == other.returns()
    for player in range(game.num_players()):
        assert state.information_state_string(player) == other.information_state_string(player)
        np.testing.assert_array_equal(state.observation_tensor(player), other.observation_tensor(player))


def test_search_and_solver_on_the_turn_based_game():
    from open_spiel.python.algorithms import external_sampling_mccfr, mcts, outcome_sampling_mccfr

    game = pyspiel.convert_to_turn_based(pyspiel.load_game("warlight(map=small,max_cycles=2,chance_outcomes=2)"))
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    state = game.new_initial_state()
    while not state.is_terminal():
        chance = state.is_chance_node()
        state.apply_action(0 if chance else bot.step(state))
    assert len(state.returns()) == 2
    for solver in (external_sampling_mccfr.ExternalSamplingSolver, outcome_sampling_mccfr.OutcomeSamplingSolver):
        solver_run = solver(game)
        for _ in range(2):
            solver_run.iteration()
        policy, state = solver_run.average_policy(), game.new_initial_state()
        state.apply_action(0)
        assert sum(policy.action_probabilities(state).values()) == pytest.approx(1)


def test_information_states_have_perfect_recall():
    """The text contains all actions of the player in order, but not the action of the other player."""
    game = pyspiel.load_game(STEPS)
    state, _ = play_randomly(game, np.random.default_rng(2), 1)
    mine, others = state.legal_actions(0)[0], state.legal_actions(1)
    first, second = state.clone(), state.clone()
    first.apply_actions([mine, others[0]])
    second.apply_actions([mine, others[1]])
    assert first.information_state_string(0) == second.information_state_string(0)
    assert first.information_state_string(1) != second.information_state_string(1)
    assert f"action: {state.action_to_string(1, others[1])}" in second.observation_string(1)


def test_players_have_no_actions_after_the_end_of_their_turn():
    game = pyspiel.load_game(STEPS)
    state, _ = play_randomly(game, np.random.default_rng(2), 1)
    end = game.num_distinct_actions() - 1
    state.apply_actions([end, state.legal_actions(1)[0]])
    assert state.legal_actions(0) == [] and end in state.legal_actions(1)
    assert state.action_to_string(0, end) == "end the turn"


def test_utilities_are_zero_sum_only_with_two_players():
    two, three = pyspiel.load_game(SMALL), pyspiel.load_game(THREE)
    assert two.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert three.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    for seed in range(4):
        state, _ = play_randomly(pyspiel.load_game("warlight(map=small)"), np.random.default_rng(seed))
        assert sum(state.returns()) == 0


@pytest.mark.parametrize(
    "params, said",
    [
        ({"action": "factored"}, "action"),
        ({"chance_outcomes": 0}, "chance_outcomes"),
        ({"players": 7}, "player"),
        ({"map": "nowhere"}, "nowhere"),
        ({"max_cycles": -1}, "max_cycles"),
        ({"picking": "draft"}, "picking"),
    ],
)
def test_invalid_parameters_raise_an_error(params, said):
    with pytest.raises(InputError, match=said):
        openspiel.WarlightGame(params)


def test_illegal_actions_change_nothing():
    state, _ = play_randomly(pyspiel.load_game(SMALL), np.random.default_rng(1), 1)
    before = str(state), state.information_state_string(0)
    with pytest.raises(Exception, match="illegal in this state"):
        state.apply_actions([0, 8])  # while players pick, only action 0 is legal
    with pytest.raises(Exception, match="use apply_actions"):
        state.apply_action(0)
    assert (str(state), state.information_state_string(0)) == before


def test_observers_have_no_parameters():
    game = openspiel.WarlightGame({"map": "small"})
    with pytest.raises(InputError, match="params"):
        game.make_py_observer(None, {"x": 1})
