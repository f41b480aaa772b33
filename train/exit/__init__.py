"""The turn network by expert iteration."""
