"""An agent specification such as ``mcts:sims=457``, split into the agent's name and the text after the name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
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

    def split_name(self, end: str) -> tuple[str, str]:
        """Return the name without the digest of a file, and the digest.

        end: a file ending, such as ".py". The digest is an empty string if the name is not a file name with this ending
        and a digest.
        """
        bare = _DIGEST.sub("", self.name)
        return (bare, self.name[len(bare) + 1 :]) if bare.endswith(end) else (self.name, "")

    def with_name(self, name: str) -> AgentSpec:
        """Return a specification with the same text after another name."""
        return replace(self, name=name)

    def with_argument_text(self, argument_text: str) -> AgentSpec:
        """Return a specification of the same agent with another text after the name."""
        return replace(self, argument_text=argument_text)

    def with_digests(self, digest_of: Callable[[str, str], str | None]) -> AgentSpec:
        """Append ``#`` and a file's digest to each value that names a file.

        digest_of(key, value) returns the 16 hexadecimal digits of a digest, or None if the value gets no digest.
        """

        def pin(part: str) -> str:
            key, equals, value = part.strip().partition("=")
            digest = digest_of(key, value) if equals else None
            return part if digest is None else _before_space(part, f"#{digest}")

        return self.with_argument_text(",".join(map(pin, self.argument_text.split(","))))

    def without_digests(self, endings: Iterable[tuple[str, str]]) -> AgentSpec:
        """Remove the digests of files from the values of the parameters.

        endings: pairs of a parameter's key and a file ending, such as ".json". The digest is removed only from a value
        whose key and file ending are one of the pairs in `endings`.
        """

        def unpin(part: str) -> str:
            stripped = part.strip()
            bare = _DIGEST.sub("", stripped)
            key, _, value = bare.partition("=")
            pinned = any(key == name and value.endswith(end) for name, end in endings)
            return part.replace(stripped, bare) if pinned else part

        endings = list(endings)
        return self.with_argument_text(",".join(map(unpin, self.argument_text.split(","))))

    def without_digest(self, end: str) -> AgentSpec:
        """Remove the digest of a specification whose text after the name is only a file name with a digest.

        end: a file ending, such as ".json". The digest stays if the file name does not end with `end`.
        """
        bare = _DIGEST.sub("", self.argument_text.rstrip())
        return self.with_argument_text(bare) if bare.endswith(end) and bare != self.argument_text.rstrip() else self


def _before_space(text: str, suffix: str) -> str:
    """Append `suffix` to a text, before the white space at its end."""
    end = len(text.rstrip())
    return f"{text[:end]}{suffix}{text[end:]}"
