"""Train inside `jax.jit`: one compiled function plays all games, computes the gradient and updates the policy.

pip install jax
python examples/jax_jit.py [iterations] [cpu or cuda] [games]

JAX calls the environment with `buffer_callback`, which passes the memory of the device to Python. So on a GPU the
games, the policy and the optimizer stay in the memory of the GPU.
"""

import os
import sys
import time
from contextlib import nullcontext
from functools import partial

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import torch
from jax.experimental.buffer_callback import buffer_callback

ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
GAMES = int(sys.argv[3]) if len(sys.argv) > 3 else 64
os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.4")  # the games and PyTorch need the rest of the memory
jax.config.update("jax_platforms", DEVICE)
STEPS, GAMMA, ENTROPY, RATE = 32, 0.99, 0.01, 1e-3
env = gymnasium.make_vec(
    "warlight_env.envs:warlight/WarlightSmallStrategies-v0", GAMES, device=DEVICE, opponent="aggressive",
    autoreset_mode="SameStep", check_actions=False,
)  # fmt: skip


def from_torch(tensor):
    """Return a copy of a tensor, because the environment overwrites its tensors, and an array of JAX never changes."""
    return jnp.array(jax.dlpack.from_dlpack(tensor.contiguous()), copy=True)


def play(context, results, actions):
    """Step all games, and write the results to the memory that JAX gives. The operations run on JAX's stream."""
    on_gpu = DEVICE == "cuda"
    with torch.cuda.stream(torch.cuda.ExternalStream(context.stream)) if on_gpu else nullcontext():
        obs, rewards, terminated, truncated, infos = env.step(torch.from_dlpack(actions))
        values = obs, infos["action_mask"], rewards, terminated | truncated
        for result, value in zip(results, values, strict=True):
            torch.from_dlpack(result).copy_(value)


obs, infos = env.reset(seed=1)
if DEVICE == "cuda":
    torch.cuda.synchronize()  # PyTorch's stream begins the games; later steps run on JAX's stream
mask = infos["action_mask"]
RESULTS = (
    jax.ShapeDtypeStruct(tuple(obs.shape), jnp.float32),
    jax.ShapeDtypeStruct(tuple(mask.shape), jnp.int8),
    jax.ShapeDtypeStruct((GAMES,), jnp.float32),
    jax.ShapeDtypeStruct((GAMES,), jnp.bool_),
)
# Each call needs the observations of the call before it, so JAX cannot change the order of the calls. `has_side_effect`
# tells JAX that it must not drop or repeat a call.
step_games = buffer_callback(play, RESULTS, has_side_effect=True)


def make_params(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    pairs = zip(keys, sizes, sizes[1:], strict=False)
    return [(jax.random.normal(k, (i, o)) / np.sqrt(i), jnp.zeros(o)) for k, i, o in pairs]


def network(params, x):
    """Return the logits of the actions, and the value of the position."""
    for weights, bias in params[:-1]:
        x = jnp.tanh(x @ weights + bias)
    out = x @ params[-1][0] + params[-1][1]
    return out[..., :-1], out[..., -1]


def masked(logits, mask):
    return jnp.where(mask != 0, logits, -1e8)


def loss(params, obs, mask, actions, rewards, dones, last_obs):
    logits, values = network(params, obs)
    _, last_value = network(params, last_obs)

    def discount(gain, step):
        gain = step[0] + GAMMA * gain * (1 - step[1])
        return gain, gain

    _, returns = jax.lax.scan(discount, jax.lax.stop_gradient(last_value), (rewards, dones), reverse=True)
    logs = jax.nn.log_softmax(masked(logits, mask))
    log_probs = jnp.take_along_axis(logs, actions[..., None], -1)[..., 0]
    entropy = -(jnp.exp(logs) * logs * (mask != 0)).sum(-1).mean()
    advantages = jax.lax.stop_gradient(returns - values)
    return -(log_probs * advantages).mean() + 0.5 * ((returns - values) ** 2).mean() - ENTROPY * entropy


def adam(params, moments, gradients, count):
    """Return the parameters and the moments after a step of Adam."""
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
    rate = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    return jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, first, second), (first, second)


@partial(jax.jit, donate_argnums=(0, 1))
def train(params, moments, obs, mask, key, count):
    """Play STEPS steps of all games, and update the policy."""

    def step(carry, key):
        obs, mask = carry
        actions = jax.random.categorical(key, masked(network(params, obs)[0], mask)).astype(jnp.int32)
        next_obs, next_mask, rewards, done = step_games(actions)
        return (next_obs, next_mask), (obs, mask, actions, rewards, done)

    (next_obs, next_mask), rollout = jax.lax.scan(step, (obs, mask), jax.random.split(key, STEPS))
    gradients = jax.grad(loss)(params, *rollout, next_obs)
    params, moments = adam(params, moments, gradients, count)
    rewards, done = rollout[3:]
    return params, moments, next_obs, next_mask, done.sum(), (done & (rewards > 0)).sum()


obs, mask = from_torch(obs), from_torch(mask)
key = jax.random.key(1)
params = make_params(key, (obs.shape[1], 64, 64, mask.shape[1] + 1))
moments = (jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params))
ended, won, start = [], [], time.perf_counter()
for iteration in range(ITERATIONS):
    key, subkey = jax.random.split(key)
    params, moments, obs, mask, n_ended, wins = train(params, moments, obs, mask, subkey, iteration + 1.0)
    ended.append(n_ended)
    won.append(wins)
    if (iteration + 1) % 10 == 0:
        last, wins = sum(map(int, ended[-10:])), sum(map(int, won[-10:]))
        steps, rate = (iteration + 1) * GAMES * STEPS, 10 * GAMES * STEPS / (time.perf_counter() - start)
        print(
            f"{steps} steps, {last} games ended, {100 * wins / max(1, last):.0f} % won, {rate:.0f} steps/s", flush=True
        )
        start = time.perf_counter()
print(f"trained on {next(iter(obs.devices())).platform}")
