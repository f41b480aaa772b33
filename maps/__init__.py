"""Maps: the bundled ones, readers for files in several forms, and a generator of new ones."""

from .challenge import from_challenge_json, from_setup_lines
from .errors import MapError
from .generator import generate
from .loader import load, names, save
from .model import Map, Region, SeaLink, Shape, SuperRegion
from .native import dumps, from_dict, from_json, schema, to_dict
from .xml_form import from_xml

__all__ = [
    "Map",
    "MapError",
    "Region",
    "SeaLink",
    "Shape",
    "SuperRegion",
    "dumps",
    "from_challenge_json",
    "from_dict",
    "from_json",
    "from_setup_lines",
    "from_xml",
    "generate",
    "load",
    "names",
    "save",
    "schema",
    "to_dict",
]
