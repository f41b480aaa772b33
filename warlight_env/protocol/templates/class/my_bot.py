"""A minimal bot as a class. Play a match: warlight match my_bot.py:MyBot aggressive -n 20 --map small"""

from warlight_env import Orders


class MyBot:
    """Deploys on the border with the weakest neighbour, and attacks all neighbours that are clearly weaker."""

    name = "my_bot"

    def __init__(self, seed):
        pass  # each game makes a new bot; use `seed` for random numbers

    def pick(self, view):
        """Return the offered regions, best first."""
        return list(view.offers)

    def act(self, view, budget=None):
        """Return the orders of a round. The view is the position as far as this player may see it."""
        fronts = [
            (int(view.army[target]), source, target)
            for source, neighbors in enumerate(view.map.neighbors)
            for target in neighbors
            if view.owner[source] == view.player and view.owner[target] != view.player
        ]
        if not fronts:
            return Orders()
        army = view.army.tolist()
        _, first, _ = min(fronts)
        army[first] += view.income
        attacks = []
        for defenders, source, target in sorted(fronts):
            if army[source] - 1 > 1.5 * defenders:
                attacks.append((source, target, army[source] - 1))
                army[source] = 1  # one army stays
        return Orders([(first, view.income)], attacks)
