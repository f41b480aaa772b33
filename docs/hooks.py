"""Hooks of MkDocs. They add the examples and the documents of the root folder to the site, and adapt links to them.

The Python reference needs the sources in the layout of the installed package, where agents/ is inside warlight_env/.
A hook therefore copies the sources of the checkout to a temporary folder with this layout.
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

#: Documents of the root folder, and the pages of the site that contain them.
DOCUMENTS = {
    "ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}  # fmt: skip
#: Pages with a generated last part, and the program in docs/generated/ that prints this part.
GENERATED = {
    "reference/command-line.md": "command_line.py", "reference/features.md": "features.py",
    "reference/trainer-settings.md": "trainer_settings.py",
}  # fmt: skip
#: The JSON schema of map files, in the folder maps/.
SCHEMA = "schema.json"
_KINDS = {".py": "python", ".toml": "toml"}
#: Temporary folder with the sources in the layout of the installed package.
_LAID_OUT = tempfile.TemporaryDirectory(prefix="warlight-site-")


@event_priority(100)  # must run before the plug-in that generates the reference
def on_config(config: Any) -> Any:
    """Copy the sources to the temporary folder, and let mkdocstrings read them there."""
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
    """Add the generated pages to the site."""
    root = Path(config.config_file_path).parent
    for name, page in DOCUMENTS.items():
        files.append(File.generated(config, page, content=(root / name).read_text(encoding="utf-8")))
    files.append(File.generated(config, "examples.md", content=_examples(root / "examples")))
    files.append(File.generated(config, SCHEMA, content=(root / "maps" / SCHEMA).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Add the generated part of a page. Change links to files outside docs/ to links to their pages."""
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
    """Run a program that can import the copied package, and return its output."""
    ran = subprocess.run([sys.executable, "-c", program.read_text(encoding="utf-8")], cwd=_LAID_OUT.name,
                         capture_output=True, text=True, encoding="utf-8", check=False)  # fmt: skip
    if ran.returncode:
        raise PluginError(f"docs/generated/{program.name} failed:\n{ran.stderr}")
    return ran.stdout


def _anchor(name: str) -> str:
    return name.replace(".", "").lower()


def _examples(folder: Path) -> str:
    """Return one page in Markdown with the text of all examples."""
    parts = ["# Examples\n\nThe files of the folder `examples/`; the first lines of each file show how to run it.\n"]
    for path in sorted(folder.iterdir()):
        if kind := _KINDS.get(path.suffix):
            text = path.read_text(encoding="utf-8").rstrip()
            parts.append(f"## {path.name} {{ #{_anchor(path.name)} }}\n\n```{kind}\n{text}\n```\n")
    return "\n".join(parts)
