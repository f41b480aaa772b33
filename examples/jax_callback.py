"""Step the vector environment inside `jax.jit`: a compiled loop of random legal actions, with an ordered callback.

pip install jax
python examples/jax_callback.py [steps]
"""

import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode
from jax.experimental import io_callback

from warlight_env.envs import WarlightVectorEnv

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
ENVS = 64
env = WarlightVectorEnv(ENVS, map="small", opponent="aggressive", autoreset_mode=AutoresetMode.SAME_STEP)


def play(actions):
    """Step all games; return arrays with the shapes and dtypes of RESULT."""
    obs, rewards, terminated, truncated, infos = env.step(np.asarray(actions))
    return obs, infos["action_mask"], rewards.astype(np.float32), terminated | truncated


obs, infos = env.reset(seed=1)
mask = infos["action_mask"]
RESULT = (
    jax.ShapeDtypeStruct(obs.shape, obs.dtype),
    jax.ShapeDtypeStruct(mask.shape, mask.dtype),
    jax.ShapeDtypeStruct((ENVS,), np.float32),
    jax.ShapeDtypeStruct((ENVS,), np.bool_),
)


@partial(jax.jit, static_argnames="steps")
def rollout(obs, mask, key, steps):
    """Play several steps of all games. A network would use `obs` for its choice; this policy uses only the mask."""

    def step(carry, key):
        obs, mask = carry
        actions = jax.random.categorical(key, jnp.where(mask != 0, 0.0, -1e8))
        # The environment has a state. So XLA must not drop, repeat or reorder its calls, as it may with pure_callback.
        obs, mask, rewards, done = io_callback(play, RESULT, actions, ordered=True)
        return (obs, mask), (rewards, done)

    return jax.lax.scan(step, (obs, mask), jax.random.split(key, steps))


_, (rewards, done) = rollout(obs, mask, jax.random.key(1), STEPS)
print(f"{STEPS * ENVS} steps, {int(done.sum())} games ended, {int((rewards > 0).sum())} won")
