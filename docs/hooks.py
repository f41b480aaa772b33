"""What the site has beside the files of docs/: the examples, and the project's own documents; links to them hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

#: Documents beside docs/, and their pages.
DOCUMENTS = {
    "ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}  # fmt: skip
_KINDS = {".py": "python", ".toml": "toml"}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    root = Path(config.config_file_path).parent
    for name, page in DOCUMENTS.items():
        files.append(File.generated(config, page, content=(root / name).read_text(encoding="utf-8")))
    files.append(File.generated(config, "examples.md", content=_examples(root / "examples")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links out of docs/ lead to the pages that stand for these files."""
    up = "../" * page.file.src_uri.count("/")

    def example(found: re.Match[str]) -> str:
        return f"]({up}examples.md#{_anchor(found[1])})"

    if page.file.src_uri in DOCUMENTS.values():
        markdown = markdown.replace("](docs/", "](").replace("](README.md", "](index.md")
        markdown = re.sub(r"\]\(examples/([\w.]+)\)", example, markdown)
    for name, made in DOCUMENTS.items():
        markdown = re.sub(rf"\]\((?:\.\./)*{re.escape(name)}", f"]({up}{made}", markdown)
    return re.sub(r"\]\((?:\.\./)+examples/([\w.]+)\)", example, markdown)


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
