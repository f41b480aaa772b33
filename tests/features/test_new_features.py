"""New features: they need only a registry entry and a line of code; the package's networks still play."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DEFINITIONS = "warlight_env/features/definitions.py"
EXTRACTION = "warlight_env/features/extraction.py"
TURN_NET = "agents/turn_net/features.py"
VALUE = "agents/value/features.py"
MEMORY = "agents/turn_net/memory.py"
ENTRY = 'Feature("altitude", -2, 3, "metres / 1000", "altitude"),'

#: For each group and file: a text, and the line to insert after it. In the groups of the networks, the new entries come
#: first, so that all other columns move.
EDITS = {
    "NODES": {
        DEFINITIONS: ('"regions of the opponent with the most regions there"),\n', f"    {ENTRY}\n"),
        EXTRACTION: (
            "        values[offset + np.uintp(NODE.opponent_share)] = shares[s, 1]\n",
            "        values[offset + np.uintp(NODE.altitude)] = np.float32(i % 6 - 2)\n",
        ),
    },
    "GLOBALS": {
        DEFINITIONS: ('_REGIONS, "regions that the player does not see"),\n', f"    {ENTRY}\n"),
        EXTRACTION: (
            "    values[base + GLOBAL.regions_neutral] = np.float32(neutral) * per_region\n",
            "    values[base + GLOBAL.altitude + global_shift(players)] = np.float32(-1.5)\n",
        ),
    },
    "REGIONS": {
        DEFINITIONS: ('region, followed by the features of the group `memory`", (\n', f"    {ENTRY}\n"),
        TURN_NET: ("    row[_NODE.army] = size\n", "    row[_NODE.altitude] = np.float32(r % 6 - 2)\n"),
    },
    "MEMORY": {
        DEFINITIONS: ("memory under fog; 0 without fog\", (\n", f"    {ENTRY}\n".replace("alt", "old_alt", 1)),
        MEMORY: (
            "        features[r, _COLUMN.hidden] = np.float32(age > 0.0)\n",
            "        features[r, _COLUMN.old_altitude] = np.float32(r % 6 - 2)\n",
        ),
    },
    "OVERALL": {
        DEFINITIONS: ('position, followed by the features of the group `rules`", (\n', f"    {ENTRY}\n"),
        TURN_NET: (
            "    write_rules(context, position, rules)\n",
            "    overall[_OVERALL.altitude] = np.float32(-1.5)\n",
        ),
    },
    "EDGES": {
        DEFINITIONS: ('after the deploys of the turn", (\n', f"    {ENTRY}\n"),
        TURN_NET: (
            "    row[_EDGE.to_mine], row[_EDGE.to_neutral] = np.float32(is_own), np.float32(holder < 0)\n",
            "    row[_EDGE.altitude] = np.float32(target % 6 - 2)\n",
        ),
    },
    "PLAYERS": {
        DEFINITIONS: ('PLAYERS: Final = Group("players", "each player", (\n', f"    {ENTRY}\n"),
        VALUE: (
            "        features[player * N_PLAYER + OF.regions] += 1.0\n",
            "        features[player * N_PLAYER + OF.altitude] += 3.0\n",
        ),
    },
    "RULES": {
        DEFINITIONS: ('Group("rules", "the rules and the map", (\n', f"    {ENTRY}\n".replace("alt", "map_alt", 1)),
        VALUE: (
            "    rules[_RULE.base_income] = context.params.base_income / 5.0\n",
            "    rules[_RULE.map_altitude] = 2.0\n",
        ),
    },
}  # fmt: skip


def copy_package(folder: Path) -> Path:
    """Copy the package into a folder, as an installation does; return the folder."""
    places = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-dir"]
    skipped = shutil.ignore_patterns("__pycache__", "static")
    for package in ("warlight_env", *(name for name in places if name.count(".") == 1)):
        source = ROOT / places.get(package, package)
        shutil.copytree(source, folder / package.replace(".", "/"), ignore=skipped, dirs_exist_ok=True)
    return folder


def edit(folder: Path, file: str, after: str, line: str) -> None:
    """Add a line to a module of the copied package."""
    path = folder / (file if file.startswith("warlight_env/") else f"warlight_env/{file}")
    text = path.read_text(encoding="utf-8")
    assert text.count(after) == 1, (file, after)
    path.write_text(text.replace(after, after + line), encoding="utf-8")


def run_networks(folder: Path, cache: Path, *options: str, **environment: str) -> dict[str, Any]:
    """Run `bundled_networks` with the package in this folder; return its output."""
    variables = {**os.environ, "PYTHONPATH": str(folder), "WARLIGHT_CACHE_DIR": str(cache), **environment}
    command = [sys.executable, "-W", "ignore", str(ROOT / "tests" / "features" / "bundled_networks.py"), *options]
    process = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr[-3000:]
    output: dict[str, Any] = json.loads(process.stdout)
    return output


def check_with_more(tmp_path: Path, *options: str, **environment: str) -> None:
    """Add a feature to each group: networks play the same turns; observations get exactly the two new features."""
    before, after = copy_package(tmp_path / "before"), copy_package(tmp_path / "after")
    for edits in EDITS.values():
        assert len(edits) <= 2
        for file, (place, line) in edits.items():
            edit(after, file, place, line)
    old, new = (run_networks(folder, tmp_path / "cache", *options, **environment) for folder in (before, after))
    seen, wider = old.pop("observed"), new.pop("observed")
    assert old == new, "a network plays otherwise"
    n = (wider["size"] - seen["size"]) - 1
    assert wider["nodes"] == [*seen["nodes"], "altitude"] and wider["globals"] == [*seen["globals"], "altitude"]
    assert wider["nodes_bounds"] == [*seen["nodes_bounds"], [-2, 3]]
    assert wider["globals_bounds"] == [*seen["globals_bounds"], [-2, 3]]
    width, values = len(wider["nodes"]), wider["values"]
    rows = [values[r * width : (r + 1) * width] for r in range(n)]
    assert [row[-1] for row in rows] == [r % 6 - 2 for r in range(n)] and values[-1] == -1.5
    same = [number for row in rows for number in row[:-1]] + values[n * width : -1]
    assert same == seen["values"], "a feature that was there has another value"


def test_a_new_feature_changes_no_network_and_widens_observations(tmp_path: Path):
    """The programs run as plain Python, without compilation."""
    check_with_more(tmp_path, NUMBA_DISABLE_JIT="1")


@pytest.mark.slow
def test_a_new_feature_changes_no_network_in_compiled_code(tmp_path: Path):
    check_with_more(tmp_path, "--search")
