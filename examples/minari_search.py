"""Write a Minari data set of games of a tree search: python examples/minari_search.py [games] [id of the data set]

The infos contain the environment's own entries and three results of the search for each position: the probability of
each of the nine strategies, the value of the position, and the chosen action. Install the requirements with
``pip install "minari[create,hdf5]"``. Minari stores data sets in ~/.minari or in the folder of MINARI_DATASETS_PATH.
"""

import sys

import gymnasium
import minari
import numpy as np

import warlight_env.envs
from warlight_env.agents import make_agent

gymnasium.register_envs(warlight_env.envs)

EXPERT, OTHER = "mcts:sims=100", "aggressive"


class Searched(gymnasium.Wrapper):
    """Add the search's results for the current position to the infos; keys and shapes are the same at every step."""

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        self.expert = make_agent(EXPERT, seed or 0)
        return observation, info | self.search_results(done=False)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, info | self.search_results(terminated or truncated)

    def search_results(self, done):
        chances, value, action = np.zeros(self.action_space.n, np.float32), np.float32(0), np.int64(0)
        if not done:
            view, encoding = self.unwrapped.view(), self.unwrapped.encoding
            answer = self.expert.act(view)
            policy = self.expert.search_policy()
            for turn, probability in zip(policy.turns, policy.probabilities, strict=True):
                if probability > 0:
                    chances[encoding.encode(view, turn, nearest=True)] += probability
            value = np.float32(policy.values[0])
            action = np.int64(encoding.encode(view, answer, nearest=True))
        return {"search_chances": chances, "search_value": value, "search_action": action}


if __name__ == "__main__":
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    name = sys.argv[2] if len(sys.argv) > 2 else "warlight/small-strategies/mcts-v0"
    env = Searched(gymnasium.make("warlight/WarlightSmallStrategies-v0", opponent=OTHER))
    collector = minari.DataCollector(env, record_infos=True)
    for game in range(games):
        _, info = collector.reset(seed=game)
        done = False
        while not done:
            _, _, terminated, truncated, info = collector.step(int(info["search_action"]))
            done = terminated or truncated
    collector.create_dataset(name, algorithm_name=EXPERT, description=f"{EXPERT} against {OTHER} on the small map")
    saved = minari.load_dataset(name)
    first = next(iter(saved.iterate_episodes()))
    print(f"{saved.total_episodes} games, {saved.total_steps} steps; infos: {', '.join(sorted(first.infos))}")
