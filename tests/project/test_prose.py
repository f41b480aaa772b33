"""Sentence lengths in the documents. `.ci/prose` checks spelling and style with codespell and proselint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("**/*.md"))]
#: Sentences with more words are long.
LONG = 30
#: The maximum share of long sentences in all documents together.
LARGEST_SHARE = 0.02


def sentences(markdown: str) -> list[str]:
    """Return the sentences of a document, without code, tables, headings and the targets of links."""
    text = re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(\||#|!\[|:::).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"`[^`]*`", "code", text)
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text)
    joined = (" ".join(paragraph.split()) for paragraph in paragraphs)
    return [sentence for paragraph in joined for sentence in re.split(r"(?<=[.!?:;])\s+", paragraph) if sentence]


def words(sentence: str) -> int:
    return len(re.findall(r"[\w'’%-]*\w", sentence))


def test_few_sentences_are_long():
    every = [(words(s), path.relative_to(ROOT), s) for path in DOCUMENTS for s in sentences(path.read_text("utf-8"))]
    long = [row for row in every if row[0] > LONG]
    listed = "\n".join(
        f"{path}: {count} words: {sentence}" for count, path, sentence in sorted(long, reverse=True)[:40]
    )
    assert len(long) <= LARGEST_SHARE * len(every), f"{len(long)} of {len(every)} sentences are long:\n{listed}"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# Title\n\nOne sentence. Another one!\n", ["One sentence.", "Another one!"]),
        ("A list:\n\n- first item\n- second [item](far/away.md)\n", ["A list:", "- first item", "- second [item]"]),
        ("Before.\n\n```sh\nnot. a. sentence.\n```\n\nAfter `a. b`.\n", ["Before.", "After code."]),
        ("| a | table. |\n|---|---|\n\nLines of a\nparagraph.\n", ["Lines of a paragraph."]),
    ],
)
def test_sentences_are_split_correctly(markdown, expected):
    assert sentences(markdown) == expected


def test_links_of_documents_outside_the_site_have_existing_targets():
    """`mkdocs build --strict` checks the links of the site; this test also checks the pages of the repository."""
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.relative_to(ROOT)}: {target}"
