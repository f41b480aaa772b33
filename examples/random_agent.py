"""Play random legal actions through Gymnasium's interface: python examples/random_agent.py [games]"""

import sys

import gymnasium

import warlight_env.envs

gymnasium.register_envs(warlight_env.envs)

env = gymnasium.make("warlight/Warlight-v0", opponent="random", action="strategies")
games, wins = int(sys.argv[1]) if len(sys.argv) > 1 else 100, 0
for game in range(games):
    observation, info = env.reset(seed=game)
    terminated = truncated = False
    while not (terminated or truncated):
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
    wins += info["is_success"]
print(f"random strategies won {wins} of {games} games against the agent random")
