"""Turns from goals: what each is worth, the armies that it takes and where they come from."""
