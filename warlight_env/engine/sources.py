"""Digests of the sources that a compiled function depends on, without comments and docstrings.

Each module has one digest, which is computed from its source. A kernel depends on its own module and on its import
closure: the modules of `KERNEL_PACKAGES` that its module imports, directly or indirectly. Numba's types of NamedTuples
do not contain the names of fields, so a kernel also depends on the definitions of all NamedTuples.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

#: Packages that contain kernels. Numba itself does not detect that a called function in another file has changed.
KERNEL_PACKAGES: Final = (
    "warlight_env.engine", "warlight_env.features", "warlight_env.agents", "warlight_env.envs", "warlight_env.train",
    "warlight_env.experiments", "warlight_env.tensor_env", "warlight_env.simulation",
)  # fmt: skip

#: Hex digest of this file. Only the same version of this file reads a result of `dump_sources`.
FORMAT: Final = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:20]


class ModuleSource(NamedTuple):
    """The parts of a module's text that compiled code depends on."""

    code: str  #: digest of the syntax tree, without comments and docstrings
    imports: tuple[str, ...]  #: full names in all import statements, also inside functions; some are not modules
    records: str  #: digest of the classes that derive from NamedTuple; empty if there are none


def read_source(text: bytes) -> ModuleSource:
    """Parse a module's text and return its `ModuleSource`.

    Raises SyntaxError if Python cannot compile the text.
    """
    tree = ast.parse(text)
    imports: set[str] = set()
    records: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = _without_docstring(node.body)
        if isinstance(node, ast.Import):
            imports.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imports.add(node.module or "")
            imports.update(f"{node.module}.{alias.name}" for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(_base_name(base) == "NamedTuple" for base in node.bases):
            records.append(ast.dump(node))
    return ModuleSource(_digest([ast.dump(tree)]), tuple(sorted(imports)), _digest(records) if records else "")


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return a list of statements without the statements that are only a constant, such as a docstring."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))] or [ast.Pass()]


def _base_name(base: ast.expr) -> str:
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")


def _digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()[:20]


class SourceDigests:
    """The digests of the sources of each module.

    Args:
        sources: the parsed source of each module, by its full name.
    """

    def __init__(self, sources: Mapping[str, ModuleSource]) -> None:
        self._sources = dict(sources)
        self._records = _digest(f"{name} {source.records}" for name, source in sorted(sources.items()))
        self._everything = self._digest_of(self._sources)

    def digest_for(self, module: str) -> str:
        """Hex digest of a module's import closure.

        If the module is not in `KERNEL_PACKAGES`, the result is the digest of all kernel modules.
        """
        return self._digest_of(self.closure(module)) if module in self._sources else self._everything

    def closure(self, module: str) -> frozenset[str]:
        """The module and all kernel modules that it imports, directly or indirectly."""
        modules, waiting = {module}, [module]
        while waiting:
            for name in self._sources[waiting.pop()].imports:
                if name in self._sources and name not in modules:
                    modules.add(name)
                    waiting.append(name)
        return frozenset(modules)

    def all(self) -> frozenset[str]:
        """All digests that the method `digest_for` can return."""
        return frozenset({self._everything, *map(self.digest_for, self._sources)})

    def _digest_of(self, modules: Iterable[str]) -> str:
        return _digest([self._records, *(f"{name} {self._sources[name].code}" for name in sorted(modules))])


@functools.cache
def kernel_modules() -> Mapping[str, Path]:
    """A mapping from the full name of each module in `KERNEL_PACKAGES` to the module's file."""
    modules: dict[str, Path] = {}
    for package in KERNEL_PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations is None and spec.origin is not None:
            modules[package] = Path(spec.origin).resolve()  # a module
        for folder in (spec and spec.submodule_search_locations) or ():
            place = Path(folder).resolve()
            for file in sorted(place.rglob("*.py")):
                parts = file.relative_to(place).with_suffix("").parts
                modules[".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts)))] = file
    return modules


def read_sources(
    cached: Mapping[str, ModuleSource], remember: Callable[[dict[str, ModuleSource]], None]
) -> dict[str, ModuleSource]:
    """Read all kernel modules; return the parsed source of each module, by its full name.

    Args:
        cached: the sources of modules that were parsed before, by the hex digest of a module's raw bytes. Modules in
            `cached` are not parsed again.
        remember: a function that is called with the new value of `cached`, unless `cached` already contains all
            modules.
    """
    sources, by_text = {}, {}
    for module, file in kernel_modules().items():
        text = file.read_bytes()
        key = hashlib.sha256(text).hexdigest()
        sources[module] = by_text[key] = cached.get(key) or read_source(text)
    if not by_text.keys() <= cached.keys():
        remember(by_text)
    return sources


def dump_sources(sources: Mapping[str, ModuleSource]) -> bytes:
    """Return parsed sources as JSON. The keys of the mapping may be any strings."""
    return json.dumps(sources).encode()


def parse_sources(content: bytes) -> dict[str, ModuleSource]:
    """Return the parsed sources from the JSON of `dump_sources`; skip invalid entries."""
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    sources = {}
    for key, entry in entries.items() if isinstance(entries, dict) else ():
        match entry:
            case [str(code), [*imports], str(records)] if all(isinstance(name, str) for name in imports):
                sources[key] = ModuleSource(code, tuple(imports), records)
    return sources
