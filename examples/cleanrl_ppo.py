"""PPO with action masks in a single file, in the style of CleanRL, on Gymnasium's vector environment.

python examples/cleanrl_ppo.py [steps]
"""

import sys

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn

import warlight_env.envs

gymnasium.register_envs(warlight_env.envs)

TOTAL = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
ENVS, STEPS, EPOCHS, MINIBATCH = 64, 64, 4, 1024
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 1e-3

torch.manual_seed(1)
torch.set_num_threads(1)  # more threads do not help, because the networks are small
envs = gymnasium.make_vec(
    "warlight/Warlight-v0", num_envs=ENVS, vectorization_mode="vector_entry_point", map="small",
    action="strategies", opponent="aggressive", autoreset_mode=AutoresetMode.SAME_STEP,
)  # fmt: skip
inputs, choices = envs.single_observation_space.shape[0], int(envs.single_action_space.n)


def network(outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


actor, critic = network(choices), network(1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=RATE)


def policy(obs: torch.Tensor, mask: torch.Tensor) -> torch.distributions.Categorical:
    return torch.distributions.Categorical(logits=actor(obs).masked_fill(~mask, -1e8))


def tensors(observations: np.ndarray, infos: dict) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.as_tensor(observations), torch.as_tensor(infos["action_mask"]).bool()


obs, mask = tensors(*envs.reset(seed=1))
global_step, won = 0, []
while global_step < TOTAL:
    rollout = []
    for _ in range(STEPS):
        with torch.no_grad():
            distribution = policy(obs, mask)
            action = distribution.sample()
            value, log_prob = critic(obs)[:, 0], distribution.log_prob(action)
        observations, rewards, terminated, truncated, infos = envs.step(action.numpy())
        rewards = torch.as_tensor(rewards, dtype=torch.float32)
        if truncated.any():  # bootstrap truncated games with the value of their last observation
            last = torch.as_tensor(np.stack(infos["final_obs"][truncated]))
            with torch.no_grad():
                rewards[torch.as_tensor(truncated)] += GAMMA * critic(last)[:, 0]
        done = torch.as_tensor(terminated | truncated)
        if done.any():
            won += infos["final_info"]["is_success"][done.numpy()].tolist()
        rollout.append((obs, mask, action, log_prob, value, rewards, done.float()))
        obs, mask = tensors(observations, infos)
        global_step += ENVS
    all_obs, all_masks, actions, log_probs, values, gains, dones = map(torch.stack, zip(*rollout, strict=True))
    with torch.no_grad():
        last_value, advantage, advantages = critic(obs)[:, 0], torch.zeros(ENVS), torch.zeros_like(values)
        for t in reversed(range(STEPS)):
            next_value = last_value if t == STEPS - 1 else values[t + 1]
            delta = gains[t] + GAMMA * next_value * (1 - dones[t]) - values[t]
            advantage = delta + GAMMA * LAMBDA * (1 - dones[t]) * advantage
            advantages[t] = advantage
    data = [x.flatten(0, 1) for x in (all_obs, all_masks, actions, log_probs, advantages, advantages + values)]
    for _ in range(EPOCHS):
        for part in torch.randperm(ENVS * STEPS).split(MINIBATCH):
            s, m, a, old_log_prob, gain, target = (x[part] for x in data)
            distribution = policy(s, m)
            ratio = (distribution.log_prob(a) - old_log_prob).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss = loss + 0.5 * (critic(s)[:, 0] - target).pow(2).mean() - ENTROPY * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
            optimizer.step()
    if won:
        print(
            f"{global_step} steps, {len(won)} games ended, {100 * np.mean(won[-200:]):.0f} % of the last 200 won",
            flush=True,
        )
