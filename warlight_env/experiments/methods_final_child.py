"""The best choice of the root's child as the answer."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side

TABLE = ComparisonTable(
    name="methods-final-child",
    title="The final child: max, max-robust and secure against robust",
    setting=(
        "150 simulations a move, world, random starts; the share of games that the first side wins. robust: most "
        "visits; max: the best value; secure: the best lower bound; max_robust searches on, to twice the "
        "simulations at most, until the first two agree."
    ),
    finding=(
        "these ways to choose were tried for THUD! (a student's project, Olomouc); no figures of theirs stand "
        "beside ours."
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
