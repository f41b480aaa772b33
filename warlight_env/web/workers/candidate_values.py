"""Win probabilities of the turns that a bot considers in a player's position, on the scale of `rollout_estimate`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from warlight_env.agents.evaluation.determinization import proportional_determinization
from warlight_env.agents.registry import make_agent
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.view import View
from warlight_env.notation import format_orders, parse_orders
from warlight_env.record import game_from_position
from warlight_env.web.workers.rollout_estimate import positions_of, win_shares

ROLLS: Final = 12  # repetitions of the round with other dice
PLAYOUTS: Final = 20  # playouts of each resulting position
COMPARED: Final = 3  # the number of candidates that get a win probability


def with_win_probabilities(
    insight: Mapping[str, Any] | None, chosen_turn: Orders, view: View, seed: int, absent: Collection[int] = ()
) -> dict[str, Any]:
    """Return a bot's insight, in which the first candidates have a new field ``win``: their win probability.

    Args:
        insight: see `decision_info`. If the insight has no candidates, the only candidate is `chosen_turn`, the turn of
            the bot.
        view: the player's view of a game in play. absent: the players that have resigned or failed.
    """
    new_insight = dict(insight or {})
    candidates = new_insight.get("candidates") or [{"orders": format_orders(view.map, chosen_turn)}]
    turns = [parse_orders(view.map, candidate["orders"]) for candidate in candidates[:COMPARED]]
    values = turn_win_probabilities(turns, view, seed, absent)
    first = [{**candidate, "win": round(value, 4)} for candidate, value in zip(candidates, values, strict=False)]
    return {**new_insight, "candidates": [*first, *candidates[COMPARED:]]}


def turn_win_probabilities(turns: Sequence[Orders], view: View, seed: int, absent: Collection[int] = ()) -> list[float]:
    """Return the share of playouts won after each turn.

    In this round, the other players play like the bot `aggressive`. In the playouts after the round, all players play
    like `aggressive`. Only the players in `absent` give no orders and win no playout. Regions that fog hides are filled
    as in `estimate_win_probabilities`. All turns get the same dice.
    """
    position = proportional_determinization(view)
    owner, army = position.owner.tolist(), position.army.tolist()
    game = game_from_position(view.map, view.rules, view.players, owner, army, view.round)
    other_turns = {
        player: make_agent("aggressive", seed).act(game.view(player))
        for player in range(game.players)
        if player != view.player and game.alive(player) and player not in absent
    }
    starts = [game.clone(seed=derive_seed(seed, roll)) for roll in range(ROLLS)]
    seeds = [derive_seed(seed, ROLLS + roll) for roll in range(ROLLS)]
    values = []
    for turn in turns:
        after = [start.clone() for start in starts]
        for game in after:
            game.play_round({**other_turns, view.player: turn}, on_illegal="skip")
        shares = win_shares(view, positions_of(after), seeds, PLAYOUTS, absent)
        values.append(float(shares[:, view.player].mean()))
    return values
