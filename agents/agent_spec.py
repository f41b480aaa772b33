"""An agent specification such as ``mcts:sims=457``, split into the agent's name and the text after the name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

#: Matches the digest of a file after its path, as in ``key=PATH#0123456789abcdef`` or ``PATH#0123456789abcdef``.
_DIGEST: Final = re.compile(r"#[0-9a-f]{16}$")


@dataclass(frozen=True)
class AgentSpec:
    """An agent specification: ``name``, ``name:key=value,…`` or ``name:TEXT``.

    `str` of a specification returns its text without white space at the ends.

    Attributes:
        name: the agent's name.
        separator: ":" or an empty string.
        argument_text: all text after the separator.
    """

    name: str
    separator: str = ""
    argument_text: str = ""

    @classmethod
    def parse(cls, text: str) -> AgentSpec:
        """Split a specification into its name and the rest. The name ends before the first ":" or "["."""
        text = text.strip()
        name = re.split(r"[:\[]", text, maxsplit=1)[0]
        rest = text[len(name) :]
        separator = ":" if rest.startswith(":") else ""
        return cls(name, separator, rest[len(separator) :])

    def __str__(self) -> str:
        return f"{self.name}{self.separator}{self.argument_text}"

    @property
    def parts(self) -> list[str]:
        """Return the parts of the text after the name: split at commas, stripped of white space, and not empty."""
        return [part.strip() for part in self.argument_text.split(",") if part.strip()]

    @property
    def wrapped(self) -> AgentSpec:
        """Return the specification; if it is ``name[OPTIONS]:AGENT``, its separator becomes ``[OPTIONS]:``."""
        if self.separator or not self.argument_text.startswith("["):
            return self
        options, end, arguments = self.argument_text.partition("]:")
        return replace(self, separator=options + end, argument_text=arguments) if end else self

    def with_argument_text(self, argument_text: str) -> AgentSpec:
        """Return a specification of the same agent with another text after the name."""
        return replace(self, argument_text=argument_text)

    def with_digests(self, digest_of: Callable[[str, str], str | None]) -> AgentSpec:
        """Append ``#`` and a file's digest to each value that names a file.

        digest_of(key, value) returns the 16 hexadecimal digits of a digest, or None if the value gets no digest.
        """

        def pin(part: str) -> str:
            text = part.strip()
            key, equals, value = text.partition("=")
            digest = digest_of(key, value) if equals else None
            return part if digest is None else part.replace(text, f"{text}#{digest}")

        return self.with_argument_text(",".join(map(pin, self.argument_text.split(","))))

    def without_digests(self, endings: Mapping[str, str]) -> AgentSpec:
        """Remove the digests of files from the values of the parameters in `endings`.

        endings: file endings, such as ".json", by the parameter's key; see `split_digest`.
        """

        def unpin(part: str) -> str:
            text = part.strip()
            key, equals, value = text.partition("=")
            is_file = equals and key in endings
            return part.replace(text, f"{key}={split_digest(value, endings[key])[0]}") if is_file else part

        return self.with_argument_text(",".join(map(unpin, self.argument_text.split(","))))


def split_digest(path: str, end: str) -> tuple[str, str]:
    """Return the path of a file without its digest, and the digest.

    end: a file ending, such as ".py". The digest is an empty string if the path does not have this ending and a digest.
    """
    bare = _DIGEST.sub("", path)
    return (bare, path[len(bare) + 1 :]) if bare.endswith(end) else (path, "")
