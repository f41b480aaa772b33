"""Settings of every search that simulates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from warlight_env.agents.parameters import FROM_ONE, SECONDS, WEIGHTS, Range, Told, check_values, documented
from warlight_env.agents.plug_ins.functions import BUILT_IN, Functions, plug_in
from warlight_env.agents.records.generator_work import ALL_WAYS, NO_DEFENSE, PRESS
from warlight_env.agents.records.value_record import VALUE, load_value
from warlight_env.agents.search.foresight import PLAYOUTS
from warlight_env.agents.search.outcome import OUTCOMES
from warlight_env.agents.search.playing import PlaySettings, play_settings
from warlight_env.agents.search.worth import WORTHS
from warlight_env.agents.turn_net.candidates import plans_and_samples
from warlight_env.agents.turn_net.choice import load_networks
from warlight_env.agents.turn_net.turn_file import NET
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import address
from warlight_env.errors import InputError

PARALLEL: Final = ("root", "tree", "lock", "leaf")
#: Turns of a position if a turn network proposes some of them; half of them are plans.
NET_CANDIDATES: Final = 20

#: Simulations if neither the budget nor the agent has limits. The thesis's program did this number in 10 seconds.
DEFAULT_SIMULATIONS: Final = 457


@documented
@dataclass(frozen=True)
class SearchSettings:
    """The settings of every search that simulates.

    defense: use the defensive deploy and the two methods to attack that wait.
    """

    simulations: Annotated[
        int | None,
        Told(
            f"simulations a move (default: {DEFAULT_SIMULATIONS}, unless secs is given)", 1, 10**9, takes=FROM_ONE,
            short="sims", more="For each tree; without seconds either, the agent decides.",
        ),
    ] = None  # fmt: skip
    seconds: Annotated[float | None, SECONDS] = None
    outcome: Annotated[
        str,
        Told(
            f"the next state: {', '.join(OUTCOMES)}", choices=OUTCOMES, shared=True,
            more="Which play of a round it is.",
        ),
    ] = "rule"  # fmt: skip
    samples: Annotated[int, Told("plays of a round to choose the next state from", 1, 10_000, shared=True)] = 15
    rounds: Annotated[
        int, Told("length of a playout", 0, 10_000, shared=True, more="With 0 leaves are valued as they are.")
    ] = 10
    playout: Annotated[
        str,
        Told(
            f"turns of playouts: {', '.join(PLAYOUTS)}", choices=PLAYOUTS, shared=True,
            more="Those of the generators, the best a round ahead, the best against the worst reply, or drawn by rank.",
        ),
    ] = "random"  # fmt: skip
    tries: Annotated[int, Told("plays in which top and playout try each turn", 1, 10_000, shared=True)] = 1
    drawn: Annotated[int, Told("best turns that playout=weighted draws from", 1, 10_000, shared=True)] = 3
    values: Annotated[
        str,
        Told(
            f"worth of a simulation: {', '.join(WORTHS)}", choices=WORTHS, shared=True,
            more="Shares of the position; or the first place alpha to 1, the others 0 to beta.",
        ),
    ] = "shares"  # fmt: skip
    alpha: Annotated[float, Told("least worth of the first place", 0, 1, shared=True)] = 0.96
    beta: Annotated[float, Told("most worth of the other places", 0, 1, shared=True, more="At most alpha.")] = 0.5
    parallel: Annotated[
        str,
        Told(
            "threads share: root (nothing), tree, lock, leaf", choices=PARALLEL, shared=True,
            more="A tree for each, one tree with virtual loss, one tree with one lock, several playouts per leaf.",
        ),
    ] = "root"  # fmt: skip
    threads: Annotated[int, Told("threads", 1, 1000, takes=Range(1, 10_000), shared=True)] = 1
    trees: Annotated[
        int | None, Told("trees of parallel=root (default: one per thread)", 1, 1000, takes=FROM_ONE, shared=True)
    ] = None
    virtual_loss: Annotated[
        int,
        Told(
            "visits that a thread below a node pretends to have lost", 1, 1000, takes=Range(1, 10_000), shared=True
        ),
    ] = 1  # fmt: skip
    memory: Annotated[int, Told("MiB for each tree, at most", 1, 10_000, shared=True)] = 256
    refine: Annotated[
        float,
        Told(
            "part of the budget for local search on the answer", 0, 0.99, takes=Range(0, 1, below_high=True),
            shared=True, more="A trial (see `search.refining`) for a simulation, which is about half the time.",
        ),
    ] = 0.5  # fmt: skip
    scenarios: Annotated[
        int, Told("scenarios in which the local search tries turns", 1, 10_000, shared=True)
    ] = 96  # fmt: skip
    horizon: Annotated[int, Told("rounds of a scenario", 1, 10_000, shared=True)] = 3
    turns: Annotated[
        Literal["ours", "thesis"],
        Told(
            "the generators': ours, or the thesis's, in which more armies stay behind", choices=("ours", "thesis"),
            shared=True, more="Those that no favourable attack needs.",
        ),
    ] = "ours"  # fmt: skip
    weights: Annotated[Any, WEIGHTS] = "default"  #: a name, a file or a record as argument; later always the record
    value: Annotated[Any, VALUE] = "weights"  #: …
    net: Annotated[Any, NET] = "none"  #: …
    defense: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", Weights.load(self.weights))  # files are read once
        object.__setattr__(self, "value", load_value(self.value))
        object.__setattr__(self, "net", load_networks(self.net))
        check_values(type(self), vars(self))
        if self.beta > self.alpha:
            raise InputError(f"beta = {self.beta!r}: must lie in 0 .. alpha, {self.alpha:g}")

    @property
    def ways(self) -> int:
        """The bits of `ways` for generators."""
        ways = ALL_WAYS if self.defense else NO_DEFENSE
        return ways if self.turns == "ours" else ways & ~PRESS

    def functions(self, given: Functions) -> Functions:
        """Return the given functions; with a turn network, its turns replace the built-in functions that are missing.

        They are candidates beside plans, and they are the turns of playouts.
        """
        if self.net is None:
            return given
        if given.generator is None:
            given = replace(given, generator=plans_and_samples, capacity=NET_CANDIDATES)
        return given if given.policy is not None else replace(given, policy=sampled_turn)

    def for_playing(self, player: int, functions: Functions = BUILT_IN) -> PlaySettings:
        """Return the settings of kernels that play rounds, for the searching player."""
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
        """The number of trees, or other stores, that are grown in parallel."""
        return (self.trees or self.threads) if self.parallel == "root" else 1

    @property
    def workers(self) -> int:
        """The number of threads that share one tree."""
        return self.threads if self.parallel != "root" else 1
