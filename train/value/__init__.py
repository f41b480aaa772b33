"""The value network by expert iteration."""
