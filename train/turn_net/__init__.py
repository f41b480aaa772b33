"""The turn network in PyTorch and as kernels with gradients.

Imported by `train.exit` and `train.turn_ppo`.
"""
