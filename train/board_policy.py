"""The former module of `BoardPolicy`. Old saved models of Stable-Baselines3 refer to this module."""

from warlight_env.train.sb3_ppo.board_policy import BoardPolicy

__all__ = ["BoardPolicy"]
