"""The value of ideas that the authors of Max^N for Dice Wars did not test."""

from warlight_env.experiments.comparison_table import Comparison, ComparisonTable, Side

PLAIN = "maxn:depth=4,breadth=3"


#: The options of the terms. Run folders contain the names of the terms.
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
    title="Max^N with terms of the battles' and positions' value",
    setting=(
        "One player with a term against three players without terms, depth 4, three turns each, world, random "
        "starts; the share of games that this player wins. territory: a value for each region of the largest "
        "connected territory; join: a value for battles on a shortest path between two own territories; spare: a "
        "penalty for attacks on a weak enemy that borders a strong one; chains: a value for the best battle that "
        "can follow."
    ),
    finding=(
        "the size of the largest connected territory was the whole value of a position. The authors proposed the "
        "other three terms but did not test them (Chaloupka, Krůl, Láncoš, Brno 2020)."
    ),
    comparisons=tuple(
        _on(term, weight)
        for term, weights in (("territory", (20, 60)), ("join", (0.3, 1)), ("spare", (0.3, 1)), ("chains", (0.3, 1)))
        for weight in weights
    ),
)
