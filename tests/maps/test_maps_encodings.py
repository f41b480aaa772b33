"""Files that are not UTF-8: XML is read in its declared encoding, and errors name other content."""

from __future__ import annotations

import gzip
import io
import os
import zipfile

import pytest

from warlight_env import bounded_io, maps
from warlight_env.cli import main
from warlight_env.errors import InputError
from warlight_env.maps import MapError

XML = """<?xml version="1.0" encoding="{}"?>
<Map><SuperRegions><SuperRegion Name="A" Bonus="1"><Region Name="Côte"><Neighbours><Region Name="Sud"/></Neighbours>
</Region><Region Name="Sud"/></SuperRegion></SuperRegions></Map>
"""


def archive() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("map.json", "{}")
    return data.getvalue()


FILES = {
    "UTF-16 text": maps.dumps(maps.load("small")).encode("utf-16"),
    "UTF-16 text without a mark": maps.dumps(maps.load("small")).encode("utf-16-le"),
    "UTF-16 text, big end first": maps.dumps(maps.load("small")).encode("utf-16-be"),
    "UTF-32 text": maps.dumps(maps.load("small")).encode("utf-32"),
    "gzip data": gzip.compress(b"{}"),
    "a PNG picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "a ZIP archive": archive(),
}


@pytest.mark.parametrize("kind", FILES)
def test_the_error_names_the_kind_of_a_file_that_is_not_utf8(kind, tmp_path):
    file = tmp_path / "a.json"
    file.write_bytes(FILES[kind])
    name = kind.removesuffix(" without a mark").removesuffix(", big end first")
    with pytest.raises(MapError, match=f"a.json: not UTF-8 text: the file appears to be {name}.*supported formats"):
        maps.load(file)
    with pytest.raises(InputError, match=f"not UTF-8 text: the file appears to be {name}"):
        bounded_io.read_text(file, 10**6, InputError, "file")


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "iso-8859-15", "utf-8", "UTF-8"])
def test_xml_is_read_in_its_declared_encoding(encoding, tmp_path):
    file = tmp_path / "a.xml"
    file.write_bytes(XML.format(encoding).encode(encoding))
    assert [region.name for region in maps.load(file).regions] == ["Côte", "Sud"]


def test_unsupported_encodings_of_xml_are_refused(tmp_path):
    file = tmp_path / "a.xml"
    file.write_bytes(XML.format("utf-7").encode())
    with pytest.raises(MapError, match="the encoding 'utf-7' is not supported; convert the file to UTF-8"):
        maps.load(file)
    file.write_bytes(XML.format("us-ascii").encode())
    with pytest.raises(MapError, match="the text does not match its declared encoding 'us-ascii'"):
        maps.load(file)


def test_xml_with_a_namespace_prefix_is_read(tmp_path):
    file = tmp_path / "a.xml"
    text = XML.format("utf-8").replace("<", "<m:").replace("<m:/", "</m:").replace("<m:?", "<?")
    file.write_text(text.replace("<m:Map>", '<m:Map xmlns:m="x">'), encoding="utf-8")
    assert [region.name for region in maps.load(file).regions] == ["Côte", "Sud"]


@pytest.mark.parametrize("text", ["[map]\nname = 1\n", "[[a.b]]  # x\n", "# x\n[map]\n"])
def test_toml_is_not_mistaken_for_json(text, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(MapError, match="not a map format") as refused:
        maps.load(file)
    assert "JSON (" not in str(refused.value) and "be JSON" not in str(refused.value)


@pytest.mark.skipif(os.name != "posix", reason="names of files are text")
def test_map_check_prints_a_file_name_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"a\xff\n.json")
    with open(name, "wb") as file:
        file.write(b"\xff")
    assert main(["map", "check", name]) == 1
    assert capsys.readouterr().out.count("json") == 1
