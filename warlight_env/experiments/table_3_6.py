"""Table 3.6: the value of defence."""

from warlight_env.experiments.base import Duel, MatchTable
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

TABLE = MatchTable(
    name="thesis-3.6",
    title="MCTS against MCTS without defence",
    setting=(
        "15 seconds a move (1272 simulations) for both, random starts. The second side's generator has no "
        "defensive deploy and neither of the two ways to attack that wait: it chooses between two turns instead of "
        "nine."
    ),
    comment=(
        "We agree that defence is worth much, and find it worth more. The share is what the choice between more kinds "
        "of turns adds at equal simulations. What the thesis's bot without defence still had to choose from is told in "
        "one sentence, and ours may have been left with less. Where local search gives both sides turns of their own, "
        "the same choice is worth less (docs/search.md)."
    ),
    duels=(
        Duel(
            "against the same without defence",
            Contender(seconds=15),
            Contender(seconds=15, defense=False),
            games=200,
            thesis=WinLoss(165, 35),
        ),
    ),
)
