"""Ratings of agents: Elo differences, Elo by maximum likelihood, OpenSkill ratings, and confidence intervals.

The packages `arena.matches`, `arena.tournaments` and `web` import this package; this package imports no other package
of `arena`.
"""

from warlight_env.arena.ratings.bradley_terry import GameRanking, Rating, RatingError, rate

__all__ = ["GameRanking", "Rating", "RatingError", "rate"]
