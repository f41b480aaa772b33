"""Hashes of kernel sources: the changes that alter them, and the changes that do not."""

import ast
import json
from pathlib import Path

import pytest

import warlight_env
from warlight_env import agents, maps, train
from warlight_env.engine.sources import (
    SourceDigests,
    dump_sources,
    kernel_modules,
    parse_sources,
    read_source,
    read_sources,
)

TEXTS = {
    "a": "from b import f\n\n\ndef g(x):\n    return f(x)\n",
    "b": (
        "import c\nfrom typing import NamedTuple\n\n\nclass R(NamedTuple):\n    x: int\n    y: int\n\n\n"
        "def f(x):\n    return x\n"
    ),
    "c": "K = 3\n",
    "d": "def h():\n    from a import g\n    return g\n",
    "e": "E = 1\n",
}


def digests(**changed):
    return SourceDigests({name: read_source(text.encode()) for name, text in {**TEXTS, **changed}.items()})


def changed_modules(**changed):
    before, after = digests(), digests(**changed)
    return {name for name in TEXTS if before.digest_for(name) != after.digest_for(name)}


@pytest.mark.parametrize("module, text, expected", [
    ("c", "K = 4\n", "abcd"),  # through imports, those inside functions too
    ("a", TEXTS["a"].replace("f(x)\n", "f(x) + 1\n"), "ad"),
    ("e", "E = 2\n", "e"),
    ("c", "# why\nK = 3  # three\n", ""),
    ("c", '"""Constants."""\n\nK = 3\n"""Of three."""\n', ""),
    ("a", TEXTS["a"].replace("    return", '    """Call f."""\n\n    return'), ""),
    ("b", TEXTS["b"].replace("x: int\n    y", "y: int\n    x"), "abcde"),  # the layout of a record affects all
    ("b", TEXTS["b"].replace("x: int", "x: int  #: the first"), ""),
    ("c", "K = 3\nimport e\n", "abcd"),
])  # fmt: skip
def test_change_affects_exactly_the_dependent_modules(module, text, expected):
    assert changed_modules(**{module: text}) == set(expected)


def test_modules_outside_the_package_depend_on_all_modules():
    before = digests()
    assert before.digest_for("user") not in {before.digest_for(name) for name in TEXTS}
    assert before.digest_for("user") != digests(e="E = 2\n").digest_for("user")
    assert before.all() == {before.digest_for(name) for name in [*TEXTS, "user"]}


@pytest.fixture(scope="module")
def parsed():
    """The sources of all kernel modules, and the cached entries by text."""
    by_text: dict = {}
    return read_sources({}, by_text.update), by_text


def test_cached_texts_are_not_parsed_again(parsed):
    sources, by_text = parsed
    assert sources.keys() == kernel_modules().keys()
    assert "warlight_env.engine.round" in sources and "warlight_env.agents.players.mcts" in sources
    again = []
    assert read_sources(parse_sources(dump_sources(by_text)), again.append) == sources
    assert not again


@pytest.mark.parametrize("entry", [
    None, 1, "code", {}, ["code", [], "records", "more"], ["code", []], ["code", "imports", "records"],
    ["code", [1], "records"], [1, [], "records"], ["code", [], None],
])  # fmt: skip
def test_entries_of_another_version_are_ignored(entry):
    fits = read_source(TEXTS["b"].encode())
    assert parse_sources(json.dumps({"other": entry, "b": fits}).encode()) == {"b": fits}


@pytest.mark.parametrize("content", [b"", b"[]", b"1", b"\xff", b'{"a": ', b"[" * 100_000])
def test_files_without_sources_are_ignored(content):
    assert parse_sources(content) == {}


def test_every_module_with_a_kernel_is_in_a_kernel_package():
    kernel_files = {path.resolve() for path in kernel_modules().values()}
    modules = {
        path.resolve()
        for package in (warlight_env, agents, maps, train)
        for path in Path(package.__path__[0]).rglob("*.py")
        if b"kernel" in (text := path.read_bytes()) and _defines_kernel(ast.parse(text))
    }
    assert len(modules) > 50 and modules <= kernel_files


def _defines_kernel(tree):
    decorators = (d for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for d in node.decorator_list)
    return any(getattr(d, "attr", getattr(d, "id", "")) in ("kernel", "inline_kernel") for d in decorators)


def test_import_closure_of_the_rules_contains_no_bot(parsed):
    closure = SourceDigests(parsed[0]).closure("warlight_env.engine.round")
    assert "warlight_env.engine.dice" in closure
    assert not any(name.startswith("warlight_env.agents") for name in closure)
