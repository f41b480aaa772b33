"""Prints the options of all commands in Markdown, for the site's page of the command line."""

from __future__ import annotations

import re

from warlight_env.cli.app import app

#: The part of the generated text that the site's own table of contents replaces.
CONTENTS = re.compile(r"^#+ Table of Contents\n.*?(?=^\*\*Commands\*\*:$)", flags=re.MULTILINE | re.DOTALL)


def options() -> str:
    """The commands with their options, each command under a heading below the second level."""
    text = app.generate_docs(output_format="markdown", heading_level=2)
    return CONTENTS.sub("", text)


if __name__ == "__main__":
    print(options())
