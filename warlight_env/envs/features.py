"""What observations hold: kinds, names and meanings of the features, and their spaces."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gymnasium import spaces

from warlight_env.engine.board import Board

OBSERVATIONS: Final = ("graph", "flat", "raw")

#: Owner codes of a player's own view, `raw`'s and the view buffers'. Opponents follow in seat order after the player.
SEEN_UNKNOWN: Final = -1
SEEN_NEUTRAL: Final = 0
SEEN_MINE: Final = 1
SEEN_OPPONENT: Final = 2  #: the first one

#: Armies at which the soft feature reads one half and the linear one 1.
SOFT_ARMIES: Final = 10
MANY_ARMIES: Final = 100


def node_features(players: int) -> tuple[str, ...]:
    """Names of the F = players + 9 node features; all lie in 0 .. 1.

    | feature | of a region |
    |---|---|
    | unknown, neutral, mine, opponent_1 … | one-hot owner, as the player sees it; opponent_k sits k seats after |
    | army_soft, army_linear | army / (army + 10); army / 100, at most 1; 0 where unknown |
    | offered | the player may pick it now |
    | border | mine, and next to a region that is not |
    | bonus | bonus of its super region / the largest bonus of the map |
    | my_share, opponent_share | share of its super region's regions that is mine; the largest share of one opponent |
    """
    opponents = [f"opponent_{k}" for k in range(1, players)]
    rest = ["army_soft", "army_linear", "offered", "border", "bonus", "my_share", "opponent_share"]
    return ("unknown", "neutral", "mine", *opponents, *rest)


def global_features(players: int) -> tuple[str, ...]:
    """Names of the G = 2 * players + 8 global features; all lie in 0 .. 1.

    | feature | is |
    |---|---|
    | picking | 1 while regions are picked |
    | my_pick | 1 if the player is to pick now |
    | time | steps / max_cycles |
    | round | rounds / the rules' limit of rounds; 0 without one |
    | income | income / the income of a player who owns everything |
    | regions_*, armies_* | share of all regions, of all armies seen: mine, neutral, each opponent's as far as seen |
    | regions_unknown | share of the regions out of sight |
    """
    sides = ["mine", "neutral", *(f"opponent_{k}" for k in range(1, players))]
    shares = [f"{what}_{side}" for side in sides for what in ("regions", "armies")]
    return ("picking", "my_pick", "time", "round", "income", *shares, "regions_unknown")


#: Of a region, in the turn that a player has begun to hand in; with encodings that take several actions a turn.
#: deployed: armies / (armies + 10), or 1 for a wish; leaving: armies ordered to leave / those that could; arriving:
#: own armies ordered there, armies / (armies + 10). They are followed by the share of the income that is left.
TURN_FEATURES: Final = ("deployed", "leaving", "arriving")


def observation_space(kind: str, board: Board, players: int, stepwise: bool = False) -> spaces.Space[Any]:
    """The space of an observation of that kind, without the mask.

    | kind | space |
    |---|---|
    | graph | Dict: nodes float32[N, F] (`node_features`), globals float32[G] (`global_features`) |
    | flat | Box float32[N * F + G]: the nodes row by row, then the globals |
    | raw | Dict: owner int8[N], army int32[N], offered int8[N], round int32[1], income int32[1], phase Discrete(3) |

    raw's owners: -1 unknown, 0 neutral, 1 me, 2 … the opponents in seat order after me; armies are 0 where unknown.
    Its phases: 0 pick, 1 play, 2 over.

    `stepwise`: with the turn so far. graph and raw have it as turn float32[N, 3] (`TURN_FEATURES`) and income_left
    float32[1], flat at its end.
    """
    n, width, depth = board.n_regions, len(node_features(players)), len(global_features(players))
    turn: dict[str, spaces.Space[Any]] = {}
    if stepwise:
        turn["turn"] = spaces.Box(0.0, 1.0, (n, len(TURN_FEATURES)), np.float32)
        turn["income_left"] = spaces.Box(0.0, 1.0, (1,), np.float32)
    if kind == "graph":
        return spaces.Dict(
            {
                "nodes": spaces.Box(0.0, 1.0, (n, width), np.float32),
                "globals": spaces.Box(0.0, 1.0, (depth,), np.float32),
                **turn,
            }
        )
    if kind == "flat":
        size = n * width + depth + (n * len(TURN_FEATURES) + 1 if stepwise else 0)
        return spaces.Box(0.0, 1.0, (size,), np.float32)
    if kind == "raw":
        most = np.iinfo(np.int32).max
        return spaces.Dict(
            {
                "owner": spaces.Box(SEEN_UNKNOWN, players, (n,), np.int8),
                "army": spaces.Box(0, most, (n,), np.int32),
                "offered": spaces.MultiBinary(n),
                "round": spaces.Box(0, most, (1,), np.int32),
                "income": spaces.Box(0, most, (1,), np.int32),
                "phase": spaces.Discrete(3),
                **turn,
            }
        )
    raise ValueError(f"observation = {kind!r}: there are {', '.join(OBSERVATIONS)}")
