"""Agents in modules and files of Python code: ``MODULE:NAME`` and ``FILE.py:NAME``, with parameters after a comma.

In ``FILE.py#DIGEST:NAME`` the digest identifies the content of the file, see `registry.pinned`.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.agents.agent_adapter import call_factory
from warlight_env.agents.agent_info import AgentInfo, TextForm
from warlight_env.agents.agent_spec import AgentSpec, split_digest
from warlight_env.agents.records.value_record import check_digest, digest
from warlight_env.errors import InputError

#: The end of the names of files with agents.
PYTHON_END: Final = ".py"
_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_NAME: Final = re.compile(r"[^\W\d]\w*")


class ImportedAgentError(InputError):
    """Error: the agent's module or file has no such class or function, or a parameter of the agent is wrong."""


def imported_agent(spec: AgentSpec) -> AgentInfo | None:
    """Return the registry entry of an agent in a module or a file, or None if the specification names no such agent.

    The function imports nothing: it only looks for the file or the top-level package, also in the current folder.

    Raises:
        ImportedAgentError: the file does not exist, or it does not have the content that the digest in the
            specification identifies, or a colon instead of a comma precedes the parameters.
    """
    attribute, colon, parameters = spec.argument_text.partition(",")[0].strip().partition(":")
    if spec.separator != ":" or not _NAME.fullmatch(attribute):
        return None
    path, expected = split_digest(spec.name, PYTHON_END)
    if path.endswith(PYTHON_END):
        if not os.path.isfile(path):
            raise ImportedAgentError(f"agent '{path}:{attribute}': there is no file {path}")
        if expected:
            _content(path, expected)
        summary = f"{attribute} in the file {path}"
    elif _MODULE.fullmatch(spec.name) and _is_installed(spec.name.partition(".")[0]):
        summary = f"{attribute} in the module {spec.name}"
    else:
        return None
    if colon:
        example = f"{path}:{attribute},{parameters or 'KEY=VALUE'}"
        raise ImportedAgentError(f"agent '{spec}': parameters follow a comma, as in {example}")

    def load() -> Callable[..., Any]:
        return functools.partial(_make, path, expected)

    file = path if path.endswith(PYTHON_END) else None
    return AgentInfo(path, summary, load, text=TextForm(f"{path}:NAME"), file=file)


def is_imported(spec: str) -> bool:
    """Return whether a specification names an agent in a module, or in a file, which need not exist."""
    try:
        return imported_agent(AgentSpec.parse(spec)) is not None
    except ImportedAgentError:
        return True


def _is_installed(package: str) -> bool:
    if package in sys.modules:
        return True
    try:
        module_spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return False
    return module_spec is not None or importlib.machinery.PathFinder.find_spec(package, [os.getcwd()]) is not None


def file_digest(path: str) -> str:
    """Return the digest of the present content of a file with agents: 16 hexadecimal digits.

    Raises:
        ImportedAgentError: the file cannot be read.
    """
    return digest(_content(path, ""))


def _content(path: str | Path, expected: str) -> bytes:
    """Return the content of a file; raise ImportedAgentError if its digest is not `expected`, unless that is empty."""
    content = bounded_io.read_bytes(Path(path), bounded_io.ARRAYS_BYTES, ImportedAgentError, "bot")
    check_digest(content, expected, path, "bot", ImportedAgentError)
    return content


def _make(source: str, expected: str, seed: int, text: str) -> Any:
    attribute, *parts = (part.strip() for part in text.split(","))
    values: dict[str, str] = {}
    for part in filter(None, parts):
        key, equals, value = part.partition("=")
        if not equals or key in values:
            reason = f"{key} is given twice" if equals else f"expected key=value, got {part!r}"
            raise ImportedAgentError(f"agent '{source}:{text}': {reason}")
        values[key] = value
    module = _module_of_file(source, expected) if source.endswith(PYTHON_END) else _module(source)
    factory = getattr(module, attribute, None)
    if not callable(factory):
        problem = "is not callable" if hasattr(module, attribute) else "does not exist"
        raise ImportedAgentError(f"agent '{source}:{text}': {attribute} {problem} in {source}")
    return call_factory(factory, seed=seed, **values)


def _module(name: str) -> ModuleType:
    _add_to_path(os.getcwd())
    return importlib.import_module(name)


def _module_of_file(path: str, expected: str) -> ModuleType:
    """Import each content of a file once in this process.

    The folder of the file is added to the search path, as when Python runs the file. expected: see `_content`.
    """
    file, content = Path(path).resolve(), _content(path, expected)
    name = f"warlight_agent_{file.stem}_{hashlib.sha256(str(file).encode() + content).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    loader = importlib.machinery.SourceFileLoader(name, str(file))
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    assert spec is not None
    _add_to_path(str(file.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(loader.source_to_code(content, str(file)), module.__dict__)  # the loader itself would read the file again
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _add_to_path(folder: str) -> None:
    """Append a folder to the search path of modules, so that it hides no installed module."""
    if folder not in sys.path:
        sys.path.append(folder)
