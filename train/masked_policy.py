"""The former module of `MaskedFactoredPolicy`. Old saved models of Stable-Baselines3 refer to this module."""

from warlight_env.train.sb3_ppo.masked_policy import MaskedFactoredPolicy

__all__ = ["MaskedFactoredPolicy"]
