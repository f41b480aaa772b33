"""Many games on a backend, in a folder that an end of any kind leaves whole."""
