"""Records that agents' kernels read and write: force tables, turns, networks, and what a search found."""
