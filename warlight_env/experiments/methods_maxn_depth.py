"""How deep Max^N should look, in fields of four."""

from warlight_env.experiments.fields import Field, FieldTable, Side


def _sides(depths: tuple[int, ...], breadth: int, cost: float) -> tuple[Side, ...]:
    return tuple(Side(f"maxn:depth={depth},breadth={breadth}", cost=cost) for depth in depths)


TABLE = FieldTable(
    name="methods-maxn-depth",
    title="Max^N by depth, four players",
    setting=(
        "Four players of different depths in one game, random starts; the share of games that each wins. A move is "
        "a player's whole turn, half a round of two players and a quarter of a round of four. With five turns of "
        "each player a search of depth 12 takes minutes, so that depth is tried with two turns of each."
    ),
    finding=(
        "for Dice Wars, with four players and depths 1, 4, 8 and 12, depth 8 won most: deeper, the error of "
        "guessing chance adds up (Chaloupka, Krůl, Láncoš, Brno 2020). No shares are given here, as the game is "
        "another."
    ),
    comment="Four equal players would win a quarter each.",
    fields=(
        Field("world, 2 turns each", _sides((1, 4, 8, 12), 2, 0.02), games=400, team=()),
        Field("small, 2 turns each", _sides((1, 4, 8, 12), 2, 0.01), games=400, team=(), map="small"),
        Field("world, 5 turns each", _sides((1, 2, 4, 8), 5, 0.3), games=60, team=()),
        Field("small, 5 turns each", _sides((1, 2, 4, 8), 5, 0.1), games=60, team=(), map="small"),
    ),
)
