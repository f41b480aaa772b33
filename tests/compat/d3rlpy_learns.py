"""d3rlpy: DQN online, and DQN offline on logged games of a bot."""

import d3rlpy
import gymnasium
import numpy as np

import warlight_env.envs  # noqa: F401 -- registers the ids

env = gymnasium.make("warlight/Warlight-v0", map="small", action="strategies", opponent="random")
dqn = d3rlpy.algos.DQNConfig(batch_size=16).create(device="cpu:0")
buffer = d3rlpy.dataset.create_fifo_replay_buffer(1000, env=env)
dqn.fit_online(env, buffer, n_steps=200, n_steps_per_epoch=100, update_start_step=50, with_timestamp=False,
               logger_adapter=d3rlpy.logging.NoopAdapterFactory(), show_progress=False)  # fmt: skip

rng = np.random.default_rng(1)
seen, actions, paid, ends = [], [], [], []
for game in range(4):
    observation, info = env.reset(seed=game)
    over = False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        seen.append(observation)
        actions.append(action)
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        paid.append(reward)
        ends.append(over)
data = d3rlpy.dataset.MDPDataset(
    np.array(seen, dtype=np.float32), np.array(actions), np.array(paid, dtype=np.float32), np.array(ends, dtype=float),
    action_space=d3rlpy.ActionSpace.DISCRETE, action_size=env.action_space.n,
)  # fmt: skip
cql = d3rlpy.algos.DiscreteCQLConfig(batch_size=16).create(device="cpu:0")
cql.fit(data, n_steps=50, n_steps_per_epoch=50, with_timestamp=False, show_progress=False,
        logger_adapter=d3rlpy.logging.NoopAdapterFactory())  # fmt: skip
assert cql.predict(np.array(seen[:3], dtype=np.float32)).shape == (3,)
print("passed")
