"""Policies for `strategies` and `factored` by PPO of Stable-Baselines3.

This package is imported by `cli`. It imports `train.ppo` and `train.common`.
"""
