"""PufferLib: its emulation of the single and of the parallel environment as environments with flat arrays."""

from pufferlib.emulation import GymnasiumPufferEnv, PettingZooPufferEnv

from warlight_env import warlight_v0
from warlight_env.envs import WarlightEnv

SETTINGS = {"map": "small", "action": "strategies", "observation": "flat", "mask": "info", "picking": "random"}
single = GymnasiumPufferEnv(env_creator=WarlightEnv, env_kwargs=SETTINGS)
single.reset(seed=1)
for _ in range(5):
    single.step(single.action_space.sample())
several = PettingZooPufferEnv(env_creator=warlight_v0.parallel_env, env_kwargs=SETTINGS)
several.reset(seed=1)
for _ in range(5):
    several.step({agent: several.action_space(agent).sample() for agent in several.agents})
print("passed")
