"""The best rule with which a tree search chooses its final move among the children of the root."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side

TABLE = ComparisonTable(
    name="methods-final-child",
    title="Final move selection: max, max-robust and secure against robust",
    setting=(
        "150 simulations for each move, world map, random starting regions. The table has the share of games that "
        "the first side wins. `robust` answers with the turn that has most visits, `max` with the best value, and "
        "`secure` with the best lower bound. `max_robust` continues the search, to at most twice the simulations, "
        "until `robust` and `max` agree."
    ),
    finding=("they tried these rules for THUD! (a student's project, Olomouc). The table has no figures of theirs."),
    comparisons=tuple(
        Comparison(
            f"{final} against robust",
            (Side(f"{TREE},final_move={final}", 150), Side(f"{TREE},final_move=robust", 150)),
            400,
        )
        for final in ("max", "max_robust", "secure")
    ),
)
