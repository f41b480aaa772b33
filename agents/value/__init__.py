"""A value function that was learned: features of a position, and a small network that says who will win."""
