"""Tasks of the process pool for maps from the editor: read, validate, write."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from warlight_env import bounded_io, maps
from warlight_env.engine.board import make_board
from warlight_env.engine.rules import MAX_PLAYERS, PRESETS, RulesError
from warlight_env.engine.setup import check_players
from warlight_env.maps import Map, MapError, Region, SeaLink, Shape, StartingSetup, SuperRegion
from warlight_env.maps.checks import problems
from warlight_env.maps.drawing_checks import remarks
from warlight_env.maps.files import read_bytes
from warlight_env.maps.parts import MapParts
from warlight_env.render.layout import layout_of
from warlight_env.web.documents.replay_document import encoded
from warlight_env.web.errors import RequestError
from warlight_env.web.requests import Body

#: The largest number of problems (errors), and of remarks (warnings), in one answer.
MAX_PROBLEMS: Final = 200

Number = Annotated[float, Field(allow_inf_nan=False)]
#: A number field's value during editing; it may be incomplete.
Typed = Annotated[int, Field(strict=True)] | Number | None
Index = Annotated[int, Field(ge=-1, le=100_000, strict=True)]
Spot = tuple[Number, Number]
Text = Annotated[str, StringConstraints(max_length=2000)]


class DrawnShape(Body):
    """A region's outline in the editor."""

    path: Annotated[str, StringConstraints(max_length=400_000)]
    label: Spot
    radius: Number


class DrawnRegion(Body):
    """A region in the editor; `super_region`: an index, -1 for none."""

    name: Text
    code: Text
    super_region: Index
    army: Typed
    shape: DrawnShape | None = None


class DrawnSuperRegion(Body):
    """A super region in the editor."""

    name: Text
    bonus: Typed


class DrawnLink(Body):
    """A border that the editor draws as a line; if `line` is None, it crosses the left and right edges of the map."""

    regions: tuple[Index, Index]
    line: tuple[Spot, Spot] | None = None


class DrawnSetup(Body):
    """The starting setup of a map in the editor: regions by index; see `warlight_env.maps.StartingSetup`."""

    wastelands: Annotated[list[Index], Field(max_length=1000)] | None = None
    wasteland_army: Annotated[int, Field(strict=True)] | None = None
    offered: Annotated[list[Index], Field(max_length=1000)] | None = None
    picks: Annotated[int, Field(strict=True)] | None = None


class DrawnMap(Body):
    """A map in the editor: like a map file, but with indices, because names may be missing or equal in the editor."""

    name: Text
    title: Text
    description: Text
    source: Text
    super_regions: Annotated[list[DrawnSuperRegion], Field(max_length=1000)]
    regions: Annotated[list[DrawnRegion], Field(max_length=1000)]
    borders: Annotated[list[tuple[Index, Index]], Field(max_length=50_000)]
    view_box: tuple[Number, Number, Number, Number] | None = None
    sea_links: Annotated[list[DrawnLink], Field(max_length=50_000)]
    setup: DrawnSetup | None = None


_DRAWN: Final = TypeAdapter(DrawnMap)


@dataclasses.dataclass(frozen=True)
class MapRow:
    """An entry of the page's list of maps."""

    name: str
    title: str
    regions: int


def _parse_drawn(data: bytes) -> DrawnMap:
    try:
        return _DRAWN.validate_python(bounded_io.parse_json(data.decode("utf-8", "replace"), "the map", MapError))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])[:100]
        raise RequestError(f"the map: {place}: {first['msg']}") from None


