"""Play variations: turns from a position of a game or a study, with dice of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL, PHASES, PLAY
from warlight_env.errors import InputError
from warlight_env.game import Game, GameError
from warlight_env.maps import Map
from warlight_env.record.errors import VariationError
from warlight_env.record.variations import Change, Reply, Variation, Variations
from warlight_env.step_results import without_illegal

#: Returns the game after a number of rounds; raises an `InputError` if the game has no such position.
Positions = Callable[[int], Game]


def game_from_position(
    map_: Map, rules: Rules, players: int, owner: Sequence[int], army: Sequence[int], round_: int = 0
) -> Game:
    """Return a game in any position of the phase "play". A player without regions is eliminated.

    Args:
        map_: the map, as for `Game`.
        rules: the rules, as for `Game`.
        players: the number of players.
        owner: the owner of each of the N regions: a player, or -1 for neutral.
        army: the armies on each of the N regions.
        round_: the number of rounds played before; at least 1 if a player is eliminated.

    Raises:
        GameError: a number is not valid, or the position is not possible; the message names the place and the reason.
        MapError, RulesError: the map, the rules and the number of players do not fit together.
    """
    game = Game(map_, rules, players, 0, picks="random")
    owned = set(owner)
    state = {
        **game.to_dict()["state"],
        "owner": list(owner),
        "army": list(army),
        "offers": [0] * map_.n_regions,
        "round": round_,
        "phase": PLAY,
        "eliminated_at": [0 if player in owned else round_ for player in range(players)],
        "winner": NEUTRAL,
        "rng": make_rng(0).tolist(),
    }
    return _load_state(game, state)


def with_regions(game: Game, rows: Sequence[Change]) -> Game:
    """Return the game with another owner and army of some regions, or a copy if there are no such regions.

    Raises:
        GameError: the position is not possible; the message names the place and the reason.
    """
    if not rows:
        return game.clone()
    state = dict(game.to_dict()["state"])
    owner, army = list(state["owner"]), list(state["army"])
    for region, holder, armies in rows:
        owner[region], army[region] = holder, armies
    return _load_state(game, {**state, "owner": owner, "army": army})


def _load_state(game: Game, state: dict[str, Any]) -> Game:
    saved = game.to_dict()
    del saved["hash"]
    return Game.from_dict({**saved, "map": game.map, "state": state})


def legal_part(game: Game, player: int, turn: Orders | None) -> Orders | None:
    """Return a turn without the orders that are illegal in the position of `game`."""
    if turn is None or not game.alive(player):
        return None
    return without_illegal(player, turn, game.check(player, turn))


def play_variation(
    before: Game,
    seat: int,
    turns: Sequence[Orders | None],
    seed: int,
    reply: Reply = "given",
    bot: str | None = None,
    believed: Sequence[Change] = (),
) -> tuple[Game, Variation]:
    """Play one round from a position. Return the game after it, and the variation, which has no number and no parent.

    Args:
        before: the game before the round, which does not change.
        seat, turns, seed, reply, bot, believed: see `Variation`.

    Raises:
        VariationError: the game is over or a turn is illegal; the message names the order and the reason.
    """
    if before.phase != PHASES[PLAY]:
        raise VariationError(f"round {before.round}: no turn is possible, because the game's phase is {before.phase!r}")
    try:
        start = with_regions(before, believed)
        after = start.clone(seed)
        for player, turn in enumerate(turns):
            if turn is not None and not start.alive(player):
                raise VariationError(f"player {player}: an eliminated player has no turn")
        result = after.play_round(list(turns))
        plain = tuple(None if turn is None else turn.normalized() for turn in turns)
    except GameError as error:
        raise VariationError(str(error)) from None
    changed = tuple((region, owner, army) for region, owner, army in after.changed())
    variation = Variation(
        0, None, before.round, seat, plain, seed, tuple(result.events), changed, reply, bot, tuple(believed)
    )  # fmt: skip
    return after, variation


def game_after(tree: Variations, id: int | None, round_: int, positions: Positions) -> Game:
    """Return the game after a variation, or with id None, the game's own position after `round_` rounds.

    Raises:
        VariationError: the tree does not contain the variation, or the log's turns are not possible.
        InputError: of `positions`.
    """
    if id is None:
        return positions(round_)
    path = tree.path(id)
    game = positions(path[0].round)
    for node in path:
        game = _replay_node(game, node)
    return game


def check_variations(tree: Variations, positions: Positions) -> None:
    """Play all variations of a tree again.

    Raises:
        VariationError: the rules do not allow a turn, or a stored position or event differs from the played one. The
            message names the variation and the reason.
    """
    if not isinstance(tree, Variations) or not callable(positions):
        raise VariationError("check_variations: give a `Variations` object, and a function that returns positions")
    games: dict[int, Game] = {}
    starts: dict[int, Game] = {}
    for node in tree.nodes:
        try:
            if node.parent is None and node.round not in starts:
                starts[node.round] = positions(node.round)
            games[node.id] = _replay_node(starts[node.round] if node.parent is None else games[node.parent], node)
        except InputError as error:
            text = str(error)
            message = text if text.startswith(f"variation {node.id}:") else f"variation {node.id}: {text}"
            raise VariationError(message) from None
    for note in tree.notes:
        try:
            positions(note.round)
        except InputError as error:
            raise VariationError(f"note of round {note.round}: {error}") from None


def _replay_node(before: Game, node: Variation) -> Game:
    try:
        after, replayed_variation = play_variation(
            before, node.seat, node.turns, node.seed, node.reply, node.bot, node.believed
        )
    except VariationError as error:
        raise VariationError(f"variation {node.id}: {error}") from None
    for field, stored, replayed in (
        ("moves", node.events, replayed_variation.events),
        ("changed", node.changed, replayed_variation.changed),
    ):
        if stored != replayed:
            raise VariationError(
                f"variation {node.id}: {field!r} differs from the result of the turns and the dice: the file has "
                f"{_first_difference(stored, replayed)!r:.120}, "
                f"the game has {_first_difference(replayed, stored)!r:.120}"
            )
    return after


def _first_difference(values: Sequence[Any], other_values: Sequence[Any]) -> Any:
    """Return the first entry of `values` that differs from the entry of `other_values` at the same place.

    Return None if no entry differs.
    """
    for index, entry in enumerate(values):
        if index >= len(other_values) or other_values[index] != entry:
            return entry
    return None
