"""How strong agents are: Elo, ratings and skills, with intervals that say how sure that is."""

from warlight_env.arena.ratings.likelihood import Placing, Rating, RatingError, rate

__all__ = ["Placing", "Rating", "RatingError", "rate"]
