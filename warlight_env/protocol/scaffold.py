"""A function for ``warlight bot new``: it writes the source code of a minimal bot in one of three languages."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

from warlight_env.errors import InputError, RunError
from warlight_env.folder_lock import FolderLock
from warlight_env.output import write_file


class Language(NamedTuple):
    """A programming language for which the package contains a minimal bot."""

    file: str  #: name of the source file
    build: str  #: command that compiles the bot; "" if there is none
    run: str  #: command that starts the bot


LANGUAGES: Final = {
    "python": Language("bot.py", "", "python3 bot.py"),
    "java": Language("Bot.java", "javac Bot.java", "java -cp . Bot"),
    "cpp": Language("bot.cpp", "g++ -O2 -std=c++17 -o bot bot.cpp", "./bot"),
}


class ScaffoldError(InputError):
    """The source file of the bot cannot be written. The message gives the reason."""


def write_bot(language: str, folder: Path) -> Path:
    """Write the source file of the minimal bot to a folder, and return its path. Never overwrite a file.

    Raises:
        ScaffoldError: there is no bot in this language, or the file already exists.
        FolderLockedError: another run writes to the folder.
        RunError: the file cannot be written.
    """
    if language not in LANGUAGES:
        raise ScaffoldError(f"no bot in the language {language!r}; there are {', '.join(LANGUAGES)}")
    name = LANGUAGES[language].file
    path = folder / name
    source = resources.files("warlight_env.protocol").joinpath("templates", language, name).read_text("utf-8")

    def unwritable(error: OSError) -> RunError:
        return RunError(f"cannot write {path}: {error.strerror or error}")

    with FolderLock(folder, unwritable=unwritable):
        if os.path.lexists(path):
            raise ScaffoldError(f"{path} exists already")
        try:
            write_file(path, source)
        except OSError as error:
            raise unwritable(error) from None
    return path
