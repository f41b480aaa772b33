"""A Minari data set of games of a tree search: python examples/minari_search.py [games] [data set's id]

Beside what the environment tells, the infos hold what the search thought of each position: how likely it plays each of
the nine strategies, and what it thinks that the position is worth. Needs: pip install "minari[create,hdf5]". Minari
keeps data sets in ~/.minari, or where MINARI_DATASETS_PATH says.
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
    """Infos with what a search thinks of the position that they are of; the same keys and shapes at every step."""

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        self.expert = make_agent(EXPERT, seed or 0)
        return observation, info | self.thought(over=False)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, info | self.thought(terminated or truncated)

    def thought(self, over):
        chances, value, action = np.zeros(self.action_space.n, np.float32), np.float32(0), np.int64(0)
        if not over:
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
