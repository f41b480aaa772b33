"""Stable-Baselines3: its environment check, and training with three of its algorithms."""

from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_checker import check_env

from warlight_env.envs import WarlightEnv
from warlight_env.envs.sb3 import make_vec_env

settings = {"map": "small", "action": "strategies", "opponent": "random"}
check_env(WarlightEnv(**settings))
PPO("MlpPolicy", make_vec_env(8, seed=1, **settings), n_steps=32, device="cpu").learn(512)
A2C("MlpPolicy", make_vec_env(8, seed=1, **settings), device="cpu").learn(512)
DQN("MlpPolicy", WarlightEnv(**settings), learning_starts=100, device="cpu").learn(512)
PPO("MlpPolicy", make_vec_env(4, seed=1, map="small", action="continuous"), n_steps=32, device="cpu").learn(256)
print("passed")
