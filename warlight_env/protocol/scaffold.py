"""A function for ``warlight bot new``: it writes a minimal bot, as a program or as a Python class with a test."""

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


#: The name of the template of an agent's class, and its files: the class, and a test of the class.
CLASS: Final = "class"
CLASS_FILES: Final = ("my_bot.py", "test_my_bot.py")


LANGUAGES: Final = {
    "python": Language("bot.py", "", "python3 bot.py"),
    "java": Language("Bot.java", "javac Bot.java", "java -cp . Bot"),
    "cpp": Language("bot.cpp", "g++ -O2 -std=c++17 -o bot bot.cpp", "./bot"),
}


class ScaffoldError(InputError):
    """The source file of the bot cannot be written. The message gives the reason."""


def write_bot(kind: str, folder: Path) -> tuple[Path, ...]:
    """Write the files of the minimal bot to a folder, and return their paths. Never overwrite a file.

    kind: a language in `LANGUAGES`, or `CLASS`.

    Raises:
        ScaffoldError: there is no bot of this kind, or a file already exists.
        FolderLockedError: another run writes to the folder.
        RunError: the file cannot be written.
    """
    if kind not in LANGUAGES and kind != CLASS:
        raise ScaffoldError(f"no bot in the language {kind!r}; there are {', '.join(LANGUAGES)}, and {CLASS}")
    templates = resources.files("warlight_env.protocol").joinpath("templates", kind)
    paths = tuple(folder / name for name in (CLASS_FILES if kind == CLASS else (LANGUAGES[kind].file,)))

    def unwritable(error: OSError) -> RunError:
        return RunError(f"cannot write {paths[0]}: {error.strerror or error}")

    with FolderLock(folder, unwritable=unwritable):
        for path in paths:
            if os.path.lexists(path):
                raise ScaffoldError(f"{path} exists already")
        for path in paths:
            try:
                write_file(path, templates.joinpath(path.name).read_text("utf-8"))
            except OSError as error:
                raise unwritable(error) from None
    return paths
