"""imitation: behavioural cloning of a bot's choices, from trajectories of the single environment."""

import numpy as np
from imitation.algorithms.bc import BC
from imitation.data import rollout
from imitation.data.types import Trajectory

from warlight_env.agents import make_agent
from warlight_env.envs import WarlightEnv

env = WarlightEnv(map="small", action="strategies", opponent="random")
games = []
for seed in range(4):
    bot = make_agent("aggressive", seed)
    observation, _ = env.reset(seed=seed)
    seen, actions, infos, over = [observation], [], [], False
    while not over:
        view = env.view()
        actions.append(env.encoding.encode(view, bot.act(view), nearest=True))
        observation, _, terminated, truncated, info = env.step(actions[-1])
        over = terminated or truncated
        seen.append(observation)
        infos.append(info)
    games.append(Trajectory(np.array(seen), np.array(actions), np.array(infos), terminal=True))
rng = np.random.default_rng(1)
cloned = BC(observation_space=env.observation_space, action_space=env.action_space,
            demonstrations=rollout.flatten_trajectories(games), rng=rng, batch_size=16, device="cpu")  # fmt: skip
cloned.train(n_epochs=2, progress_bar=False)
action, _ = cloned.policy.predict(games[0].obs[0])
assert env.action_space.contains(np.int64(action))
print("passed")
