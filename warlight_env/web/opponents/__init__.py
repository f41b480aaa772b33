"""The bots that the page offers, the games that each of them supports, and their ratings."""
