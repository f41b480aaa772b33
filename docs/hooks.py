"""What the site has beside the files of docs/: the examples, and the project's own documents; links to them hold.

The reference is read from the checkout, laid out as the package is installed: folders such as agents/ are inside of it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

#: Documents beside docs/, and their pages.
DOCUMENTS = {
    "ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}  # fmt: skip
#: Pages with a generated end, and the program in docs/generated/ that prints it.
GENERATED = {
    "reference/command-line.md": "command_line.py", "reference/features.md": "features.py",
    "reference/trainer-settings.md": "trainer_settings.py",
}  # fmt: skip
#: What maps in JSON must be like, in the folder maps/.
SCHEMA = "schema.json"
_KINDS = {".py": "python", ".toml": "toml"}
#: Where the package is laid out, while the site is built.
_LAID_OUT = tempfile.TemporaryDirectory(prefix="warlight-site-")


@event_priority(100)  # before the plug-in that makes the reference
def on_config(config: Any) -> Any:
    """Lay the package out for the reference."""
    root, home = Path(config.config_file_path).parent, Path(_LAID_OUT.name)
    places = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-dir"]
    for package in ("warlight_env", *(name for name in places if name.count(".") == 1)):
        for path in (source := root / places.get(package, package)).rglob("*.py"):
            target = home / package.replace(".", "/") / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    config.plugins["mkdocstrings"].config.handlers["python"]["paths"] = [_LAID_OUT.name]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    root = Path(config.config_file_path).parent
    for name, page in DOCUMENTS.items():
        files.append(File.generated(config, page, content=(root / name).read_text(encoding="utf-8")))
    files.append(File.generated(config, "examples.md", content=_examples(root / "examples")))
    files.append(File.generated(config, SCHEMA, content=(root / "maps" / SCHEMA).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links out of docs/ lead to the pages that stand for these files."""
    up = "../" * page.file.src_uri.count("/")

    def example(found: re.Match[str]) -> str:
        return f"]({up}examples.md#{_anchor(found[1])})"

    if program := GENERATED.get(page.file.src_uri):
        markdown += "\n" + _generated(Path(config.docs_dir) / "generated" / program)
    if page.file.src_uri in DOCUMENTS.values():
        markdown = markdown.replace("](docs/", "](").replace("](README.md", "](index.md")
        markdown = re.sub(r"\]\(examples/([\w.]+)\)", example, markdown)
    for name, made in DOCUMENTS.items():
        markdown = re.sub(rf"\]\((?:\.\./)*{re.escape(name)}", f"]({up}{made}", markdown)
    markdown = re.sub(rf"\]\((?:\.\./)+maps/{re.escape(SCHEMA)}\)", f"]({up}{SCHEMA})", markdown)
    return re.sub(r"\]\((?:\.\./)+examples/([\w.]+)\)", example, markdown)


def _generated(program: Path) -> str:
    """Return what a program prints that imports the package that is laid out."""
    ran = subprocess.run([sys.executable, "-c", program.read_text(encoding="utf-8")], cwd=_LAID_OUT.name,
                         capture_output=True, text=True, encoding="utf-8", check=False)  # fmt: skip
    if ran.returncode:
        raise PluginError(f"docs/generated/{program.name} failed:\n{ran.stderr}")
    return ran.stdout


def _anchor(name: str) -> str:
    return name.replace(".", "").lower()


def _examples(folder: Path) -> str:
    """All examples on one page."""
    parts = ["# Examples\n\nThe files of the folder `examples/`; the first lines of each say how it is run.\n"]
    for path in sorted(folder.iterdir()):
        if kind := _KINDS.get(path.suffix):
            text = path.read_text(encoding="utf-8").rstrip()
            parts.append(f"## {path.name} {{ #{_anchor(path.name)} }}\n\n```{kind}\n{text}\n```\n")
    return "\n".join(parts)
