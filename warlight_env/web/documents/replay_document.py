"""JSON documents for the page: a game's header, its events, whole replays."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from warlight_env.record import GameLog, Header, Player, Study
from warlight_env.record.encode import plain_events
from warlight_env.record.variation_codec import tree_data
from warlight_env.record.variations import EMPTY
from warlight_env.render.theme import SHAPES, theme
from warlight_env.web.documents.faces import displayed_bot, displayed_names, face_of
from warlight_env.web.documents.fog_filter import FogFilter
from warlight_env.web.documents.map_drawing import drawing

#: Version of the documents' format. Page and package are released together, so the page reads only this version.
VERSION: Final = 1


def header_document(header: Header, *, secret: bool = False) -> dict[str, Any]:
    """Return a game's header with the drawing of its map.

    If `secret` is True, the result does not contain the seeds, because they would reveal the dice.
    """
    return {**header_fields(header, secret=secret), "map": drawing(header.map)}


def header_fields(header: Header, *, secret: bool = False) -> dict[str, Any]:
    """Return `header_document` without the drawing."""
    names = displayed_names([(p.name, p.spec) for p in header.players])
    document: dict[str, Any] = {
        "version": VERSION,
        "program": header.program,
        "rules": dataclasses.asdict(header.rules),
        "limit": header.round_limit,
        "players": [{"name": name, "spec": p.spec} for name, p in zip(names, header.players, strict=True)],
        "faces": [face_of(p.name if p.spec is None else p.spec) for p in header.players],
        "colours": _colours(len(header.players)),
        "continues": None if header.continues is None else header.continues.rounds,
    }
    if not secret:
        document["seed"] = header.seed
    return document


def _colours(players: int) -> dict[str, Any]:
    """Return the colours of each player (fill, dark and light shade, badge), and the fill colour of neutral regions."""
    palette = theme(players)
    return {
        "fill": list(palette.players),
        "dark": [palette.dark(p) for p in range(players)],
        "light": [palette.light(p) for p in range(players)],
        "shape": list(SHAPES[:players]),
        "neutral": palette.neutral,
    }


def events_of(log: GameLog, seat: int | None = None) -> Iterable[dict[str, Any]]:
    """Yield the events of a log as the player on `seat` may see them; if `seat` is None, yield everything."""
    filter_ = FogFilter(log.header.map, log.header.rules, len(log.header.players), seat)
    for event in plain_events(replace(log, variations=EMPTY)):
        filtered = filter_.filter(event)
        if filtered is not None:
            yield filtered


def replay_document(
    log: GameLog, chances: list[list[list[float]]] | None = None, seat: int | None = None
) -> dict[str, Any]:
    """Return a whole game, or the part that a player saw; `chances`: win probability by position and player."""
    document = header_document(log.header, secret=seat is not None)
    events = list(events_of(log, seat))
    document |= {"kind": "replay", "seat": seat, "events": events, "chances": chances}
    return document if seat is not None else {**document, **tree_document(tree_data(log.variations))}


def tree_document(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree of variations (data of `tree_data`) with the displayed names of its bots, by specification."""
    bots = {node["bot"] for node in tree["nodes"] if node["bot"] is not None}
    return {"variations": tree, "bots": {spec: displayed_bot(spec) for spec in sorted(bots)}}


def study_document(study: Study) -> dict[str, Any]:
    """Return a study: the document of a game without rounds, with the study's title, first round and variations."""
    players = tuple(Player(name) for name in study.players)
    header = Header(study.map, study.rules, players, 0, "random", 10**6, study.program)
    start = {"event": "start", "owner": study.owner, "army": study.army}
    return {
        **header_document(header, secret=True), "kind": "replay", "seat": None, "events": [start], "chances": None,
        "study": {"title": study.title, "round": study.round}, **tree_document(tree_data(study.variations)),
    }  # fmt: skip


def encoded(document: Any) -> bytes:
    """Return plain data as the bytes of a JSON text."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def with_more(document: dict[str, Any], extra_fields: dict[str, bytes]) -> bytes:
    """Return a nonempty document as JSON, with the additional fields `extra_fields`, whose values are JSON already."""
    fields = b"".join(b",%b:%b" % (encoded(name), text) for name, text in extra_fields.items())
    return encoded(document)[:-1] + fields + b"}"


def embed(page: str, document: Any) -> str:
    """Return the HTML page with a document (data or JSON bytes) inside, so that the page needs no other files."""
    text = document if isinstance(document, bytes) else encoded(document)
    escaped = text.replace(b"<", b"\\u003c").decode("ascii")
    script = f'<script type="application/json" id="warlight-document">{escaped}</script>'
    head, body_tag, tail = page.partition("<body>")
    return f"{head}{body_tag}{script}{tail}"
