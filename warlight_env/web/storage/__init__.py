"""The files of a server's games: logs, seats and tokens, submitted turns."""
