"""Writes examples/tutorial.ipynb, a notebook of the tutorial docs/tutorial/first-policy.md: python docs/notebook.py"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, NOTEBOOK = ROOT / "docs" / "tutorial" / "first-policy.md", ROOT / "examples" / "tutorial.ipynb"


def notebook_of(markdown: str) -> str:
    """Return a notebook in JSON. Python code blocks become code cells; all other text becomes Markdown cells."""
    cells = []
    for number, part in enumerate(re.split(r"^```python\n(.*?)^```$", markdown, flags=re.MULTILINE | re.DOTALL)):
        text, is_code = part.strip("\n"), number % 2 == 1
        if not text:
            continue
        text = re.sub(r"\]\(([\w./-]+\.(?:md|ipynb))\)", _from_examples, text)
        cell = {"cell_type": "code" if is_code else "markdown", "id": f"cell-{len(cells)}", "metadata": {}}
        cell |= {"source": text.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if is_code else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    made = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _from_examples(link: re.Match[str]) -> str:
    """Return a link of the tutorial page as a link that is relative to the folder examples/."""
    target = posixpath.normpath(posixpath.join("docs/tutorial", link[1]))
    return f"]({posixpath.relpath(target, 'examples')})"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook_of(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
