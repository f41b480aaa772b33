"""Small bots for the tests of matches; other processes can import them."""

from __future__ import annotations

import os
import time

from warlight_env.engine.orders import Orders


class Idle:
    """A bot that picks the offered regions in order, and gives no orders."""

    name = "idle"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def pick(self, view):
        return list(view.offers)

    def act(self, view, budget=None):
        return Orders()


class Expander(Idle):
    """A bot that deploys its income on its first region, and attacks a weaker neighbour from each region."""

    name = "expander"

    def act(self, view, budget=None):
        own = [r for r, by in enumerate(view.owner) if by == view.player]
        army = view.army.tolist()
        army[own[0]] += view.income
        attacks = []
        for r in own:
            weaker = [q for q in view.map.neighbors[r] if view.owner[q] != view.player and army[q] < army[r] - 1]
            if weaker:
                attacks.append((r, weaker[0], army[r] - 1))
        return Orders([(own[0], view.income)], attacks)


class Crasher(Idle):
    """A bot that raises an error in its third round."""

    name = "crasher"

    def act(self, view, budget=None):
        if view.round == 2:
            raise ZeroDivisionError("nothing left to divide")
        return Orders()


class Fragile(Idle):
    """A bot that raises an error in one of eight games."""

    name = "fragile"

    def act(self, view, budget=None):
        if self.seed % 8 == 3:
            raise ZeroDivisionError("nothing left to divide")
        return Orders()


class PickCrasher(Idle):
    """A bot that raises an error when it picks."""

    name = "pick-crasher"

    def pick(self, view):
        raise KeyError("no favourite")


class Forgetful(Idle):
    """A bot that returns None instead of orders."""

    name = "forgetful"

    def act(self, view, budget=None):
        return None


class Garbled(Idle):
    """A bot that returns a region of a wrong type."""

    name = "garbled"

    def act(self, view, budget=None):
        return Orders([("everywhere", 5)])


class Cheat(Idle):
    """A bot that gives an illegal order of each kind in each round, and an illegal pick."""

    name = "cheat"

    def pick(self, view):
        return [10_000, *view.offers]

    def act(self, view, budget=None):
        own = next(r for r, by in enumerate(view.owner) if by == view.player)
        return Orders([(own, view.income + 1)], [(own, own, 1)])


class Slow(Idle):
    """A bot that waits for `seconds` before each turn."""

    name = "slow"
    seconds = 0.06

    def act(self, view, budget=None):
        time.sleep(self.seconds)
        return Orders()


class Killer(Expander):
    """A bot that ends its process in the fourth round, like an error in native code: once, or in each game."""

    def __init__(self, seed: int, flag: str, once: bool) -> None:
        super().__init__(seed)
        self._flag, self._once = flag, once

    def act(self, view, budget=None):
        if view.round == 3 and not (self._once and os.path.exists(self._flag)):
            with open(self._flag, "w"):
                os._exit(7)
        return super().act(view, budget)


class KillerSource:
    """A factory of `Killer` bots that can be sent to other processes."""

    def __init__(self, flag: str, once: bool) -> None:
        self.flag, self.once = flag, once

    def __call__(self, seed: int) -> Killer:
        return Killer(seed, self.flag, self.once)
