"""Ratings: Elo, maximum likelihood and skills, with intervals.

Imported by `arena.matches`, `arena.tournaments` and `web`. Imports no other package of `arena`.
"""

from warlight_env.arena.ratings.bradley_terry import Placing, Rating, RatingError, rate

__all__ = ["Placing", "Rating", "RatingError", "rate"]
