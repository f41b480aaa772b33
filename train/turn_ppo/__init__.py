"""The turn network by PPO of TorchRL.

This package is imported by `cli`. It imports `train.turn_net`, `train.ppo` and `train.common`.
"""
