"""A trainer of policies for the action encodings `strategies` and `factored`, with the PPO of Stable-Baselines3.

The package `cli` imports this package; this package imports `train.ppo` and `train.common`.
"""
