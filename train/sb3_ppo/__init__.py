"""Policies for `strategies` and `factored` by PPO of Stable-Baselines3."""
