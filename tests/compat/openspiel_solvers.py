"""OpenSpiel: its test of a game, a playthrough, tree search and regret minimization on the turn-based game."""

import numpy as np
import pyspiel
from absl import flags
from open_spiel.python.algorithms import external_sampling_mccfr, generate_playthrough, mcts

import warlight_env.openspiel  # noqa: F401 -- registers the game

NAME = "warlight(map=small,action={},max_cycles={},chance_outcomes=4)"
flags.FLAGS.mark_as_parsed()
for name in (NAME.format("strategies", 8), NAME.format("steps", 40)):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=True, verbose=False)
    assert generate_playthrough.playthrough(name, action_sequence=None)
game = pyspiel.convert_to_turn_based(pyspiel.load_game(NAME.format("strategies", 2)))
rng = np.random.RandomState(1)
bot = mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
state = game.new_initial_state()
while not state.is_terminal():
    state.apply_action(0 if state.is_chance_node() else bot.step(state))
solver = external_sampling_mccfr.ExternalSamplingSolver(game)
solver.iteration()
print("passed")
