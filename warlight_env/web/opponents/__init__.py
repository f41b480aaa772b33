"""The bots that the page offers, the games that each supports, and their ratings.

Imported by `web.games` and `web.http`.
"""
