"""The training code of the turn network, in PyTorch and in compiled functions (kernels) that compute gradients.

The packages `train.exit` and `train.turn_ppo` import this package.
"""
