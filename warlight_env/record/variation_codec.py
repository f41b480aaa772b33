"""Convert a tree of variations to JSON data and back. ``docs/reference/game-log.md`` describes the format."""

from __future__ import annotations

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
    decoder = _Decoder(regions, players)
    for index, node in enumerate(fields.array("nodes")):
        decoder.add_node(JsonFields(node, f"{place}: nodes[{index}]"))
    min_next = max(decoder.rounds, default=0) + 1
    next_id = fields.integer("next", min_next, LARGEST)
    notes = fields.each("notes", None, _note)
    rounds = [note.round for note in notes]
    if rounds != sorted(set(rounds)):
        raise LogError(f"{place}: notes: the rounds must be different and in ascending order")
    texts: tuple[Note | Variation, ...] = (*notes, *decoder.nodes)
    try:
        for text in texts:
            check_text("name", text.name, NAME)
            check_text("comment", text.comment, COMMENT)
    except VariationError as error:
        kind = f"variation {text.id}" if isinstance(text, Variation) else f"note of round {text.round}"
        raise LogError(f"{place}: {kind}: {error}") from None
    return Variations(tuple(decoder.nodes), notes, next_id)


def _note(data: Any, place: str) -> Note:
    fields = JsonFields(data, place)
    return Note(fields.integer("round", 0, LARGEST), fields.text("name"), fields.text("comment"))


class _Decoder:
    """Converts the nodes of a tree one after another."""

    def __init__(self, regions: int, players: int) -> None:
        self.nodes: list[Variation] = []
        self.rounds: dict[int, int] = {}  # the round of each node so far, by the node's number
        self._n, self._players = regions, players
        self._change_columns: Columns = ((0, regions - 1), (-1, players - 1), (1, ARMY_CAP))

    def add_node(self, fields: JsonFields) -> None:
        """Add a node."""
        number = fields.integer("id", 1, LARGEST - 1)
        place = f"{fields.location} (variation {number})"
        if number in self.rounds:
            raise LogError(f"{place}: an earlier variation has the same number")
        fields = JsonFields(fields.data, place)
        parent = fields.optional_integer("parent", 1, LARGEST)
        if parent is not None and parent not in self.rounds:
            raise LogError(f"{place}: 'parent' must be an earlier variation of the list (no cycles), not {parent}")
        min_round = 0 if parent is None else self.rounds[parent] + 1
        round_ = fields.integer("round", min_round, LARGEST if parent is None else min_round)
        reply = fields.text("reply")
        if reply not in REPLIES:
            raise fields.fail("reply", " or ".join(f'"{choice}"' for choice in REPLIES))
        self.rounds[number] = round_
        self.nodes.append(
            Variation(
                id=number,
                parent=parent,
                round=round_,
                seat=fields.integer("seat", 0, self._players - 1),
                turns=fields.each("orders", self._players, self._turn),
                seed=fields.integer("seed", 0, LARGEST),
                events=tuple(map(move_of, fields.rows("moves", *move_columns(self._n, self._players)))),
                changed=fields.rows("changed", self._change_columns),  # type: ignore[arg-type]
                reply=reply,
                bot=None if fields.get("bot") is None else fields.text("bot"),
                believed=fields.rows("believed", self._change_columns) if "believed" in fields.data else (),  # type: ignore[arg-type]
                name=fields.text("name"),
                comment=fields.text("comment"),
                chances=self._chances(fields),
            )
        )

    def _turn(self, data: Any, place: str) -> Orders | None:
        if data is None:
            return None
        fields, region, armies = JsonFields(data, place), (0, self._n - 1), (1, ARMY_CAP)
        return Orders(
            list(fields.rows("deploys", (region, armies))),  # type: ignore[arg-type]
            list(fields.rows("attacks", (region, region, armies))),  # type: ignore[arg-type]
        )

    def _chances(self, fields: JsonFields) -> Chances | None:
        if fields.get("chances") is None:
            return None
        rows = fields.array("chances", self._players)
        for index, row in enumerate(rows):
            is_triple = isinstance(row, list) and len(row) == 3
            if not is_triple or not all(type(v) in (int, float) and 0 <= v <= 1 for v in row):
                place = f"{fields.location}: chances[{index}]"
                raise LogError(f"{place}: must be three numbers from 0 to 1, not {brief(row)}")
        return tuple((float(a), float(b), float(c)) for a, b, c in rows)
