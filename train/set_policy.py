"""The former module of `SetPolicy`: old saved models of Stable-Baselines3 import the class from here."""

from warlight_env.train.sb3_ppo.set_policy import SetPolicy

__all__ = ["SetPolicy"]
