"""What can be chosen about any search that simulates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from warlight_env.agents.base import check_integer
from warlight_env.agents.generator_work import ALL_WAYS, NO_DEFENSE, PRESS
from warlight_env.agents.plug_ins import BUILT_IN, Functions, plug_in
from warlight_env.agents.search.foresight import PLAYOUTS
from warlight_env.agents.search.outcome import OUTCOMES
from warlight_env.agents.search.playing import PlaySettings, play_settings
from warlight_env.agents.search.worth import WORTHS
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import address
from warlight_env.errors import InputError

PARALLEL: Final = ("root", "tree", "lock", "leaf")


@dataclass(frozen=True)
class SearchSettings:
    """What all searches have that simulate.

    simulations, seconds: the budget of a move, for each store; both None: the agent decides.
    outcome: which play of a round is the next state, see `outcome.OUTCOMES`; samples: plays of a round;
    rounds: length of a playout; 0: leaves are valued as they are. playout: its turns are "random" ones of the
    generators', those that are best a round ahead ("one_ply"), best against the worst reply ("two_ply"), or drawn by
    rank from the best `drawn` ("weighted"); tries: plays of the round in which these try each turn.
    values: what a simulation is worth: "shares" of the position, or "placements": the first place alpha to 1, the
    others 0 to beta.
    parallel, threads: "root" (a tree per thread), "tree" (one tree, virtual loss), "lock" (one tree, one lock),
    "leaf" (several playouts per leaf). trees: of "root"; None: as many as threads.
    virtual_loss: visits that a thread pretends to have lost. memory: MiB for each tree.
    refine: part of the budget that goes to local search on the answer, a trial for a simulation (see
    `search.refining`), which is about half the time; scenarios: in which it tries turns; horizon: rounds of a scenario.
    turns: "ours" or the "thesis"'s, in which armies stay behind that no favourable attack needs; defense: with the
    defensive deploy and the two ways to attack that wait.
    """

    simulations: int | None = None
    seconds: float | None = None
    outcome: str = "rule"
    samples: int = 15
    rounds: int = 10
    playout: str = "random"
    tries: int = 1
    drawn: int = 3
    values: str = "shares"
    alpha: float = 0.96
    beta: float = 0.5
    parallel: str = "root"
    threads: int = 1
    trees: int | None = None
    virtual_loss: int = 1
    memory: int = 256
    refine: float = 0.5
    scenarios: int = 96
    horizon: int = 3
    turns: Literal["ours", "thesis"] = "ours"
    defense: bool = True
    weights: Any = "default"  #: a name, a file or a record on the way in; the record from then on

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", Weights.load(self.weights))  # a file is read once
        for name in ("samples", "tries", "drawn", "threads", "virtual_loss", "memory", "scenarios", "horizon"):
            check_integer(name, getattr(self, name), 1, 10_000)
        check_integer("rounds", self.rounds, self.fewest_rounds, 10_000)
        for name in ("simulations", "trees"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), 1)
        seconds = self.seconds
        self.need(seconds is None or (math.isfinite(seconds) and seconds > 0), "seconds", "must be above 0")
        fits = isinstance(self.refine, int | float) and not isinstance(self.refine, bool) and 0 <= self.refine < 1
        self.need(fits, "refine", "must be a number from 0 to below 1")
        self.need(0 <= self.alpha <= 1, "alpha", "must lie in 0 .. 1")
        self.need(0 <= self.beta <= self.alpha, "beta", f"must lie in 0 .. alpha, {self.alpha:g}")
        self.one_of("outcome", OUTCOMES)
        self.one_of("parallel", PARALLEL)
        self.one_of("playout", PLAYOUTS)
        self.one_of("values", WORTHS)
        self.one_of("turns", ("ours", "thesis"))

    #: The least `rounds`.
    fewest_rounds = 0

    def need(self, condition: bool, name: str, reason: str) -> None:
        """Raise InputError, of a parameter, unless a condition holds."""
        if not condition:
            raise InputError(f"{name} = {getattr(self, name)!r}: {reason}")

    def one_of(self, name: str, known: Iterable[str]) -> None:
        """Raise InputError unless a parameter is one of the names."""
        self.need(getattr(self, name) in tuple(known), name, f"must be one of {', '.join(known)}")

    @property
    def ways(self) -> int:
        """The bits that generators take."""
        ways = ALL_WAYS if self.defense else NO_DEFENSE
        return ways if self.turns == "ours" else ways & ~PRESS

    def for_playing(self, player: int, functions: Functions = BUILT_IN) -> PlaySettings:
        """What kernels that play rounds take, for the player that searches."""
        return play_settings(
            player=player,
            outcome=OUTCOMES.address(self.outcome),
            rounds=self.rounds,
            move=PLAYOUTS.address(self.playout),
            tries=self.tries,
            drawn=self.drawn,
            leaf=address(plug_in("leaf", functions.leaf)),
            worth=WORTHS.index(self.values),
            alpha=float(self.alpha),
            beta=float(self.beta),
        )

    @property
    def n_trees(self) -> int:
        """Trees that are grown side by side, or what else a search grows."""
        return (self.trees or self.threads) if self.parallel == "root" else 1

    @property
    def workers(self) -> int:
        """Threads that share one."""
        return self.threads if self.parallel != "root" else 1
