"""Generated pages of the site contain all trainer settings and features, and need no training libraries."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import pkgutil
import re
from pathlib import Path
from types import ModuleType

from forked_python import run_in_copy
from warlight_env import train
from warlight_env.features import definitions
from warlight_env.features.registry import Group
from warlight_env.train.common.settings import RunSettings

GENERATED = Path(__file__).parents[2] / "docs" / "generated"
SOURCE = GENERATED / "trainer_settings.py"


def load_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trainer_settings", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def settings_of_trainers() -> set[type]:
    """Return the settings classes of all packages with a run, including their tables."""
    kinds: set[type] = set()
    for package in pkgutil.iter_modules(train.__path__):
        name = f"warlight_env.train.{package.name}"
        if package.ispkg and all(importlib.util.find_spec(f"{name}.{part}") for part in ("settings", "run")):
            module = importlib.import_module(f"{name}.settings")
            kinds |= {
                kind
                for kind in vars(module).values()
                if isinstance(kind, type) and kind.__module__ == name + ".settings"
            }
    return {kind for kind in kinds if dataclasses.is_dataclass(kind)}


def test_every_setting_of_every_trainer_has_a_row():
    module = load_page()
    kinds = settings_of_trainers()
    trainers = {kind for kind in kinds if issubclass(kind, RunSettings)}
    described = {kind for _, _, kind in module.SECTIONS}
    assert len(trainers) >= 6
    assert kinds - {kind for kind in trainers if kind.__subclasses__()} <= described
    sections = re.split(r"^## ", module.settings_tables(), flags=re.MULTILINE)[1:]
    assert len(sections) == len(module.SECTIONS)
    for section, (title, _, kind) in zip(sections, module.SECTIONS, strict=True):
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| (\S[^|]*) \|$", section, flags=re.MULTILINE)
        assert section.startswith(f"{title}\n")
        assert [row[0] for row in rows] == [field.name for field in dataclasses.fields(kind)], title


def test_links_of_the_page_lead_to_existing_sections():
    page = load_page().settings_tables()
    titles = {title.lower().replace(" ", "-") for title in re.findall(r"^## (.*)$", page, flags=re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= titles


def test_the_page_needs_no_training_library(starts):
    without = "import sys; sys.modules |= dict.fromkeys(('torch', 'stable_baselines3', 'cma', 'matplotlib'))"
    program = f"{without}; import runpy; runpy.run_path({str(SOURCE)!r}, run_name='__main__')"
    starts.run(program).check_returncode()


def test_every_feature_has_a_row():
    ran = run_in_copy(GENERATED / "features.py", folder=GENERATED)
    assert ran.returncode == 0, ran.stdout
    rows = {re.sub("_[kp]$", "", name) for name in re.findall(r"^\| `(\w+)` \|", ran.stdout, flags=re.MULTILINE)}
    groups = [group for group in vars(definitions).values() if isinstance(group, Group)]
    assert len(groups) >= 8
    for group in groups:
        assert {feature.name for feature in group.features} <= rows, group.name
