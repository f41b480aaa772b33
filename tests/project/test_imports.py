"""No two modules import each other in a cycle, and no module imports or names a module of a higher layer.

The test counts imports inside functions and imports for type checkers. It does not count the ``__init__`` of a package
that Python runs when a module of the package is imported.
"""

from __future__ import annotations

import ast
import functools
import re
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
    """Return the text of every module by its installed name."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    texts = {}
    for package in setuptools["packages"]:
        folder = ROOT / setuptools["package-dir"].get(package, package.replace(".", "/"))
        for file in folder.glob("*.py"):
            name = package if file.stem == "__init__" else f"{package}.{file.stem}"
            texts[name] = file.read_text(encoding="utf-8")
    return texts


class Text(NamedTuple):
    """The modules and classes in a module's text."""

    imports: list[tuple[str, str]]  #: modules, each with a name that is imported from it, or ""
    named: list[str]  #: modules in strings other than the documentation
    classes: list[str]  #: public classes of the module
    defined: set[str]  #: all names that the module defines, imports or assigns


@functools.cache
def read(text: str) -> Text:
    """Parse a module's text; the result is cached for all tests."""
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
    assigned = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    defined = {name for _, name in imports} | {node.name for node in nodes if isinstance(node, kinds)}
    return Text(imports, named, classes, defined | assigned)


def imported_modules(text: str, modules: Mapping[str, str]) -> Iterator[str]:
    """Yield the modules that a module's text imports."""
    for module, name in read(text).imports:
        part = f"{module}.{name}" if name else module
        yield from [part] if part in modules else [module] if module in modules else []


def graph_of(modules: Mapping[str, str]) -> Graph:
    """Return for each module the set of modules that it imports."""
    return {name: set(imported_modules(text, modules)) - {name} for name, text in modules.items()}


def reachable(graph: Graph, start: str) -> set[str]:
    """Return all modules that a module imports, directly or indirectly."""
    modules, todo = set[str](), [start]
    while todo:
        new = graph[todo.pop()] - modules
        modules |= new
        todo += new
    return modules


def cycles(graph: Graph) -> list[list[str]]:
    """Return the strongly connected sets of modules, each sorted."""
    below = {name: reachable(graph, name) for name in graph}
    together = {tuple(sorted(m for m in below[name] if name in below[m])) for name in graph if name in below[name]}
    return [list(modules) for modules in sorted(together)]


def imports_text(graph: Graph, modules: list[str]) -> str:
    """Return the imports within a set of modules, one on each line."""
    return "\n".join(f"  {name} imports {other}" for name in modules for other in sorted(graph[name] & set(modules)))


def layers() -> list[set[str]]:
    """Return the names directly below the package in each layer of the import contracts, the highest layer first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (names,) = [contract["layers"] for contract in contracts if contract.get("containers") == [PACKAGE]]
    return [set(layer.split(" | ")) for layer in names]


def references_to_higher_layers(modules: Mapping[str, str], order: list[set[str]]) -> list[str]:
    """Return references in strings to modules of higher layers."""
    level = {f"{PACKAGE}.{name}": at for at, layer in enumerate(order) for name in layer}

    def level_of(module: str) -> int:
        return level.get(".".join(module.split(".")[:2]), len(order))

    return [
        f"{module} names {other}"
        for module, text in modules.items()
        for other in read(text).named
        if module != PACKAGE and level_of(other) < level_of(module)
    ]


def test_no_module_names_a_module_of_a_higher_layer_in_a_string():
    modules = sources()
    cache = modules.pop(f"{PACKAGE}.engine.sources")  # this module hashes files without using their contents
    kernels = ("engine", "features", "agents", "envs", "train", "experiments", "tensor_env", "simulation")
    assert set(read(cache).named) == {f"{PACKAGE}.{name}" for name in kernels}
    references = references_to_higher_layers(modules, layers())
    assert not references, "\n".join(
        [*references, "Have what stands above tell the place below, see warlight_env.registration_hooks."]
    )


@pytest.mark.parametrize(("text", "found"), [
    ("load('warlight_env.arena.policies.policy_agent:trained_policy')", ["warlight_env.arena.policies.policy_agent"]),
    ("def f():\n    return f'{x} of warlight_env.web.http.app'", ["warlight_env.web.http.app"]),
    ("load('warlight_env.engine.view:View')", []), ("load('warlight_env.agents.players.random')", []),
    ('"""See `warlight_env.arena.games.game_loop`."""', []), ("x = 'warlight_env'", []),
])  # fmt: skip
def test_a_reference_to_a_higher_layer_is_detected(text, found):
    module = "warlight_env.agents.registry"
    assert references_to_higher_layers({module: text}, layers()) == [f"{module} names {name}" for name in found]


def duplicates(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the class names that several modules define, with these modules."""
    modules_of_class: dict[str, list[str]] = {}
    for module, text in modules.items():
        for name in read(text).classes:
            modules_of_class.setdefault(name, []).append(module)
    return {name: modules_ for name, modules_ in modules_of_class.items() if len(modules_) > 1}


