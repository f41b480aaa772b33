"""A network that plays turns in full, on any map and with any number of players: what it reads, and its pass."""
