"""The turn network in PyTorch and in kernels with gradients."""
