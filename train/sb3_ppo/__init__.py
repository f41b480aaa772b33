"""Policies for `strategies` and `factored` by PPO of Stable-Baselines3.

Imported by `cli`. Imports `train.ppo` and `train.common`.
"""
