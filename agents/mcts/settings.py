"""Everything that can be chosen about a search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from warlight_env.agents.base import check_integer
from warlight_env.agents.generator_work import ALL_WAYS, NO_DEFENSE, PRESS
from warlight_env.agents.mcts.flat import MIDDLES
from warlight_env.agents.mcts.foresight import PLAYOUTS, foresight
from warlight_env.agents.mcts.outcome import CHOICES
from warlight_env.agents.mcts.tree import nodes_per_state, tree_bytes
from warlight_env.agents.mcts.work import Settings
from warlight_env.agents.mcts.worth import WORTHS
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import address
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError

PARALLEL: Final = ("root", "tree", "lock", "leaf")
FINAL: Final = ("robust", "max", "secure", "max_robust")


@dataclass(frozen=True)
class MctsSettings:
    """Everything that can be chosen about a search; `THESIS_SETTINGS` are the thesis's.

    simulations, seconds: the budget of a move, for each tree; both None: the agent decides.
    exploration: c in w / n + c sqrt(ln N / n). selection: N is the visits of the "root" (thesis) or the "parent".
    replies: an enemy's turn in the tree is selected knowing those before it ("seen", thesis), or by its value against
    all of those ("blind"): decoupled UCT, for all move at once.
    sampling: a "tree", or "flat": our turns at random, and no tree below them.
    top: turns of a player that enter the tree, the best by their shares a round ahead; 0: all.
    outcome: which play of a round is the next state, see `outcome.CHOICES`; samples: plays of a round;
    rounds: length of a playout. playout: its turns are "random" ones of the generators', those that are best a round
    ahead ("one_ply"), best against the worst reply ("two_ply"), or drawn by rank from the best `drawn` ("weighted");
    tries: plays of the round in which these and `top` try each turn.
    values: what a simulation is worth: "shares" of the position, or "placements": the first place alpha to 1, the
    others 0 to beta.
    final: the root's child to answer with: "robust" (most visits), "max" (best value),
    "secure" (best lower bound), "max_robust" (goes on until the first two agree: at most twice the simulations; of
    the tree's seconds it spends half, and then up to the rest); of "flat", by the "median", "mean" or "mode" of its
    values.
    parallel, threads: "root" (a tree per thread), "tree" (one tree, virtual loss), "lock" (one tree, one lock),
    "leaf" (several playouts per leaf). trees: of "root"; None: as many as threads.
    virtual_loss: visits that a thread pretends to have lost. memory: MiB for each tree.
    refine: part of the budget that goes to local search on the answer, a trial for a simulation (see
    `agents.refining`), which is about half the time; scenarios: in which it tries turns; horizon: rounds of a scenario.
    picks: starting regions are the "best" set by value, or found by a "search" over the best sets.
    turns: "ours" or the "thesis"'s, in which armies stay behind that no favourable attack needs; defense: with the
    defensive deploy and the two ways to attack that wait.
    """

    simulations: int | None = None
    seconds: float | None = None
    exploration: float = 0.4
    sampling: Literal["tree", "flat"] = "tree"
    selection: Literal["root", "parent"] = "root"
    replies: Literal["seen", "blind"] = "seen"
    outcome: str = "rule"
    samples: int = 15
    rounds: int = 10
    playout: str = "random"
    tries: int = 1
    drawn: int = 3
    top: int = 0
    values: str = "shares"
    alpha: float = 0.96
    beta: float = 0.5
    final: str = "robust"
    parallel: str = "root"
    threads: int = 1
    trees: int | None = None
    virtual_loss: int = 1
    memory: int = 256
    refine: float = 0.5
    scenarios: int = 96
    horizon: int = 3
    picks: Literal["best", "search"] = "best"
    turns: Literal["ours", "thesis"] = "ours"
    defense: bool = True
    weights: Any = "default"  #: a name, a file or a record on the way in; the record from then on

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", Weights.load(self.weights))  # a file is read once

        def need(condition: bool, name: str, reason: str) -> None:
            if not condition:
                raise InputError(f"{name} = {getattr(self, name)!r}: {reason}")

        for name in (
            "samples", "rounds", "tries", "drawn", "threads", "virtual_loss", "memory", "scenarios", "horizon",
        ):  # fmt: skip
            check_integer(name, getattr(self, name), 1, 10_000)
        check_integer("top", self.top, 0, 10_000)
        for name in ("simulations", "trees"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), 1)
        need(self.seconds is None or (math.isfinite(self.seconds) and self.seconds > 0), "seconds", "must be above 0")
        need(math.isfinite(self.exploration) and self.exploration >= 0, "exploration", "must be at least 0")
        fits = isinstance(self.refine, int | float) and not isinstance(self.refine, bool) and 0 <= self.refine < 1
        need(fits, "refine", "must be a number from 0 to below 1")
        need(0 <= self.alpha <= 1, "alpha", "must lie in 0 .. 1")
        need(0 <= self.beta <= self.alpha, "beta", f"must lie in 0 .. alpha, {self.alpha:g}")
        flat = self.sampling == "flat"
        need(not flat or self.picks == "best", "picks", "flat sampling picks the best set")
        for name, known in (
            ("selection", ("root", "parent")), ("replies", ("seen", "blind")),
            ("outcome", CHOICES), ("final", MIDDLES if flat else FINAL), ("parallel", PARALLEL),
            ("sampling", ("tree", "flat")), ("playout", PLAYOUTS), ("values", WORTHS),
            ("turns", ("ours", "thesis")), ("picks", ("best", "search")),
        ):  # fmt: skip
            need(getattr(self, name) in known, name, f"must be one of {', '.join(known)}")

    @property
    def ways(self) -> int:
        """The bits that generators take."""
        ways = ALL_WAYS if self.defense else NO_DEFENSE
        return ways if self.turns == "ours" else ways & ~PRESS

    def for_kernels(self, player: int) -> Settings:
        """What kernels take, for the player that searches."""
        threads = self.threads > 1
        return reference(
            Settings(
                exploration=float(self.exploration),
                root_visits=self.selection == "root",
                blind=self.replies == "blind",
                choice=CHOICES.index(self.outcome),
                rounds=self.rounds,
                playout=PLAYOUTS.index(self.playout),
                tries=self.tries,
                drawn=self.drawn,
                top=self.top,
                worth=WORTHS.index(self.values),
                alpha=float(self.alpha),
                beta=float(self.beta),
                locked=self.parallel == "lock" and threads,
                virtual=self.virtual_loss if self.parallel in ("tree", "lock") and threads else 0,
                player=player,
                foresee=address(foresight(self.playout != "random" or self.top > 0)),
            )
        )

    @property
    def n_trees(self) -> int:
        """Trees that are grown side by side."""
        return (self.trees or self.threads) if self.parallel == "root" else 1


#: What the thesis's author chose.
THESIS_SETTINGS: Final = MctsSettings(exploration=1.41, refine=0.0, turns="thesis", weights="thesis")


#: Flat Monte Carlo as its authors found it best.
FLAT_SETTINGS: Final = MctsSettings(sampling="flat", final="median", rounds=5, refine=0.0)

_RESULT_BYTES = 12


def nodes_for(settings: MctsSettings, n_regions: int, simulations: int | None, players: int = 2) -> int:
    """Places for nodes that a tree gets: what `settings.memory` allows, or what so many simulations need at most.

    Under flat sampling: places for results, one a simulation.
    """
    flat = settings.sampling == "flat"
    size = _RESULT_BYTES if flat else tree_bytes(n_regions, 1, players)
    allowed = max(1000, settings.memory * 2**20 // size)
    if simulations is None:
        return allowed
    if flat:
        return min(allowed, max(1000, simulations))
    # A simulation expands one state at most. Places come with room for orders in proportion; turns of many orders may
    # need twice the average. The root of a search for picks has more children than others.
    return min(allowed, 10_000 + 2 * nodes_per_state(players) * simulations)
