"""Games that are played on the server: their loop, the commands of players, and the events for viewers."""
