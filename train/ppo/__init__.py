"""Code that trainers by PPO share: iterations, opponents, checkpoints and the report.

This package is imported by `train.sb3_ppo` and `train.turn_ppo`.
"""
