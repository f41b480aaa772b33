"""How much the tree search should explore."""

from warlight_env.experiments.fields import TREE, Field, FieldTable, Side, against

DEFAULT = f"{TREE},c=0.4"
SIMULATIONS = 150

TABLE = FieldTable(
    name="methods-exploration",
    title="Exploration from 0.1 to 3 against 0.4",
    setting="150 simulations a move, world, random starts; the share of games that the first side wins.",
    finding=(
        "for THUD!, with values in 0 to 1 as here, 0.65 beat 0.71 by 50.0 : 34.8 per cent, the rest drawn, and the "
        "textbook's 1.41, too (a student's project, Olomouc)."
    ),
    comment="The default, 0.4, is the other side of every row but the last.",
    fields=(
        *against(
            "{} against c=0.4",
            [f"{TREE},c={c:g}" for c in (0.1, 0.2, 0.3, 0.5, 0.65, 0.8, 1.0, 1.41, 2.0, 3.0)],
            DEFAULT, simulations=SIMULATIONS, games=400,
        ),
        Field(
            "c=0.65 against c=0.71", (Side(f"{TREE},c=0.65", SIMULATIONS), Side(f"{TREE},c=0.7071", SIMULATIONS)),
            games=400, theirs=0.5, theirs_sample="50.0 : 34.8",
        ),
    ),
)  # fmt: skip
