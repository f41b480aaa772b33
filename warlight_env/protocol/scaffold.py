"""``warlight bot new``: a minimal bot to begin with, in one of three languages."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

from warlight_env.errors import InputError, RunError


class Language(NamedTuple):
    """A language that there is a minimal bot in."""

    file: str
    build: str  #: a command; "": nothing is to be built
    run: str


LANGUAGES: Final = {
    "python": Language("bot.py", "", "python3 bot.py"),
    "java": Language("Bot.java", "javac Bot.java", "java -cp . Bot"),
    "cpp": Language("bot.cpp", "g++ -O2 -std=c++17 -o bot bot.cpp", "./bot"),
}


class ScaffoldError(InputError):
    """A bot that cannot be written there, with the reason."""


def write_bot(language: str, folder: Path) -> Path:
    """Write the minimal bot; its file. What is there already is left alone.

    Raises:
        ScaffoldError: no such language, or the file is there already.
        RunError: it cannot be written.
    """
    if language not in LANGUAGES:
        raise ScaffoldError(f"no bot in {language!r}; there are {', '.join(LANGUAGES)}")
    name = LANGUAGES[language].file
    path = folder / name
    source = resources.files("warlight_env.protocol").joinpath("templates", language, name).read_text("utf-8")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(source)
    except FileExistsError:
        raise ScaffoldError(f"{path} is there already") from None
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from None
    return path
