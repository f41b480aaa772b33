"""Maps: the bundled maps, readers for map files in several formats, and a generator of random maps.

All packages above `engine` import this package; this package imports `errors`, `arguments` and `bounded_io`. To add a
file format, write a reader and add it to the list of formats in `files`.
"""

from warlight_env.maps.challenge import from_challenge_json, from_setup_lines
from warlight_env.maps.errors import MapError
from warlight_env.maps.generator import generate
from warlight_env.maps.loader import check, load, names, read, save
from warlight_env.maps.model import Map
from warlight_env.maps.native import dumps, from_dict, from_json, schema, to_dict
from warlight_env.maps.parts import Region, SeaLink, Shape, StartingSetup, SuperRegion
from warlight_env.maps.xml_format import from_xml

__all__ = [
    "Map",
    "MapError",
    "Region",
    "SeaLink",
    "Shape",
    "StartingSetup",
    "SuperRegion",
    "check",
    "dumps",
    "from_challenge_json",
    "from_dict",
    "from_json",
    "from_setup_lines",
    "from_xml",
    "generate",
    "load",
    "names",
    "read",
    "save",
    "schema",
    "to_dict",
]
