"""The settings that all searches with simulations have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from warlight_env.agents.parameters import FROM_ONE, SECONDS, WEIGHTS, Param, Range, check_values, documented
from warlight_env.agents.plug_ins.functions import BUILT_IN, Functions, plug_in
from warlight_env.agents.records.generator_work import ALL_GENERATORS, NO_DEFENSE, PRESS
from warlight_env.agents.records.value_record import VALUE, load_value
from warlight_env.agents.search.outcome import OUTCOMES
from warlight_env.agents.search.rollout_policy import ROLLOUT_POLICIES
from warlight_env.agents.search.simulation import SimulationSettings
from warlight_env.agents.search.simulation_utility import UTILITIES
from warlight_env.agents.turn_net.candidates import plans_and_samples
from warlight_env.agents.turn_net.choice import load_networks
from warlight_env.agents.turn_net.turn_network_file import NET
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import address
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError

PARALLEL: Final = ("root", "tree", "lock", "leaf")
#: Number of candidate turns in a position if a turn network proposes turns; half of the candidate turns are plans.
NET_CANDIDATES: Final = 20

#: Number of simulations per move if neither the budget nor the agent has limits. The thesis's program made this number
#: of simulations in 10 seconds.
DEFAULT_SIMULATIONS: Final = 457


@documented
@dataclass(frozen=True)
class SearchSettings:
    """The settings that all searches with simulations have in common.

    defense: whether turns use the defensive deploy and all methods of attack. If `defense` is False, `offensive` is the
    only method of attack, and there is no defensive deploy.
    """

    simulations: Annotated[
        int | None,
        Param(
            f"simulations per move (default: {DEFAULT_SIMULATIONS}, unless secs is given)", 1, 10**9,
            python_range=FROM_ONE, spec_name="sims",
            more="Each tree makes this number of simulations. If seconds are not given either, the agent decides.",
        ),
    ] = None  # fmt: skip
    seconds: Annotated[float | None, SECONDS] = None
    outcome: Annotated[
        str,
        Param(
            f"choice of the next state: {', '.join(OUTCOMES)}", choices=OUTCOMES, shared=True,
            more="The next state is the result of one of several simulations of the round.",
        ),
    ] = "rule"  # fmt: skip
    samples: Annotated[
        int, Param("number of simulations of a round to choose the next state from", 1, 10_000, shared=True)
    ] = 15
    rounds: Annotated[
        int,
        Param("length of a playout in rounds", 0, 10_000, shared=True, more="With 0, leaves are evaluated directly."),
    ] = 10
    playout: Annotated[
        str,
        Param(
            f"policy of playouts: {', '.join(ROLLOUT_POLICIES)}", choices=ROLLOUT_POLICIES, shared=True,
            more="random: a random candidate turn. one_ply: the best turn after a one-round lookahead. two_ply: the "
            "best turn against the worst reply. weighted: one of the top_k best turns, drawn by rank.",
        ),
    ] = "random"  # fmt: skip
    lookahead_samples: Annotated[
        int, Param("number of simulations that score a turn, for breadth and playout", 1, 10_000, shared=True)
    ] = 1
    top_k: Annotated[int, Param("number of best turns; playout=weighted draws one of them", 1, 10_000, shared=True)] = 3
    utility: Annotated[
        str,
        Param(
            f"value of a simulation: {', '.join(UTILITIES)}", choices=UTILITIES, shared=True,
            more="shares: the players' shares of the position's value. placements: a value from alpha to 1 for the "
            "first place, and from 0 to beta for other places.",
        ),
    ] = "shares"  # fmt: skip
    alpha: Annotated[
        float, Param("minimum value of the first place with utility=placements", 0, 1, shared=True)
    ] = 0.96  # fmt: skip
    beta: Annotated[
        float,
        Param(
            "maximum value of the other places with utility=placements", 0, 1, shared=True, more="It is at most alpha."
        ),
    ] = 0.5
    parallel: Annotated[
        str,
        Param(
            "parallelization: root (threads share nothing), tree, lock (tree with one lock), leaf",
            choices=PARALLEL, shared=True,
            more="root: a tree per thread. tree: one tree with virtual loss. lock: one tree with one lock. leaf: "
            "several playouts per leaf.",
        ),
    ] = "root"  # fmt: skip
    threads: Annotated[int, Param("number of threads", 1, 1000, python_range=Range(1, 10_000), shared=True)] = 1
    trees: Annotated[
        int | None,
        Param(
            "number of trees with parallel=root (default: one per thread)", 1, 1000, python_range=FROM_ONE, shared=True
        ),
    ] = None
    virtual_loss: Annotated[
        int,
        Param(
            "number of lost visits that a node counts for each thread below it", 1, 1000, python_range=Range(1, 10_000),
            shared=True,
        ),
    ] = 1  # fmt: skip
    memory: Annotated[int, Param("maximum memory per tree, in MiB", 1, 10_000, shared=True)] = 256
    local_search: Annotated[
        float,
        Param(
            "fraction of the budget for local search, which improves the answer", 0, 0.99,
            python_range=Range(0, 1, below_high=True), shared=True,
            more="A trial (see `search.local_search`) counts as a simulation and takes about half as long.",
        ),
    ] = 0.5  # fmt: skip
    scenarios: Annotated[
        int, Param("number of scenarios in which local search tests turns", 1, 10_000, shared=True)
    ] = 96  # fmt: skip
    horizon: Annotated[int, Param("length of a scenario in rounds", 1, 10_000, shared=True)] = 3
    turns: Annotated[
        Literal["extended", "thesis"],
        Param(
            "turns of the generators: extended, or thesis (armies without an order stay in their region)",
            choices=("extended", "thesis"), shared=True,
            more="In extended turns, armies without an order join an attack.",
        ),
    ] = "extended"  # fmt: skip
    weights: Annotated[Any, WEIGHTS] = "default"  #: argument: a name, a file or `Weights`; the field is `Weights`
    value: Annotated[Any, VALUE] = "weights"  #: argument: a name, a file or a network; the field is a network or None
    net: Annotated[Any, NET] = "none"  #: argument: a name, a file or a network; the field is `TurnNetworks` or None
    defense: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", Weights.load(self.weights))  # files are read only here
        object.__setattr__(self, "value", load_value(self.value))
        object.__setattr__(self, "net", load_networks(self.net))
        check_values(type(self), vars(self))
        if self.beta > self.alpha:
            raise InputError(f"beta = {self.beta!r}: must lie in 0 .. alpha, {self.alpha:g}")

    @property
    def generators(self) -> int:
        """The bit mask of the methods that propose turns, for `Context.generators`."""
        generators = ALL_GENERATORS if self.defense else NO_DEFENSE
        return generators if self.turns == "extended" else generators & ~PRESS

    def functions(self, custom: Functions) -> Functions:
        """Return the given functions. If the settings have a turn network, it supplies a missing generator or policy.

        The network's generator proposes plans and turns of the network; its policy plays turns of the network in
        playouts.
        """
        if self.net is None:
            return custom
        if custom.generator is None:
            custom = replace(custom, generator=plans_and_samples, capacity=NET_CANDIDATES)
        return custom if custom.policy is not None else replace(custom, policy=sampled_turn)

    def for_playing(self, player: int, functions: Functions = BUILT_IN) -> SimulationSettings:
        """Return the settings of simulations, for kernels. player: the searching player."""
        return reference(
            SimulationSettings(
                player=player,
                outcome=OUTCOMES.address(self.outcome),
                rounds=self.rounds,
                move=ROLLOUT_POLICIES.address(self.playout),
                lookahead_samples=self.lookahead_samples,
                top_k=self.top_k,
                leaf=address(plug_in("leaf", functions.leaf)),
                utility=UTILITIES.index(self.utility),
                alpha=float(self.alpha),
                beta=float(self.beta),
            )
        )

    @property
    def n_trees(self) -> int:
        """The number of trees, or other stores, that the search fills in parallel."""
        return (self.trees or self.threads) if self.parallel == "root" else 1

    @property
    def workers(self) -> int:
        """The number of threads that share one tree."""
        return self.threads if self.parallel != "root" else 1
