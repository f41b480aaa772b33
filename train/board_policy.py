"""The former module of `BoardPolicy`: old saved models of Stable-Baselines3 import the class from here."""

from warlight_env.train.sb3_ppo.board_policy import BoardPolicy

__all__ = ["BoardPolicy"]
