"""Prints the options of all commands in Markdown, for the page "Command line" of the site."""

from __future__ import annotations

import re

from warlight_env.cli.app import app

#: The generated table of contents. It is removed, because the site has its own.
CONTENTS = re.compile(r"^#+ Table of Contents\n.*?(?=^\*\*Commands\*\*:$)", flags=re.MULTILINE | re.DOTALL)


def options() -> str:
    """Return the commands with their options in Markdown, each command under a heading below the second level."""
    text = app.generate_docs(output_format="markdown", heading_level=2)
    return CONTENTS.sub("", text)


if __name__ == "__main__":
    print(options())
