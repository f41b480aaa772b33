"""Which child of the root should be the answer."""

from warlight_env.experiments.fields import TREE, FieldTable, against

TABLE = FieldTable(
    name="methods-final-child",
    title="The final child: max, max-robust and secure against robust",
    setting=(
        "228 simulations a move, world, random starts; the share of games that the first side wins. robust: most "
        "visits; max: the best value; secure: the best lower bound; max_robust searches on, to twice the "
        "simulations at most, until the first two agree."
    ),
    finding=(
        "these ways to choose were tried for THUD! (a student's project, Olomouc); no figures of theirs stand "
        "beside ours."
    ),
    comment="max_robust may use more simulations than its opponent.",
    fields=against(
        "{} against robust",
        [f"{TREE},final={final}" for final in ("max", "max_robust", "secure")],
        f"{TREE},final=robust", simulations=228, games=400,
    ),
)  # fmt: skip
