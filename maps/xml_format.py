"""A reader for the XML map format of the thesis: super regions contain regions, and regions list their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, NamedTuple

from warlight_env import bounded_io
from warlight_env.maps.build import RawRegion, build, heading_for
from warlight_env.maps.errors import MapError, Suggestions, raise_reasons
from warlight_env.maps.model import Map
from warlight_env.maps.parts import DEFAULT_ARMY, SuperRegion
from warlight_env.maps.types import checked
from warlight_env.maps.unused import grouped

_MAX_DEPTH = 20  # maximum depth of nested elements; the format needs a depth of 6
_MAX_ATTRIBUTES = 50  # maximum attributes of an element; an element of the format has at most 2


class _ReadParts(NamedTuple):
    """The attributes and the child elements of an element that the reader uses."""

    attributes: tuple[str, ...] = ()
    elements: Mapping[str, _ReadParts] = {}


_NEIGHBORS: Final = _ReadParts((), {"region": _ReadParts(("name",))})
_REGION: Final = _ReadParts(("name", "army"), {"neighbours": _NEIGHBORS, "neighbors": _NEIGHBORS})
_SUPER_REGION: Final = _ReadParts(
    ("name", "bonus"), {"region": _REGION, "regions": _ReadParts((), {"region": _REGION})}
)
_KNOWN: Final = _ReadParts(
    (), {"superregion": _SUPER_REGION, "superregions": _ReadParts((), {"superregion": _SUPER_REGION})}
)


#: The encodings that XML may declare besides UTF-8. All have one byte per character.
_ENCODINGS: Final = re.compile(r"us-ascii|iso-8859-(?:[1-9]|1[0-1]|1[3-6])|windows-125[0-8]", re.ASCII | re.IGNORECASE)
_DECLARED: Final = re.compile(rb"<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")


@dataclass
class _Element:
    tag: str  # in lower case, without the prefix of a namespace
    written_tag: str  # the tag as it is written in the file
    attributes: dict[str, str]
    line: int
    children: list[_Element] = field(default_factory=list)


def decoded_xml(content: bytes, place: str) -> str | None:
    """Return the text of XML that declares an encoding other than UTF-8.

    Return None for content that is not XML or declares no encoding other than UTF-8.

    Raises:
        MapError: the encoding is not US-ASCII, ISO-8859-… or windows-125…, or the content is not valid in the encoding.
    """
    match = _DECLARED.match(content)
    if match is None or (name := match[1].decode().lower()) in ("utf-8", "utf8"):
        return None
    if not _ENCODINGS.fullmatch(name):
        raise MapError(f"{place}: the encoding {name!r} is not supported; convert the file to UTF-8")
    try:
        return content.decode(name)
    except UnicodeDecodeError as e:
        raise MapError(
            f"{place}: the text does not match its declared encoding {name!r}: {e.reason} at byte {e.start}"
        ) from None


@checked
def from_xml(text: str, place: str = "XML") -> Map:
    """Return the map in an XML text. The indices of regions are in the order of the text; the map has no drawing.

    ``<Map><SuperRegions><SuperRegion Name="Africa" Bonus="3"><Region Name="Egypt" Army="2"><Neighbours> <Region
    Name="Congo"/>…``: the reader also accepts ``<Regions>`` around a super region's regions, attributes in lower case
    and ``<Neighbors>``. The border between two regions may be listed by one or both regions, once or several times.
    """
    return read_xml(text, place)[0]


def read_xml(text: str, place: str) -> tuple[Map, tuple[str, ...]]:
    """Return the same map as `from_xml`, and the kinds of ignored elements and attributes."""
    root = _parse(text, place)
    if root.tag != "map":
        raise MapError(f"{place}: line {root.line}: expected <Map>, found <{root.written_tag}>")
    supers: list[SuperRegion] = []
    super_lines: list[int] = []  # the line number of each super region
    regions: list[RawRegion] = []
    lines: list[int] = []  # the line number of each region
    neighbors_of: dict[str, dict[str, int]] = {}  # region → its listed neighbours → their line numbers
    for s in _below(root, "superregion", ("superregions",)):
        name = _name(s, place)
        supers.append(SuperRegion(name, _integer(s, "bonus", place)))
        super_lines.append(s.line)
        for r in _below(s, "region", ("regions",)):
            region = _name(r, place)
            regions.append(RawRegion(region, name, army=_integer(r, "army", place, DEFAULT_ARMY)))
            lines.append(r.line)
            neighbors_of.setdefault(region, {}).update(_read_neighbors(r, place))
    if not regions:
        raise MapError(f"{place}: the map is empty: no regions")
    pairs = [(a, b) for a, neighbors in neighbors_of.items() for b in neighbors]
    raise_reasons(
        chain(
            _repeated_super_regions(supers, super_lines, place),
            _repeated_regions(regions, lines, place),
            _neighbor_problems(neighbors_of, place),
        )
    )
    return build(place, heading_for(place, "XML file"), supers, regions, pairs), grouped(_unused(root, _KNOWN))


def _repeated_super_regions(supers: Sequence[SuperRegion], lines: Sequence[int], place: str) -> Iterator[str]:
    """Yield a problem for each super region with the name of an earlier super region."""
    names = set[str]()
    for s, line in zip(supers, lines, strict=True):
        if s.name in names:
            yield f"{place}: line {line}: super region {s.name!r}: repeated name"
        names.add(s.name)


def _repeated_regions(regions: Sequence[RawRegion], lines: Sequence[int], place: str) -> Iterator[str]:
    """Yield a problem for each region with the name of an earlier region."""
    homes: dict[str, str] = {}
    for r, line in zip(regions, lines, strict=True):
        first = homes.get(r.name)
        if first is None:
            homes[r.name] = r.super_region
        else:
            is_same = first == r.super_region
            problem = "repeated name" if is_same else f"in two super regions, {first!r} and {r.super_region!r}"
            yield f"{place}: line {line}: region {r.name!r}: {problem}"


def _neighbor_problems(neighbors_of: dict[str, dict[str, int]], place: str) -> Iterator[str]:
    """Yield all borders to unknown regions, and borders from a region to itself."""
    suggestions = Suggestions(neighbors_of)
    for region, line_of in neighbors_of.items():
        for name, line in line_of.items():
            location = f"{place}: line {line}: region {region!r}"
            if name == region:
                yield f"{location}: must not have a border to itself"
            elif name not in neighbors_of:
                yield f"{location}: border to unknown region {name!r}{suggestions.hint(name)}"


def _unused(e: _Element, read_parts: _ReadParts) -> Iterator[str]:
    """Yield the elements and attributes, in and below an element, that the reader does not use."""
    attributes, elements = read_parts
    yield from (f"<{e.written_tag} {name}>" for name in e.attributes if name not in attributes)
    for child in e.children:
        if child.tag in elements:
            yield from _unused(child, elements[child.tag])
        else:
            yield f"<{child.written_tag}>"


def _read_neighbors(r: _Element, place: str) -> dict[str, int]:
    neighbor_lines: dict[str, int] = {}
    for n in _below(r, "region", ("neighbours", "neighbors"), direct=False):
        neighbor_lines.setdefault(_name(n, place), n.line)
    return neighbor_lines


def _below(e: _Element, tag: str, enclosing: tuple[str, ...], direct: bool = True) -> Iterator[_Element]:
    """Yield the elements with the tag `tag` that are children of `e`, or children of a child with an `enclosing` tag.

    direct: whether to yield children of `e`; if it is False, only elements inside children with an `enclosing` tag are
    yielded.
    """
    for child in e.children:
        if child.tag == tag and direct:
            yield child
        elif child.tag in enclosing:
            yield from (c for c in child.children if c.tag == tag)


def _name(e: _Element, place: str) -> str:
    name = e.attributes.get("name")
    if name is None:
        raise MapError(f"{place}: line {e.line}: <{e.written_tag}> has no Name")
    return " ".join(name.split())


def _integer(e: _Element, key: str, place: str, default: int | None = None) -> int:
    text = e.attributes.get(key, None if default is None else str(default))
    location = f"{place}: line {e.line}: <{e.written_tag}> {e.attributes.get('name', '')!r}"
    if text is None:
        raise MapError(f"{location} has no {key.capitalize()}")
    if not re.fullmatch(r"-?[0-9]{1,9}", text.strip(), re.ASCII):
        raise MapError(f"{location}: {key.capitalize()} {text[:40]!r} is not a whole number")
    return int(text)


def _parse(text: str, place: str) -> _Element:
    from xml.sax import SAXParseException
    from xml.sax.handler import ContentHandler

    import defusedxml  # type: ignore[import-untyped,unused-ignore]
    import defusedxml.sax  # type: ignore[import-untyped,unused-ignore]

    document = _Element("", "", {}, 0)
    stack = [document]
    count = [0]

    class Handler(ContentHandler):
        """Builds the tree of elements, with tags and attribute names in lower case, and with line numbers."""

        locator: Any = None

        def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802
            self.locator = locator

        def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
            if len(stack) > _MAX_DEPTH:
                raise MapError(f"{place}: line {self.locator.getLineNumber()}: nested too deeply")
            count[0] += 1
            if count[0] > bounded_io.ELEMENTS or len(attrs) > _MAX_ATTRIBUTES:
                line = self.locator.getLineNumber()
                raise MapError(
                    f"{place}: line {line}: more than {bounded_io.ELEMENTS:,} elements, "
                    f"or more than {_MAX_ATTRIBUTES} attributes of one element"
                )
            lower = {str(k).lower(): str(v) for k, v in attrs.items()}
            element = _Element(name.lower().rpartition(":")[2], name, lower, self.locator.getLineNumber())
            stack[-1].children.append(element)
            stack.append(element)

        def endElement(self, name: str) -> None:  # noqa: N802
            stack.pop()

    try:
        # The declared encoding is the encoding of the bytes in the file, but this text is already decoded.
        plain = re.sub(r"^(\s*<\?xml[^>]*?)\s+encoding\s*=\s*(\"[^\"]*\"|'[^']*')", r"\1", text)
        defusedxml.sax.parseString(plain.encode(), Handler(), forbid_dtd=True)
    except SAXParseException as e:
        location = f"{place}: line {e.getLineNumber()}"
        raise MapError(f"{location}: malformed XML: {e.getMessage()}") from None
    except defusedxml.DefusedXmlException as e:
        raise MapError(f"{place}: XML with a DTD or entities is not supported: {type(e).__name__}") from None
    except UnicodeEncodeError as e:
        raise MapError(f"{place}: not valid text: {e.reason}") from None
    return document.children[0]
