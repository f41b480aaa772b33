"""Functions that users give to agents: their signatures, and the checks of what they return."""
