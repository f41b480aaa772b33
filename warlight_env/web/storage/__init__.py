"""Files of a server's games: logs, seats and tokens, submitted turns.

Imported by `web.games` and `web.http`.
"""
