"""The turn network in PyTorch and as kernels with gradients.

This package is imported by `train.exit` and `train.turn_ppo`.
"""
