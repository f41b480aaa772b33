"""The former module of `SetPolicy`. Old saved models of Stable-Baselines3 refer to this module."""

from warlight_env.train.sb3_ppo.set_policy import SetPolicy

__all__ = ["SetPolicy"]
