"""The former place of `MaskedFactoredPolicy`, by which models of Stable-Baselines3 that were saved there are read."""

from warlight_env.train.sb3_ppo.masked_policy import MaskedFactoredPolicy

__all__ = ["MaskedFactoredPolicy"]