def test_class_names_are_unique():
    assert not duplicates(sources())
    assert duplicates({"a": "class A:\n    class B: pass", "b": "class B: pass\nclass A: pass"}) == {"A": ["a", "b"]}


@pytest.mark.parametrize("first", [
    "warlight_env.agents.registry", "warlight_env.protocol.bot_registration", "warlight_env.arena",
])  # fmt: skip
def test_agents_of_higher_packages_are_registered_for_any_import_order(first, starts):
    code = f"""
import sys, {first}
from warlight_env.agents import agent_names, make_agent
print([name for name in ("belief", "cmd", "policy") if name not in agent_names()], make_agent("belief:random", 1).name)
"""
    done = starts.run(code, folder=Path(ROOT.anchor))
    assert done.stdout == "[] belief:random\n", done.stderr


def test_no_modules_import_each_other_in_a_cycle():
    graph = graph_of(sources())
    found = cycles(graph)
    report = "\n".join(
        f"{len(modules)} modules hang together in a circle:\n{imports_text(graph, modules)}" for modules in found
    )
    assert not found, f"{report}\nMove what both need into a module below, or say by a Protocol what is asked for."


def page_graph(folder: Path) -> Graph:
    """Return for each source file of the page the files that it imports, including imports of types."""
    files = {path.resolve() for suffix in ("ts", "svelte") for path in folder.rglob(f"*.{suffix}")}
    graph: Graph = {}
    for file in files:
        names = re.findall(r"""(?:from|import|import\() ?['"](\.[^'"]+)['"]""", file.read_text(encoding="utf-8"))
        paths = {(file.parent / name).resolve() for name in names}
        near = {path.with_name(path.name + suffix) for path in paths for suffix in ("", ".ts")} & files
        graph[str(file.relative_to(folder))] = {str(path.relative_to(folder)) for path in near}
    return graph


def test_no_benchmarks_import_each_other_in_a_cycle():
    graph = graph_of({path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py")})
    assert "speed_table" in graph["bench"]
    assert not cycles(graph), "\n".join(imports_text(graph, modules) for modules in cycles(graph))


def test_no_files_of_the_page_import_each_other_in_a_cycle():
    graph = page_graph(ROOT / "frontend" / "src")
    assert (
        "lib/guide/step.ts" in graph["lib/guide/tips.ts"]
        and "lib/guide/guide.svelte.ts" in graph["screens/Game.svelte"]
    )
    assert not cycles(graph), "\n".join(imports_text(graph, modules) for modules in cycles(graph))


def test_no_module_imports_the_top_level_package():
    above = [name for name, below in graph_of(sources()).items() if PACKAGE in below]
    assert not above, f"{', '.join(above)}: import names from the modules that they are in, not from {PACKAGE}"


def missing_imports(text: str, modules: Mapping[str, str]) -> list[str]:
    """Return the modules and names of the package that a program imports, but that do not exist."""
    return [
        f"{module} {name}".rstrip()
        for module, name in read(text).imports
        if module.split(".")[0] == PACKAGE
        and (module not in modules or (name and name not in read(modules[module]).defined))
        and (f"{module}.{name}" if name else module) not in modules
    ]


def test_programs_import_only_names_that_exist():
    modules = sources()
    paths = [path for name in ("benchmarks", "docs", "examples", "tests") for path in (ROOT / name).rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in paths if not path.name.startswith("test_")}
    missing = {str(path.relative_to(ROOT)): missing_imports(text, modules) for path, text in texts.items()}
    assert len(texts) > 100 and not {path: names for path, names in missing.items() if names}
    text = "import warlight_env.nothing\nfrom warlight_env.game import Game, nothing\nfrom warlight_env import maps"
    assert missing_imports(text, modules) == ["warlight_env.nothing", "warlight_env.game nothing"]


@pytest.mark.parametrize("back", [
    "import p.a",
    "from p import a",
    "from p.a import x",
    "def later():\n    from p.a import x",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import x",
])  # fmt: skip
def test_a_cycle_is_detected_for_every_form_of_import(back):
    modules = {"p": "from p.a import x", "p.a": "from p.b import y", "p.b": "import json", "p.c": "from p.a import x"}
    assert cycles(graph_of(modules)) == []
    graph = graph_of({**modules, "p.b": back})
    assert cycles(graph) == [["p.a", "p.b"]]
    assert imports_text(graph, ["p.a", "p.b"]) == "  p.a imports p.b\n  p.b imports p.a"


@needs_page
def test_notebooks_show_games_and_logs_without_importing_the_server(starts):
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
    done = starts.run(code, folder=Path(ROOT.anchor))
    assert done.stdout == "[] <iframe <iframe False\n", done.stderr
