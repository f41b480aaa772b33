"""Files of a server's games: logs, seats and tokens, submitted turns.

The packages `web.games` and `web.http` import this package.
"""
