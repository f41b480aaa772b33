"""The former place of `SetPolicy`, by which models of Stable-Baselines3 that were saved there are read."""

from warlight_env.train.sb3_ppo.set_policy import SetPolicy

__all__ = ["SetPolicy"]
