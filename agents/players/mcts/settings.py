"""The settings of Monte Carlo tree search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from warlight_env.agents.parameters import Param, Range, documented, parameters_of
from warlight_env.agents.players.mcts.selection import SELECTIONS
from warlight_env.agents.players.mcts.tree import LEAST_NODES, nodes_per_state, tree_bytes
from warlight_env.agents.players.mcts.work import TreeSettings
from warlight_env.agents.plug_ins.functions import BUILT_IN, Functions, plug_in
from warlight_env.agents.search.final_move import FINAL_MOVE_RULES
from warlight_env.agents.search.rollout_policy import NARROWINGS
from warlight_env.agents.search.search_settings import SearchSettings
from warlight_env.agents.search.simulation import SimulationSettings
from warlight_env.engine.jit import address
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError

#: The default number of threads of the agent `pmcts`.
PARALLEL_THREADS: Final = 2


@documented
@dataclass(frozen=True)
class MctsSettings(SearchSettings):
    """The settings of a tree search. `THESIS_SETTINGS` contains the values that the thesis uses."""

    exploration: Annotated[
        float,
        Param(
            "exploration constant", 0, 100, python_range=Range(0), spec_name="c", more="c in w / n + c sqrt(ln N / n)."
        ),
    ] = 0.4
    exploration_visits: Annotated[
        Literal["root", "parent"],
        Param(
            "node that provides the visits N of the exploration term: root, parent",
            choices=("root", "parent"),
            more="The thesis uses root.",
        ),
    ] = "root"
    selection: Annotated[
        str,
        Param(
            "selection of turns: uct, duct (decoupled UCT), puct (with priors)",
            choices=SELECTIONS,
            more="uct and puct estimate a turn's value given the turns of earlier players. duct estimates its mean "
            "value over all turns of earlier players, because players move simultaneously. The thesis uses uct.",
        ),
    ] = "uct"  # fmt: skip
    breadth: Annotated[
        int,
        Param(
            "number of a player's turns that enter the tree, the best after a one-round lookahead; 0: all",
            0,
            10_000,
            more="The turns are ranked by the player's share after the lookahead.",
        ),
    ] = 0
    leaf_batch: Annotated[
        int,
        Param(
            "number of leaves to select before one call evaluates them", 1, 10_000,
            more="With more than one, each leaf counts as `virtual_loss` lost visits until it is evaluated.",
        ),
    ] = 1  # fmt: skip
    final_move: Annotated[
        str,
        Param(
            f"rule that chooses the answer: {', '.join(FINAL_MOVE_RULES)}", choices=FINAL_MOVE_RULES,
            more="robust: the most visits. max: the best value. secure: the best lower bound. max_robust: the search "
            "continues until robust and max agree, for at most twice the simulations. With a time limit, it continues "
            "after half of the tree's seconds, at most until their end. mixture: a turn drawn in proportion to visits.",
        ),
    ] = "robust"  # fmt: skip
    picks: Annotated[
        Literal["best", "search"],
        Param(
            "choice of starting regions: the best set by value (best), or a search (search)",
            choices=("best", "search"),
            more="The search compares the sets with the highest values.",
        ),
    ] = "best"

    def for_kernels(self, play: SimulationSettings, functions: Functions = BUILT_IN) -> TreeSettings:
        """Return the settings of the tree's kernels."""
        shared = self.parallel in ("tree", "lock") and self.threads > 1
        one_by_one = self.leaf_batch == 1 or (self.parallel == "leaf" and self.threads > 1)
        return reference(
            TreeSettings(
                play=play,
                exploration=float(self.exploration),
                root_visits=self.exploration_visits == "root",
                select=SELECTIONS.address(self.selection),
                narrow=NARROWINGS.address("best") if self.breadth else 0,
                breadth=self.breadth,
                prior=0 if functions.prior is None else address(plug_in("prior", functions.prior)),
                leaf_batch=self.leaf_batch,
                locked=self.parallel == "lock" and shared,
                virtual=self.virtual_loss if shared or not one_by_one else 0,
            )
        )


#: The values that the thesis's author chose.
THESIS_SETTINGS: Final = MctsSettings(exploration=1.41, local_search=0.0, turns="thesis", weights="thesis")

#: The parameters of `mcts`, and of the related agents with other defaults.
PARAMETERS: Final = parameters_of(MctsSettings)
THESIS_PARAMETERS: Final = parameters_of(
    MctsSettings,
    exploration=THESIS_SETTINGS.exploration,
    local_search=THESIS_SETTINGS.local_search,
    turns=THESIS_SETTINGS.turns,
    weights=THESIS_SETTINGS.weights,
)
PARALLEL_PARAMETERS: Final = parameters_of(MctsSettings, threads=PARALLEL_THREADS)


def nodes_for(
    settings: MctsSettings,
    n_regions: int,
    simulations: int | None,
    players: int = 2,
    functions: Functions = BUILT_IN,
) -> int:
    """Return the number of nodes to allocate for a tree.

    The result is the number that `settings.memory` allows, or a smaller number if the smaller number is enough for
    `simulations` simulations.

    Raises:
        InputError: `settings.memory` is too small for the generator's turns in one position.
    """
    size = tree_bytes(n_regions, 1, players, functions.prior is not None)
    allowed, min_nodes = (
        max(LEAST_NODES, settings.memory * 2**20 // size),
        1 + nodes_per_state(players, functions.capacity),
    )
    if allowed < min_nodes:
        min_memory = -(-min_nodes * size // 2**20)
        raise InputError(
            f"memory = {settings.memory}: must be at least {min_memory} MiB, because the generator writes up to "
            f"{functions.capacity} turns"
        )
    if simulations is None:
        return allowed
    # A simulation expands one state at most. The memory for orders is proportional to the number of nodes, and turns
    # with many orders may need twice the average. In the picking phase, the root has more children than other nodes.
    return min(allowed, 10_000 + 2 * nodes_per_state(players, functions.capacity) * simulations)
