"""Table 3.2: games of a bot against itself, in which the two sides have different starting regions."""

from warlight_env.engine.rules import Rules
from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

#: The thesis's rules, but all regions are offered to both players; the thesis's own rules offer no player two regions
#: in Asia.
FREE_PICKS = Rules.of("thesis", name="thesis:free picks", picking="ranked", ranked=2, offers_per_super_region=0)

TABLE = MatchTable(
    name="thesis-3.2",
    title="Starting in South America and Australia against starting twice in Asia",
    setting=(
        "Both sides are the same bot with 15 seconds for each move (1272 simulations). The first side starts with a "
        "region of South America and a region of Australia, and the second side with two regions of Asia. These "
        "regions are drawn at random for every game. The thesis's rules never offer a player two regions of one "
        "super region. So in this experiment both players may pick any region; all other rules are as in the other "
        "tables. The thesis does not say which regions it used, or how it set them."
    ),
    matchups=(
        Matchup(
            "South America and Australia against Asia",
            Contender(seconds=15, start=("South America", "Australia")),
            Contender(seconds=15, start=("Asia", "Asia")),
            games=100,
            thesis=WinLoss(190, 10),
        ),
    ),
    rules=FREE_PICKS,
    picks="agents",
)
