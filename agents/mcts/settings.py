"""Everything that can be chosen about a tree search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from warlight_env.agents.base import check_integer
from warlight_env.agents.mcts.selection import SELECTIONS
from warlight_env.agents.mcts.tree import nodes_per_state, tree_bytes
from warlight_env.agents.mcts.work import TreeSettings
from warlight_env.agents.plug_ins import BUILT_IN, Functions, plug_in
from warlight_env.agents.search.answers import ANSWERS
from warlight_env.agents.search.foresight import NARROWINGS
from warlight_env.agents.search.playing import PlaySettings
from warlight_env.agents.search.settings import SearchSettings
from warlight_env.engine.jit import address
from warlight_env.engine.reference import reference


@dataclass(frozen=True)
class MctsSettings(SearchSettings):
    """Everything that can be chosen about a tree search; `THESIS_SETTINGS` are the thesis's.

    exploration: c in w / n + c sqrt(ln N / n). selection: N is the visits of the "root" (thesis) or the "parent".
    replies: an enemy's turn in the tree is selected knowing those before it ("seen", thesis), or by its value against
    all of those ("blind"): decoupled UCT, for all move at once; "prior": all turns by PUCT. See `SELECTIONS`.
    top: turns of a player that enter the tree, the best by their shares a round ahead, in `tries` plays; 0: all.
    leaves: that are selected before they are valued, in one call.
    final: the root's child to answer with: "robust" (most visits), "max" (best value), "secure" (best lower bound),
    "mixture" (any, in proportion to visits), "max_robust" (goes on until the first two agree: at most twice the
    simulations; of the tree's seconds it spends half, and then up to the rest).
    picks: starting regions are the "best" set by value, or found by a "search" over the best sets.
    """

    exploration: float = 0.4
    selection: Literal["root", "parent"] = "root"
    replies: str = "seen"
    top: int = 0
    leaves: int = 1
    final: str = "robust"
    picks: Literal["best", "search"] = "best"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("top", self.top, 0, 10_000)
        check_integer("leaves", self.leaves, 1, 10_000)
        self.need(math.isfinite(self.exploration) and self.exploration >= 0, "exploration", "must be at least 0")
        self.one_of("selection", ("root", "parent"))
        self.one_of("replies", SELECTIONS)
        self.one_of("final", ANSWERS)
        self.one_of("picks", ("best", "search"))

    def for_kernels(self, play: PlaySettings, functions: Functions = BUILT_IN) -> TreeSettings:
        """What the kernels of the tree take."""
        shared = self.parallel in ("tree", "lock") and self.threads > 1
        return reference(
            TreeSettings(
                play=play,
                exploration=float(self.exploration),
                root_visits=self.selection == "root",
                select=SELECTIONS.address(self.replies),
                narrow=NARROWINGS.address("best") if self.top else 0,
                top=self.top,
                prior=0 if functions.prior is None else address(plug_in("prior", functions.prior)),
                leaves=self.leaves,
                locked=self.parallel == "lock" and shared,
                virtual=self.virtual_loss if shared or self.leaves > 1 else 0,
            )
        )


#: What the thesis's author chose.
THESIS_SETTINGS: Final = MctsSettings(exploration=1.41, refine=0.0, turns="thesis", weights="thesis")


def nodes_for(
    settings: MctsSettings,
    n_regions: int,
    simulations: int | None,
    players: int = 2,
    functions: Functions = BUILT_IN,
) -> int:
    """Places for nodes that a tree gets: what `settings.memory` allows, or what so many simulations need at most."""
    size = tree_bytes(n_regions, 1, players, functions.prior is not None)
    allowed = max(1000, settings.memory * 2**20 // size)
    if simulations is None:
        return allowed
    # A simulation expands one state at most. Places come with room for orders in proportion; turns of many orders may
    # need twice the average. The root of a search for picks has more children than others.
    return min(allowed, 10_000 + 2 * nodes_per_state(players, functions.capacity) * simulations)
