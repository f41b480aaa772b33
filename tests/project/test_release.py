"""Releases: one version in all files, a recipe that agrees with the package, and workflows that call CI."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import warlight_env

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path: str) -> Any:
    """Parse a YAML file; the key `on` of a workflow becomes True."""
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def pythons() -> list[str]:
    """Return the Python versions that the package declares."""
    versions = re.findall(r"Programming Language :: Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert versions
    return versions


def test_the_version_is_defined_in_one_place():
    assert "version" in PROJECT["dynamic"] and "version" not in PROJECT
    done = subprocess.run([ROOT / ".ci" / "version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{warlight_env.__version__}\n"), done.stderr


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        ("CHANGELOG.md", "## 0.1.0", "## 0.2.0", "CHANGELOG.md says 0.2.0"),
        ("CITATION.cff", "version: 0.1.0", "version: 0.0.9", "CITATION.cff says 0.0.9"),
        ("recipe/recipe.yaml", '  version: "0.1.0"', '  version: "0.1.1"', "recipe/recipe.yaml says 0.1.1"),
        ("warlight_env/version.py", '"0.1.0"', '"0.1.2"', "warlight_env/version.py 0.1.2"),
    ],
)
def test_a_different_version_in_one_file_is_detected(file, before, after, said, tmp_path):
    before, after = (text.replace("0.1.0", warlight_env.__version__) for text in (before, after))
    for name in (".ci/version", "CHANGELOG.md", "CITATION.cff", "recipe/recipe.yaml", "warlight_env/version.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert before in text
    (tmp_path / file).write_text(text.replace(before, after, 1), encoding="utf-8")
    done = subprocess.run([tmp_path / ".ci" / "version"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and said in done.stderr


def test_a_tag_needs_its_version_and_a_dated_changelog_entry(tmp_path):
    def version_output(tag: str, heading: str) -> str:
        for name in (".ci/version", "CITATION.cff", "recipe/recipe.yaml", "warlight_env/version.py"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n", encoding="utf-8")
        done = subprocess.run([tmp_path / ".ci" / "version", tag], capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else done.stdout.strip()

    version = warlight_env.__version__
    assert version_output(f"v{version}", f"{version} – 2026-01-31") == version
    assert "has no date" in version_output(f"v{version}", f"{version} – unreleased")
    assert "is not v" in version_output("v99.0", f"{version} – 2026-01-31")


def test_the_recipe_agrees_with_the_package():
    recipe = read("recipe/recipe.yaml")
    python, *run = recipe["requirements"]["run"]
    assert python == f"python {PROJECT['requires-python']}"
    assert [re.sub(r"^([\w-]+) ", r"\1", line) for line in run] == PROJECT["dependencies"]
    assert recipe["package"]["name"] == PROJECT["name"]
    scripts = [line.split(" = ") for line in recipe["build"]["python"]["entry_points"]]
    assert dict(scripts) == PROJECT["scripts"]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert recipe["requirements"]["host"][2:] == [re.sub(r"(>=)", r" \1", line) for line in build["requires"]]
    assert recipe["context"]["python_min"] == pythons()[0]
    assert recipe["about"]["license"] == PROJECT["license"]


def test_the_recipe_of_a_feedstock_uses_the_source_distribution(tmp_path):
    file = tmp_path / f"warlight_env-{warlight_env.__version__}.tar.gz"
    file.write_bytes(b"a source distribution")
    command = [ROOT / ".ci" / "recipe", file, "https://files.example/w/"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    ours, theirs = read("recipe/recipe.yaml"), yaml.safe_load(done.stdout)
    source = theirs.pop("source")
    assert ours.pop("source") == {"path": ".."} and ours == theirs
    assert source["url"] == "https://files.example/w/warlight_env-${{ version }}.tar.gz"
    assert re.fullmatch("[0-9a-f]{64}", source["sha256"])
    other = tmp_path / "warlight_env-0.0.1.tar.gz"
    other.write_bytes(b"")
    command[1] = other
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "is not of version" in done.stderr


def runs(job: Any) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_hosted_ci_runs_the_local_checks_and_tests_each_python():
    jobs = read(".github/workflows/ci.yml")["jobs"]
    assert runs(jobs["check"])[-1] == ".ci/run"
    assert runs(jobs["package"]) == [".ci/build dist", ".ci/pythons dist"]
    (setup,) = [step for step in jobs["package"]["steps"] if "setup-python" in step.get("uses", "")]
    assert setup["with"]["python-version"].split() == pythons()


def test_a_release_runs_the_checks_and_publishes_without_a_secret():
    release = read(".github/workflows/release.yml")
    jobs = release["jobs"]
    assert release[True] == {"push": {"tags": ["v*"]}}
    assert jobs["check"]["uses"] == "./.github/workflows/ci.yml"
    assert (jobs["build"]["needs"], jobs["publish"]["needs"]) == ("check", "build")
    assert runs(jobs["build"])[:2] == ['.ci/version "$GITHUB_REF_NAME"', ".ci/build dist"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
