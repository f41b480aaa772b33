"""The best choice of the root's child as the answer."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side

TABLE = ComparisonTable(
    name="methods-final-child",
    title="The final child: max, max-robust and secure against robust",
    setting=(
        "150 simulations a move, world, random starts; the share of games that the first side wins. robust: the "
        "child with the most visits; max: the best value; secure: the best lower bound; max_robust: the search "
        "continues, to at most twice the simulations, until max and robust choose the same child."
    ),
    finding=(
        "these ways to choose were tried for THUD! (a student's project, Olomouc). The table has no figures of "
        "that project."
    ),
    comparisons=tuple(
        Comparison(
            f"{final} against robust",
            (Side(f"{TREE},final_move={final}", 150), Side(f"{TREE},final_move=robust", 150)),
            400,
        )
        for final in ("max", "max_robust", "secure")
    ),
)
