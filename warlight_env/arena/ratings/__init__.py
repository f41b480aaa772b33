"""Ratings of agents: Elo differences, Elo by maximum likelihood, OpenSkill ratings, and confidence intervals.

Imported by `arena.matches`, `arena.tournaments` and `web`. Imports no other package of `arena`.
"""

from warlight_env.arena.ratings.bradley_terry import GameRanking, Rating, RatingError, rate

__all__ = ["GameRanking", "Rating", "RatingError", "rate"]
