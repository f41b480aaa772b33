"""The turn network by PPO of TorchRL."""