def _fields(drawn_map: DrawnMap) -> dict[str, Any]:
    """Return the arguments of `MapParts`.

    Values that are not integers stay unchanged, so that the checks report them.
    """
    setup = drawn_map.setup

    def regions(indices: list[int] | None) -> tuple[int, ...] | None:
        return None if indices is None else tuple(indices)

    return {
        "name": drawn_map.name, "title": drawn_map.title, "description": drawn_map.description,
        "source": drawn_map.source,
        "super_regions": tuple(SuperRegion(s.name, s.bonus) for s in drawn_map.super_regions),  # type: ignore[arg-type]
        "regions": tuple(
            Region(
                r.name, r.code, r.super_region, r.army,  # type: ignore[arg-type]
                None if r.shape is None else Shape(r.shape.path, r.shape.label, r.shape.radius),
            )
            for r in drawn_map.regions
        ),
        "borders": tuple(drawn_map.borders),
        "view_box": drawn_map.view_box,
        "sea_links": tuple(SeaLink(*link.regions, link.line) for link in drawn_map.sea_links),
        "setup": None if setup is None else StartingSetup(
            regions(setup.wastelands), setup.wasteland_army, regions(setup.offered), setup.picks
        ),
    }  # fmt: skip


def check_map(data: bytes) -> bytes:
    """Return all problems of a map in the editor as JSON.

    For a map without problems, return remarks and the numbers of players.

    ``problems``, ``remarks``: lists of ``code``, ``message``, ``part``, ``indices``, ``entry``, ``values``.
    ``players``: for each rules preset the largest number of players; 0 if two players cannot play.
    """
    fields = _fields(_parse_drawn(data))
    parts = MapParts(**fields)
    problem_rows = [dataclasses.asdict(problem) for problem in itertools.islice(problems(parts), MAX_PROBLEMS)]
    answer: dict[str, Any] = {"problems": problem_rows, "remarks": [], "players": {}}
    if not problem_rows:
        answer["remarks"] = [dataclasses.asdict(remark) for remark in itertools.islice(remarks(parts), MAX_PROBLEMS)]
        answer["players"] = _players(Map(**fields))
    return encoded(answer)


def _players(map_: Map) -> dict[str, int]:
    board = make_board(map_)

    def fitting(rules: str) -> Iterator[int]:
        for players in range(2, MAX_PLAYERS + 1):
            try:
                check_players(board, PRESETS[rules], players)
            except RulesError:
                return
            yield players

    return {rules: max(fitting(rules), default=0) for rules in PRESETS}


def map_file_text(data: bytes) -> tuple[MapRow, str]:
    """Return a drawn map as a list entry and as the text of a file. `MapError`: the first problem."""
    map_ = Map(**_fields(_parse_drawn(data)))
    return row_of(map_), maps.dumps(map_)


def read(name: str, data: bytes) -> bytes:
    """Return the map of a file as JSON for the editor; the content decides which of the map formats the file has."""
    stem = re.sub(r"[^\w .-]", "-", Path(name).stem)[:100] or "map"  # becomes the map's title
    file = f"{stem}{Path(name).suffix.lower()}"
    try:
        return drawn_form(read_bytes(data, file).map)
    except MapError as error:
        raise MapError(str(error).removeprefix(f"{file}: ")) from None


def load_drawn_map(name: str | Path) -> bytes:
    """Return a map as JSON for the editor, from its name or from a file in the project's own format."""
    return drawn_form(maps.load(name))


def listed(path: Path) -> MapRow:
    """Return the entry of the page's list of maps for a map file."""
    return row_of(maps.load(path))


def row_of(map_: Map) -> MapRow:
    """Return the entry of the page's list of maps for a map."""
    return MapRow(map_.name, map_.title or map_.name, map_.n_regions)


def drawn_form(map_: Map) -> bytes:
    """Return a map as JSON of `DrawnMap`; ``points``: places for the regions of a map without outlines."""
    form: dict[str, Any] = {
        "name": map_.name, "title": map_.title, "description": map_.description, "source": map_.source,
        "super_regions": [dataclasses.asdict(s) for s in map_.super_regions],
        "regions": [dataclasses.asdict(r) for r in map_.regions],
        "borders": map_.borders,
        "view_box": map_.view_box,
        "sea_links": [{"regions": (link.a, link.b), "line": link.line} for link in map_.sea_links],
        "setup": None if map_.setup is None else dataclasses.asdict(map_.setup),
        "points": None if map_.drawable else layout_of(map_).labels,
    }  # fmt: skip
    return encoded(form)
