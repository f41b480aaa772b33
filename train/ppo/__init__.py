"""Code that both trainers with PPO share: iterations, opponents, checkpoints and the report.

The packages `train.sb3_ppo` and `train.turn_ppo` import this package.
"""
