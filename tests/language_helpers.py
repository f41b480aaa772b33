"""Helpers for tests of the page's languages: its messages in English and Czech, and the texts on a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

FRONTEND: Final = Path(__file__).parents[1] / "frontend"
_ENTRY: Final = re.compile(r"^  (?:'((?:[^'\\]|\\.)*)'|(\w+)):\s+'((?:[^'\\]|\\.)*)',$", re.MULTILINE)

#: JavaScript that returns all texts of a page: visible texts, labels, tooltips, placeholders, and the title.
_SEEN: Final = """() => {
  const seen = [document.title];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node instanceof Element ? node : node.parentElement;
    const shown = element.checkVisibility() || element.closest('select'); // options are seen once that is open
    if (!shown || element.closest('script, style, [hidden]')) continue;
    if (node instanceof Text) seen.push(node.data);
    else for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext'])
      if (node.hasAttribute(name)) seen.push(node.getAttribute(name));
  }
  return seen.map(text => text.replace(/\\s+/g, ' ').trim()).filter(Boolean);
}"""


def czech(files: str = "*.ts") -> dict[str, str]:
    """Return the Czech text of each message in some files, by its English text."""
    texts = {}
    for file in sorted((FRONTEND / "src" / "texts" / "cs").glob(files)):
        for quoted, plain, text in _ENTRY.findall(file.read_text(encoding="utf-8")):
            texts[quoted or plain] = text
    return texts


def english_left(page: Any, texts: dict[str, str]) -> list[str]:
    """Return the texts of a page that are English although their messages have different Czech texts."""
    words = {english for english, text in texts.items() if english != text and "{" not in english}
    parts = {part.strip() for english in texts for part in re.split(r"[{}#]|<\w+>|</\w+>", english)}
    phrases = [part for part in parts if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", part) and not _SYNTAX.search(part)]
    seen = page.evaluate(_SEEN)
    assert len(seen) > 5
    return [text for text in seen if text in words or any(phrase in text for phrase in phrases)]


_SYNTAX: Final = re.compile(r", (plural|select|number)\b")
