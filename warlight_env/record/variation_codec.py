"""Convert a tree of variations to JSON data and back. ``docs/reference/game-log.md`` describes the format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.orders import Orders
from warlight_env.record.checks import Columns, JsonFields, brief
from warlight_env.record.errors import LogError, VariationError
from warlight_env.record.move_rows import move_columns, move_of, move_rows
from warlight_env.record.variations import (
    COMMENT,
    NAME,
    NODES,
    REPLIES,
    Chances,
    Note,
    Variation,
    Variations,
    check_text,
)

#: The version of the tree's format. A reader must refuse a higher version.
VERSION: Final = 1
#: The maximum of seeds and numbers in a tree: JavaScript represents them exactly.
LARGEST: Final = 2**53


def tree_data(tree: Variations) -> dict[str, Any]:
    """Return a tree as data for JSON."""
    return {
        "version": VERSION,
        "next": tree.next,
        "notes": [{"round": note.round, "name": note.name, "comment": note.comment} for note in tree.notes],
        "nodes": [_node_data(node) for node in tree.nodes],
    }


def _node_data(node: Variation) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": node.id, "parent": node.parent, "round": node.round, "seat": node.seat, "reply": node.reply,
        "bot": node.bot, "orders": [None if turn is None else turn.to_dict() for turn in node.turns],
        "seed": node.seed,
    }  # fmt: skip
    if node.believed:
        data["believed"] = node.believed
    return {
        **data, "moves": move_rows(node.events), "changed": node.changed, "name": node.name, "comment": node.comment,
        "chances": node.chances,
    }  # fmt: skip


def decode_tree(data: Any, place: str, regions: int, players: int) -> Variations:
    """Convert JSON data to a tree, for a map of N regions and a game of P players.

    The function checks the form, all numbers, and that each node follows its parent. It does not check whether the
    rules allow the turns; see `variation_play.check_variations`.

    Raises:
        LogError: the data are not a tree; the message begins with `place` and names the node and the reason.
    """
    fields = JsonFields(data, place)
    fields.check_version(VERSION, "tree")
    size = len(fields.array("nodes")) + len(fields.array("notes"))
    if size > NODES:
        raise LogError(f"{place}: {size} variations and notes: there may be at most {NODES}")
    nodes: dict[int, Variation] = {}
    for index, data_of_node in enumerate(fields.array("nodes")):
        node = _node(JsonFields(data_of_node, f"{place}: nodes[{index}]"), nodes, regions, players)
        nodes[node.id] = node
    next_id = fields.integer("next", max(nodes, default=0) + 1, LARGEST)
    notes = fields.each("notes", None, _note)
    rounds = [note.round for note in notes]
    if rounds != sorted(set(rounds)):
        raise LogError(f"{place}: notes: the rounds must be different and in ascending order")
    texts: tuple[Note | Variation, ...] = (*notes, *nodes.values())
    try:
        for text in texts:
            check_text("name", text.name, NAME)
            check_text("comment", text.comment, COMMENT)
    except VariationError as error:
        kind = f"variation {text.id}" if isinstance(text, Variation) else f"note of round {text.round}"
        raise LogError(f"{place}: {kind}: {error}") from None
    return Variations(tuple(nodes.values()), notes, next_id)


def _note(data: Any, place: str) -> Note:
    fields = JsonFields(data, place)
    return Note(fields.integer("round", 0, LARGEST), fields.text("name"), fields.text("comment"))


def _node(fields: JsonFields, earlier: Mapping[int, Variation], regions: int, players: int) -> Variation:
    """Convert a node of a tree. earlier: the earlier nodes of the list, by their numbers."""
    number = fields.integer("id", 1, LARGEST - 1)
    place = f"{fields.location} (variation {number})"
    if number in earlier:
        raise LogError(f"{place}: an earlier variation has the same number")
    fields = JsonFields(fields.data, place)
    parent = fields.optional_integer("parent", 1, LARGEST)
    if parent is not None and parent not in earlier:
        raise LogError(f"{place}: 'parent' must be an earlier variation of the list (no cycles), not {parent}")
    min_round = 0 if parent is None else earlier[parent].round + 1
    round_ = fields.integer("round", min_round, LARGEST if parent is None else min_round)
    reply = fields.text("reply")
    if reply not in REPLIES:
        raise fields.fail("reply", " or ".join(f'"{choice}"' for choice in REPLIES))
    change_columns: Columns = ((0, regions - 1), (-1, players - 1), (1, ARMY_CAP))
    return Variation(
        id=number,
        parent=parent,
        round=round_,
        seat=fields.integer("seat", 0, players - 1),
        turns=fields.each("orders", players, partial(_turn, regions=regions)),
        seed=fields.integer("seed", 0, LARGEST),
        events=tuple(map(move_of, fields.rows("moves", *move_columns(regions, players)))),
        changed=fields.rows("changed", change_columns),  # type: ignore[arg-type]
        reply=reply,
        bot=None if fields.get("bot") is None else fields.text("bot"),
        believed=fields.rows("believed", change_columns) if "believed" in fields.data else (),  # type: ignore[arg-type]
        name=fields.text("name"),
        comment=fields.text("comment"),
        chances=_chances(fields, players),
    )


def _turn(data: Any, place: str, regions: int) -> Orders | None:
    if data is None:
        return None
    fields, region, armies = JsonFields(data, place), (0, regions - 1), (1, ARMY_CAP)
    return Orders(
        list(fields.rows("deploys", (region, armies))),  # type: ignore[arg-type]
        list(fields.rows("attacks", (region, region, armies))),  # type: ignore[arg-type]
    )


def _chances(fields: JsonFields, players: int) -> Chances | None:
    if fields.get("chances") is None:
        return None
    rows = fields.array("chances", players)
    for index, row in enumerate(rows):
        is_triple = isinstance(row, list) and len(row) == 3
        if not is_triple or not all(type(v) in (int, float) and 0 <= v <= 1 for v in row):
            place = f"{fields.location}: chances[{index}]"
            raise LogError(f"{place}: must be three numbers from 0 to 1, not {brief(row)}")
    return tuple((float(a), float(b), float(c)) for a, b, c in rows)
