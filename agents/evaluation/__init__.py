"""What positions are worth: the thesis's evaluation, terms beyond it, and who is still in the game."""
