"""Python bots for tests of isolated agents: one plays correctly, the others have one fault each."""

from __future__ import annotations

import os
import sys
import time

from warlight_env.agents import AgentError
from warlight_env.engine.orders import Orders


class Plain:
    """A bot that deploys on its first region and attacks a neighbour from there."""

    name = "plain"

    def __init__(self, seed):
        self.seed, self.turns = seed, 0

    def pick(self, view):
        return list(view.offers)

    def act(self, view, budget=None):
        self.turns += 1
        own = [r for r, by in enumerate(view.owner) if by == view.player]
        assert view.map.regions[own[0]].name
        assert view.last_round is None or self.turns > 1
        weaker = [q for q in view.map.neighbors[own[0]] if view.owner[q] != view.player]
        army = int(view.army[own[0]]) + view.income
        return Orders([(own[0], view.income)], [(own[0], q, army - 1) for q in weaker[:1]])


class Endless(Plain):
    def act(self, view, budget=None):
        print("an endless loop begins", file=sys.stderr, flush=True)
        while True:
            time.sleep(0.01)  # takes no CPU time from other tests


class Crashing(Plain):
    def act(self, view, budget=None):
        if self.turns == 1:
            raise ZeroDivisionError("nothing left to divide")
        return super().act(view)


class Exiting(Plain):
    def act(self, view, budget=None):
        os._exit(7)


class LateOnce(Plain):
    def act(self, view, budget=None):
        if view.round == 1:
            time.sleep(1.0)
        return super().act(view)


class Broken(Plain):
    def __init__(self, seed):
        raise RuntimeError("cannot begin")


class Unlicensed(Plain):
    def __init__(self, seed):
        raise AgentError("no licence")


class WithoutAct:
    def __init__(self, seed):
        pass

    def pick(self, view):
        return []


class WithoutBudget(Plain):
    def act(self, view):
        return super().act(view)


class Hungry(Plain):
    def act(self, view, budget=None):
        self.memory = bytearray(1 << 33)
        return super().act(view)
