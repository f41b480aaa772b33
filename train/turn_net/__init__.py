"""The training code of the turn network: in PyTorch, and as kernels with gradients.

The packages `train.exit` and `train.turn_ppo` import this package.
"""
