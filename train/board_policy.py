"""The former place of `BoardPolicy`, by which models of Stable-Baselines3 that were saved there are read."""

from warlight_env.train.sb3_ppo.board_policy import BoardPolicy

__all__ = ["BoardPolicy"]
