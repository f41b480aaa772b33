"""SBX (Stable-Baselines3 in JAX): training with PPO, DQN and SAC."""

from sbx import DQN, PPO, SAC

from warlight_env.envs import WarlightEnv
from warlight_env.envs.sb3 import make_vec_env

settings = {"map": "small", "action": "strategies", "opponent": "random"}
PPO("MlpPolicy", make_vec_env(8, seed=1, **settings), n_steps=32).learn(512)
DQN("MlpPolicy", WarlightEnv(**settings), learning_starts=100).learn(256)
SAC("MlpPolicy", WarlightEnv(map="small", action="continuous"), learning_starts=100).learn(128)
PPO("MlpPolicy", make_vec_env(4, seed=1, map="small", action="factored"), n_steps=32).learn(256)
print("passed")
