"""Everything that can be chosen about a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from warlight_env.agents.generators.work import ALL_WAYS, NO_DEFENSE, PRESS
from warlight_env.agents.mcts.flat import MIDDLES
from warlight_env.agents.mcts.foresight import PLAYOUTS
from warlight_env.agents.mcts.outcome import CHOICES
from warlight_env.agents.mcts.tree import nodes_per_state, tree_bytes
from warlight_env.agents.mcts.work import Settings
from warlight_env.agents.mcts.worth import WORTHS
from warlight_env.agents.parameters import (
    FROM_ONE,
    SECONDS,
    WEIGHTS,
    Parameter,
    Range,
    Told,
    check_values,
    documented,
    parameters_of,
)
from warlight_env.agents.weights import Weights
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError

PARALLEL: Final = ("root", "tree", "lock", "leaf")
FINAL: Final = ("robust", "max", "secure", "max_robust")

#: Simulations where neither the budget nor the agent says how many: what the thesis's program did in 10 seconds.
DEFAULT_SIMULATIONS: Final = 457

#: Threads of `pmcts`.
PARALLEL_THREADS: Final = 2


@documented
@dataclass(frozen=True)
class MctsSettings:
    """Everything that can be chosen about a search; `THESIS_SETTINGS` are the thesis's.

    sampling: a "tree", or "flat": our turns at random, and no tree below them. defense: with the defensive deploy and
    the two ways to attack that wait.
    """

    simulations: Annotated[
        int | None,
        Told(
            f"simulations a move (default: {DEFAULT_SIMULATIONS}, unless secs is given)", 1, 10**9, takes=FROM_ONE,
            short="sims", more="For each tree; without seconds either, the agent decides.",
        ),
    ] = None  # fmt: skip
    seconds: Annotated[float | None, SECONDS] = None
    exploration: Annotated[
        float, Told("exploration", 0, 100, takes=Range(0), short="c", more="c in w / n + c sqrt(ln N / n).")
    ] = 0.4
    selection: Annotated[
        Literal["root", "parent"],
        Told(
            "whose visits the selection takes for N: root, parent", choices=("root", "parent"), more="The thesis: root."
        ),
    ] = "root"
    replies: Annotated[
        Literal["seen", "blind"],
        Told(
            "enemies' turns are selected knowing those before (seen), or not (blind)", choices=("seen", "blind"),
            more="Blind: by their values against all of those, decoupled UCT, for all move at once. The thesis: seen.",
        ),
    ] = "seen"  # fmt: skip
    top: Annotated[
        int,
        Told(
            "turns of a player that enter the tree, the best a round ahead; 0: all", 0, 10_000, more="By their shares."
        ),
    ] = 0
    outcome: Annotated[
        str, Told(f"the next state: {', '.join(CHOICES)}", choices=CHOICES, more="Which play of a round it is.")
    ] = "rule"
    samples: Annotated[int, Told("plays of a round to choose the next state from", 1, 10_000)] = 15
    rounds: Annotated[int, Told("length of a playout", 1, 10_000)] = 10
    playout: Annotated[
        str,
        Told(
            f"turns of playouts: {', '.join(PLAYOUTS)}", choices=PLAYOUTS,
            more="Those of the generators, the best a round ahead, the best against the worst reply, or drawn by rank.",
        ),
    ] = "random"  # fmt: skip
    tries: Annotated[int, Told("plays in which top and playout try each turn", 1, 10_000)] = 1
    drawn: Annotated[int, Told("best turns that playout=weighted draws from", 1, 10_000)] = 3
    values: Annotated[
        str,
        Told(
            f"worth of a simulation: {', '.join(WORTHS)}", choices=WORTHS,
            more="Shares of the position; or the first place alpha to 1, the others 0 to beta.",
        ),
    ] = "shares"  # fmt: skip
    alpha: Annotated[float, Told("least worth of the first place", 0, 1)] = 0.96
    beta: Annotated[float, Told("most worth of the other places", 0, 1, more="At most alpha.")] = 0.5
    final: Annotated[
        str,
        Told(
            f"the answer: {', '.join(FINAL)}", choices=FINAL,
            more="The most visits, the best value, the best lower bound, or on until the first two agree: at most "
            "twice the simulations, and of the tree's seconds half, then up to the rest. Of flat sampling the median, "
            "mean or mode of its values.",
        ),
    ] = "robust"  # fmt: skip
    parallel: Annotated[
        str,
        Told(
            "threads share: root (nothing), tree, lock, leaf", choices=PARALLEL,
            more="A tree for each, one tree with virtual loss, one tree with one lock, several playouts per leaf.",
        ),
    ] = "root"  # fmt: skip
    threads: Annotated[int, Told("threads", 1, 1000, takes=Range(1, 10_000))] = 1
    trees: Annotated[int | None, Told("trees of parallel=root (default: one per thread)", 1, 1000, takes=FROM_ONE)] = (
        None
    )
    virtual_loss: Annotated[
        int, Told("visits that a thread below a node pretends to have lost", 1, 1000, takes=Range(1, 10_000))
    ] = 1
    memory: Annotated[int, Told("MiB for each tree, at most", 1, 10_000)] = 256
    refine: Annotated[
        float,
        Told(
            "part of the budget for local search on the answer", 0, 0.99, takes=Range(0, 1, below_high=True),
            more="A trial (see `agents.refining`) for a simulation, which is about half the time.",
        ),
    ] = 0.5  # fmt: skip
    scenarios: Annotated[int, Told("scenarios in which the local search tries turns", 1, 10_000)] = 96
    horizon: Annotated[int, Told("rounds of a scenario", 1, 10_000)] = 3
    picks: Annotated[
        Literal["best", "search"],
        Told(
            "starting regions: the best set by value, or search", choices=("best", "search"), more="Over the best sets."
        ),
    ] = "best"
    turns: Annotated[
        Literal["ours", "thesis"],
        Told(
            "the generators': ours, or the thesis's, in which more armies stay behind", choices=("ours", "thesis"),
            more="Those that no favourable attack needs.",
        ),
    ] = "ours"  # fmt: skip
    weights: Annotated[Any, WEIGHTS] = "default"  #: a name, a file or a record on the way in; the record from then on
    sampling: Literal["tree", "flat"] = "tree"
    defense: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", Weights.load(self.weights))  # a file is read once

        def need(condition: bool, name: str, reason: str) -> None:
            if not condition:
                raise InputError(f"{name} = {getattr(self, name)!r}: {reason}")

        flat = self.sampling == "flat"
        check_values(MctsSettings, vars(self), leave_out=("final",) if flat else ())
        need(self.sampling in ("tree", "flat"), "sampling", "must be one of tree, flat")
        need(self.beta <= self.alpha, "beta", f"must lie in 0 .. alpha, {self.alpha:g}")
        need(not flat or self.picks == "best", "picks", "flat sampling picks the best set")
        need(not flat or self.final in MIDDLES, "final", f"must be one of {', '.join(MIDDLES)}")

    @property
    def ways(self) -> int:
        """The bits that generators take."""
        ways = ALL_WAYS if self.defense else NO_DEFENSE
        return ways if self.turns == "ours" else ways & ~PRESS

    def for_kernels(self, player: int, players: int) -> Settings:
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
                ways=self.ways,
                locked=self.parallel == "lock" and threads,
                virtual=self.virtual_loss if self.parallel in ("tree", "lock") and threads else 0,
                player=player,
                players=players,
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

#: The parameters of `mcts`, and of each of its kin what is another there.
PARAMETERS: Final = parameters_of(MctsSettings)
_THESIS_TURNS: Final = Parameter(
    str, "thesis", "the generators': thesis, or ours, in which fewer armies stay behind", choices=("ours", "thesis")
)
THESIS_PARAMETERS: Final = {
    **parameters_of(
        MctsSettings, exploration=THESIS_SETTINGS.exploration, refine=THESIS_SETTINGS.refine, weights="thesis"
    ),
    "turns": _THESIS_TURNS,
}
PARALLEL_PARAMETERS: Final = parameters_of(MctsSettings, threads=PARALLEL_THREADS)
_NOT_FLAT: Final = ("c", "selection", "replies", "final", "top", "picks", "refine", "scenarios", "horizon")
FLAT_PARAMETERS: Final = {
    **{name: parameter for name, parameter in PARAMETERS.items() if name not in _NOT_FLAT},
    "rounds": Parameter(
        int, FLAT_SETTINGS.rounds, "length of a simulation, the round of the turn included", 1, 10_000
    ),
    "answer": Parameter(
        str, FLAT_SETTINGS.final, f"the middle of a turn's results: {', '.join(MIDDLES)}", choices=MIDDLES
    ),
}  # fmt: skip

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
