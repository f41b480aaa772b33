"""The installed distribution: complete, light to import, and the imports of the project point one way."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path

import pytest

import warlight_env

ROOT = Path(__file__).parent.parent
#: Where the folders of a checkout are installed.
HOMES = {
    "warlight_env": "warlight_env",
    "agents": "warlight_env/agents",
    "maps": "warlight_env/maps",
    "train": "warlight_env/train",
}
HEAVY = ("gymnasium", "pettingzoo", "numba", "numpy", "torch", "rich", "cyclopts", "shapely", "PIL", "jsonschema")


def python(code: str, *options: str) -> str:
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, cwd=ROOT.anchor, capture_output=True, text=True, check=True).stdout


def test_every_module_and_data_file_is_installed():
    installed = Path(warlight_env.__file__).parent
    missing = [
        str(path)
        for folder, home in HOMES.items()
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".json", ".npz", ".typed"}
        and not (installed.parent / home / path.relative_to(ROOT / folder)).exists()
        and installed != ROOT / "warlight_env"  # an editable install has no copies
    ]
    assert missing == []


def test_generic_names_are_not_installed():
    found = python("import importlib.util as u; print([n for n in ('agents', 'maps', 'train') if u.find_spec(n)])")
    assert found.strip() == "[]"


def test_version_and_typing_marker():
    assert version("warlight-env") == warlight_env.__version__
    assert (Path(warlight_env.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("extra, folder", [("web", "warlight_env/web"), ("train", "train")])
def test_an_extra_names_all_that_its_modules_import(extra, folder):
    """`warlight doctor` tells from it what is missing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"][extra]]
    named = {re.match(r"[a-z0-9-]+", line)[0].replace("-", "_") for line in lines}
    imported = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.split(".")[0])
    assert imported - set(sys.stdlib_module_names) - {"warlight_env"} <= named


def test_import_is_light():
    code = f"import sys, warlight_env, warlight_env.maps; print([n for n in {HEAVY!r} if n in sys.modules])"
    assert python(code).strip() == "[]"


def test_a_game_needs_no_environment_libraries():
    heavy = tuple(name for name in HEAVY if name not in {"numba", "numpy"})
    code = (
        "import sys; from warlight_env import Game; Game('world', picks='random');"
        f"print([n for n in {heavy!r} if n in sys.modules])"
    )
    assert python(code).strip() == "[]"


def test_import_contracts_hold():
    lint = Path(sys.executable).parent / "lint-imports"
    command = [str(lint), "--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT.anchor, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_all_names_of_the_package_exist():
    for name in warlight_env.__all__:
        assert getattr(warlight_env, name) is not None
    assert set(warlight_env.__all__) <= set(dir(warlight_env))


def test_console_script_is_declared():
    scripts = {entry.name: entry.value for entry in distribution("warlight-env").entry_points}
    assert scripts["warlight"] == "warlight_env.cli:main"
