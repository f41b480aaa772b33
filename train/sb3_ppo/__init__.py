"""Policies for `strategies` and `factored` by PPO of Stable-Baselines3.

The package `cli` imports this package; this package imports `train.ppo` and `train.common`.
"""
