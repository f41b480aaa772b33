"""Policy gradients with masks in JAX: a policy of Flax, an optimizer of Optax, and Gymnasium's vector environment.

pip install jax flax optax
python examples/jax_reinforce.py [iterations]
"""

import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from gymnasium.vector import AutoresetMode

from warlight_env.envs import WarlightVectorEnv

ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
ENVS, STEPS, GAMMA, ENTROPY, RATE = 64, 32, 0.99, 0.01, 1e-3

env = WarlightVectorEnv(
    ENVS, map="small", action="strategies", opponent="aggressive", autoreset_mode=AutoresetMode.SAME_STEP
)


class ActorCritic(nn.Module):
    """The logits of the actions and the value of a position."""

    actions: int

    @nn.compact
    def __call__(self, obs):
        hidden = nn.tanh(nn.Dense(64)(nn.tanh(nn.Dense(64)(obs))))
        return nn.Dense(self.actions)(hidden), nn.Dense(1)(hidden)[..., 0]


network = ActorCritic(int(env.single_action_space.n))
optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(RATE))


def masked(logits, mask):
    return jnp.where(mask, logits, -1e8)


@jax.jit
def act(params, obs, mask, key):
    logits, _ = network.apply(params, obs)
    return jax.random.categorical(key, masked(logits, mask))


def loss(params, obs, mask, actions, rewards, dones, last_obs):
    logits, values = network.apply(params, obs)
    _, last_value = network.apply(params, last_obs)

    def discount(gain, step):
        gain = step[0] + GAMMA * gain * (1 - step[1])
        return gain, gain

    _, returns = jax.lax.scan(discount, jax.lax.stop_gradient(last_value), (rewards, dones), reverse=True)
    logs = jax.nn.log_softmax(masked(logits, mask))
    log_probs = jnp.take_along_axis(logs, actions[..., None], -1)[..., 0]
    entropy = -(jnp.exp(logs) * logs * mask).sum(-1).mean()
    advantages = jax.lax.stop_gradient(returns - values)
    return -(log_probs * advantages).mean() + 0.5 * ((returns - values) ** 2).mean() - ENTROPY * entropy


@partial(jax.jit, donate_argnums=(0, 1))
def learn(params, state, *rollout):
    gradients = jax.grad(loss)(params, *rollout)
    updates, state = optimizer.update(gradients, state, params)
    return optax.apply_updates(params, updates), state


key = jax.random.key(1)
obs, infos = env.reset(seed=1)
params = network.init(key, obs)
state, won = optimizer.init(params), []
for iteration in range(ITERATIONS):
    rollout = []
    for _ in range(STEPS):
        key, subkey = jax.random.split(key)
        mask = infos["action_mask"] != 0
        actions = np.asarray(act(params, obs, mask, subkey))
        next_obs, rewards, terminated, truncated, infos = env.step(actions)
        done = terminated | truncated
        if done.any():
            won += infos["final_info"]["is_success"][done].tolist()
        rollout.append((obs, mask, actions, rewards.astype(np.float32), done))
        obs = next_obs
    params, state = learn(params, state, *map(np.stack, zip(*rollout, strict=True)), obs)
    if (iteration + 1) % 10 == 0 and won:
        steps = (iteration + 1) * ENVS * STEPS
        print(f"{steps} steps, {len(won)} games ended, {100 * np.mean(won[-200:]):.0f} % of the last 200 won")
