"""No two modules import each other in a circle, and no module imports or names a module of a higher layer.

The test counts imports inside functions and imports for type checkers. It does not count the ``__init__`` of a package
that Python runs when a module of the package is imported.
"""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from web_helpers import needs_page

ROOT = Path(__file__).parents[2]
PACKAGE = "warlight_env"

Graph = dict[str, set[str]]


def sources() -> dict[str, str]:
    """The text of every module, by the name under which it is installed."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = {}
    for package in setuptools["packages"]:
        folder = ROOT / setuptools["package-dir"].get(package, package.replace(".", "/"))
        for file in folder.glob("*.py"):
            name = package if file.stem == "__init__" else f"{package}.{file.stem}"
            found[name] = file.read_text(encoding="utf-8")
    return found


class Text(NamedTuple):
    """What a module's text says of other modules and of classes."""

    imports: list[tuple[str, str]]  #: modules, each with a name that is imported of it, or ""
    named: list[str]  #: modules in strings other than the documentation
    classes: list[str]  #: public ones of the module itself


@functools.cache
def read(text: str) -> Text:
    """Parse a module's text; each is parsed once for all tests."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    imports: list[tuple[str, str]] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            imports += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            imports += [(str(node.module), alias.name) for alias in node.names]
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in prose]
    named = [name for s in strings if isinstance(s, str) for name in re.findall(rf"\b{PACKAGE}(?:\.\w+)+", s)]
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    return Text(imports, named, classes)


def imported(text: str, modules: Mapping[str, str]) -> Iterator[str]:
    """The modules that a module's text names in its imports."""
    for module, name in read(text).imports:
        part = f"{module}.{name}" if name else module
        yield from [part] if part in modules else [module] if module in modules else []


def graph_of(modules: Mapping[str, str]) -> Graph:
    """For each module those that it imports."""
    return {name: set(imported(text, modules)) - {name} for name, text in modules.items()}


def reached(graph: Graph, start: str) -> set[str]:
    """All that a module imports, whether itself or by what it imports."""
    found, todo = set[str](), [start]
    while todo:
        new = graph[todo.pop()] - found
        found |= new
        todo += new
    return found


def circles(graph: Graph) -> list[list[str]]:
    """The sets of modules that hang together in circles, each sorted."""
    below = {name: reached(graph, name) for name in graph}
    together = {tuple(sorted(m for m in below[name] if name in below[m])) for name in graph if name in below[name]}
    return [list(modules) for modules in sorted(together)]


def told(graph: Graph, modules: list[str]) -> str:
    """The imports within a circle, one a line."""
    return "\n".join(f"  {name} imports {other}" for name in modules for other in sorted(graph[name] & set(modules)))


def layers() -> list[set[str]]:
    """Names directly below the package, the highest layer first, as the contracts have them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (found,) = [contract["layers"] for contract in contracts if contract.get("containers") == [PACKAGE]]
    return [set(layer.split(" | ")) for layer in found]


def names_above(modules: Mapping[str, str], order: list[set[str]]) -> list[str]:
    """What modules name in strings though it stands above them."""
    level = {f"{PACKAGE}.{name}": at for at, layer in enumerate(order) for name in layer}

    def level_of(module: str) -> int:
        return level.get(".".join(module.split(".")[:2]), len(order))

    return [
        f"{module} names {other}"
        for module, text in modules.items()
        for other in read(text).named
        if module != PACKAGE and level_of(other) < level_of(module)
    ]


def test_no_module_names_one_above_it_in_a_string():
    modules = sources()
    cache = modules.pop(f"{PACKAGE}.engine.sources")  # digests files, and knows nothing of what is in them
    kernels = ("engine", "features", "agents", "envs", "train", "experiments", "tensor_env", "simulation")
    assert set(read(cache).named) == {f"{PACKAGE}.{name}" for name in kernels}
    found = names_above(modules, layers())
    assert not found, "\n".join(
        [*found, "Have what stands above tell the place below, see warlight_env.registration_hooks."]
    )


@pytest.mark.parametrize(("text", "found"), [
    ("load('warlight_env.arena.policies.policy_agent:trained_policy')", ["warlight_env.arena.policies.policy_agent"]),
    ("def f():\n    return f'{x} of warlight_env.web.http.app'", ["warlight_env.web.http.app"]),
    ("load('warlight_env.engine.view:View')", []), ("load('warlight_env.agents.players.random')", []),
    ('"""See `warlight_env.arena.games.game_loop`."""', []), ("x = 'warlight_env'", []),
])  # fmt: skip
def test_a_name_of_what_stands_above_is_found(text, found):
    module = "warlight_env.agents.registry"
    assert names_above({module: text}, layers()) == [f"{module} names {name}" for name in found]


def twice_defined(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Classes whose name two modules or more have, and these."""
    homes: dict[str, list[str]] = {}
    for module, text in modules.items():
        for name in read(text).classes:
            homes.setdefault(name, []).append(module)
    return {name: found for name, found in homes.items() if len(found) > 1}


