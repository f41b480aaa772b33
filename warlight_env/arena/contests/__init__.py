"""Many games on a backend, with a run folder that survives every kind of interruption."""
