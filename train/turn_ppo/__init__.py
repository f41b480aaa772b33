"""The turn network by PPO of TorchRL.

Imported by `cli`. Imports `train.turn_net`, `train.ppo` and `train.common`.
"""