def test_a_name_means_one_class():
    assert not twice_defined(sources())
    assert twice_defined({"a": "class A:\n    class B: pass", "b": "class B: pass\nclass A: pass"}) == {"A": ["a", "b"]}


@pytest.mark.parametrize("first", [
    "warlight_env.agents.registry", "warlight_env.protocol.bot_registration", "warlight_env.arena",
])  # fmt: skip
def test_agents_of_packages_above_the_registry_are_known_whatever_is_imported_first(first):
    code = f"""
import sys, {first}
from warlight_env.agents import agent_names, make_agent
print([name for name in ("belief", "cmd", "policy") if name not in agent_names()], make_agent("belief:random", 1).name)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT.anchor, capture_output=True, text=True, check=False)
    assert done.stdout == "[] belief:random\n", done.stderr


def test_no_modules_import_each_other_in_a_circle():
    graph = graph_of(sources())
    found = circles(graph)
    said = "\n".join(f"{len(modules)} modules hang together in a circle:\n{told(graph, modules)}" for modules in found)
    assert not found, f"{said}\nMove what both need into a module below, or say by a Protocol what is asked for."


def page_graph(folder: Path) -> Graph:
    """For each source file of the page those that it imports, types included."""
    files = {path.resolve() for suffix in ("ts", "svelte") for path in folder.rglob(f"*.{suffix}")}
    graph: Graph = {}
    for file in files:
        names = re.findall(r"""(?:from|import|import\() ?['"](\.[^'"]+)['"]""", file.read_text(encoding="utf-8"))
        found = {(file.parent / name).resolve() for name in names}
        near = {path.with_name(path.name + suffix) for path in found for suffix in ("", ".ts")} & files
        graph[str(file.relative_to(folder))] = {str(path.relative_to(folder)) for path in near}
    return graph


def test_no_benchmarks_import_each_other_in_a_circle():
    graph = graph_of({path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py")})
    assert "speed_table" in graph["bench"]
    assert not circles(graph), "\n".join(told(graph, modules) for modules in circles(graph))


def test_no_files_of_the_page_import_each_other_in_a_circle():
    graph = page_graph(ROOT / "frontend" / "src")
    assert (
        "lib/guide/step.ts" in graph["lib/guide/tips.ts"]
        and "lib/guide/guide.svelte.ts" in graph["screens/Game.svelte"]
    )
    assert not circles(graph), "\n".join(told(graph, modules) for modules in circles(graph))


def test_no_module_imports_the_package_that_is_above_all():
    above = [name for name, below in graph_of(sources()).items() if PACKAGE in below]
    assert not above, f"{', '.join(above)}: import names from the modules that they are in, not from {PACKAGE}"


@pytest.mark.parametrize("back", [
    "import p.a",
    "from p import a",
    "from p.a import x",
    "def later():\n    from p.a import x",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import x",
])  # fmt: skip
def test_a_circle_is_found_however_it_is_written(back):
    modules = {"p": "from p.a import x", "p.a": "from p.b import y", "p.b": "import json", "p.c": "from p.a import x"}
    assert circles(graph_of(modules)) == []
    graph = graph_of({**modules, "p.b": back})
    assert circles(graph) == [["p.a", "p.b"]]
    assert told(graph, ["p.a", "p.b"]) == "  p.a imports p.b\n  p.b imports p.a"


@needs_page
def test_games_and_logs_are_shown_in_notebooks_by_the_page_that_they_do_not_know():
    code = """
import sys
from warlight_env import Game
game = Game("small", seed=1, picks="random")
before = [name for name in sys.modules if name.startswith("warlight_env.web")]
shown = game._repr_html_()
from warlight_env.arena import play_game
from warlight_env.agents import make_agent
from warlight_env.record import MemoryRecorder
recorder = MemoryRecorder()
play_game([make_agent("random", 1), make_agent("random", 2)], "small", observer=recorder, max_rounds=2)
log = recorder.log._repr_html_()
print(before, shown[:7], log[:7], "fastapi" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT.anchor, capture_output=True, text=True, check=False)
    assert done.stdout == "[] <iframe <iframe False\n", done.stderr
