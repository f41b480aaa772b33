"""The effect of four additional terms in the evaluation of Max^N; the authors of Max^N for Dice Wars proposed three."""

from warlight_env.experiments.comparison_table import Comparison, ComparisonTable, Side

PLAIN = "maxn:depth=4,breadth=3"


#: A dict from the name of each idea to the option of `maxn` that sets its weight. Run folders contain the names.
OPTIONS = {
    "territory": "territory_weight",
    "join": "join_weight",
    "spare": "spare_weight",
    "chains": "follow_up_weight",
}


def _on(term: str, weight: float) -> Comparison:
    sides = (Side(f"{PLAIN},{OPTIONS[term]}={weight:g}", cost=0.0013), *[Side(PLAIN, cost=0.0013)] * 3)
    return Comparison(f"{term}={weight:g}, against three without", sides, games=300, rounds=120)


TABLE = ComparisonTable(
    name="methods-maxn-terms",
    title="Max^N with additional terms in the values of battles and positions",
    setting=(
        "One player with an additional term plays against three players without it: depth 4, three turns of each "
        "player, world map, random starting regions. The table has the share of games that this player wins. "
        "`territory` is the value of each region of the largest connected territory. `join` is a bonus for battles "
        "on a shortest path between two own territories. `spare` is a penalty for attacks on a weak enemy that "
        "borders a strong one. `chains` adds the value of the best battle that can follow."
    ),
    finding=(
        "the size of the largest connected territory was the whole value of a position in their program. The other "
        "three terms are ideas that they did not test (Chaloupka, Krůl, Láncoš, Brno 2020)."
    ),
    comparisons=tuple(
        _on(term, weight)
        for term, weights in (("territory", (20, 60)), ("join", (0.3, 1)), ("spare", (0.3, 1)), ("chains", (0.3, 1)))
        for weight in weights
    ),
)
