"""The bots that the page offers, the games that each bot supports, and the bots' ratings.

The packages `web.games` and `web.http` import this package.
"""
