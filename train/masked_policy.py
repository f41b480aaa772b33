"""The former module of `MaskedFactoredPolicy`: old saved models of Stable-Baselines3 import the class from here."""

from warlight_env.train.sb3_ppo.masked_policy import MaskedFactoredPolicy

__all__ = ["MaskedFactoredPolicy"]
