"""A trainer of the turn network with the PPO of TorchRL.

The package `cli` imports this package; this package imports `train.turn_net`, `train.ppo` and `train.common`.
"""
