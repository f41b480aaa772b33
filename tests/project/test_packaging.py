"""The installed package is complete, fast to import, and imports only from lower layers."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path

import pytest

import warlight_env
from warlight_env.web.page import PAGE
from web_helpers import needs_page

ROOT = Path(__file__).parents[2]
#: The installed location of each folder of a checkout.
LOCATIONS = {
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
        for folder, location in LOCATIONS.items()
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".json", ".npz", ".typed"}
        and not (installed.parent / location / path.relative_to(ROOT / folder)).exists()
        and installed != ROOT / "warlight_env"  # an editable install has no copies
    ]
    assert missing == []


def test_generic_package_names_are_not_installed():
    output = python("import importlib.util as u; print([n for n in ('agents', 'maps', 'train') if u.find_spec(n)])")
    assert output.strip() == "[]"


def test_version_and_typing_marker_are_installed():
    assert version("warlight-env") == warlight_env.__version__
    assert (Path(warlight_env.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("extra, folder", [("web", "warlight_env/web"), ("train", "train")])
def test_an_extra_lists_all_libraries_that_its_modules_import(extra, folder):
    """`warlight doctor` derives the missing libraries from the extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"][extra]]
    listed = {re.match(r"[a-z0-9-]+", line)[0].replace("-", "_") for line in lines}
    imported = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.split(".")[0])
    assert imported - set(sys.stdlib_module_names) - {"warlight_env"} <= listed


def pinned_versions(file: str) -> dict[str, str]:
    """Return the pinned versions in a file of requirements, without limits such as ``name<0``."""
    lines = re.findall(r"^([\w.-]+)==([\w.+]+)", (ROOT / file).read_text(), re.MULTILINE)
    return {re.sub(r"[._-]+", "-", name).lower(): version for name, version in lines}


def test_the_lock_matches_the_constraints_and_has_hashes():
    locked, constrained = pinned_versions("requirements.lock"), pinned_versions("constraints.txt")
    assert {name: version.removesuffix("+cpu") for name, version in locked.items() if name in constrained} == {
        name: version for name, version in constrained.items() if name in locked
    }
    assert set(constrained) <= set(locked) and locked["torch"].endswith("+cpu")
    blocks = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text().split("\n", 2)[2])
    assert len(blocks) == len(locked) and all("--hash=sha256:" in block for block in blocks)
    assert not any(re.match("nvidia|cuda|triton", name) for name in locked)


@needs_page
def test_the_page_contains_the_licences_of_its_libraries():
    """The test compares the bundler's list with the versions and licences in npm's lock file."""
    notices = (PAGE.parent / "licenses.txt").read_text(encoding="utf-8")
    assert notices in PAGE.read_text(encoding="utf-8"), "exported replays are copies of the page"
    locked = json.loads((ROOT / "frontend" / "package-lock.json").read_text())["packages"]
    named = re.findall(r"^(\S+) (\S+) \((\S+)\)$", notices, re.MULTILINE)
    for name, version_, licence in named:
        package = locked[f"node_modules/{name}"]
        assert (package["version"], package["license"]) == (version_, licence)
    assert {"svelte", "clsx"} <= {name for name, _, _ in named}
    assert len(re.findall("Copyright", notices)) >= len(named), "each with its notice"


def test_import_loads_no_heavy_library():
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
