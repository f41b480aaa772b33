"""Prints the tables of the feature registry in Markdown, for the page "Features" of the site."""

from __future__ import annotations

from warlight_env.features.tables import registry_tables

if __name__ == "__main__":
    print(registry_tables())
