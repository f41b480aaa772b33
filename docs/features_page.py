"""Writes the tables of docs/reference/features.md from the feature registry: python docs/features_page.py"""

from __future__ import annotations

from pathlib import Path

from warlight_env.features.tables import registry_tables

PAGE = Path(__file__).parent / "reference" / "features.md"
#: The line of the page after which the tables begin.
BEGIN = "<!-- tables: python docs/features_page.py -->\n"


def page_of(text: str) -> str:
    """The page with the tables of the registry."""
    head, _, _ = text.partition(BEGIN)
    return f"{head}{BEGIN}\n{registry_tables()}"


if __name__ == "__main__":
    PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
