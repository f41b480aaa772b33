"""All code of the documentation runs unchanged, and the notebook equals the tutorial."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from cyclopts import App

from warlight_env import Rules, battle_odds, maps
from warlight_env.agents import registry
from warlight_env.cli import main
from warlight_env.cli.app import app
from warlight_env.engine.board import Board
from warlight_env.envs import Games, PlayerViews
from warlight_env.experiments import METHOD_NAMES

ROOT = Path(__file__).parents[2]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))}
#: A comment before a block that the test does not run; it contains the reason.
NOT_RUN = "<!-- not run: "
#: A fenced block: its language, the title of a file, its text.
FENCED = re.compile(r"^```(\w*)(?: title=\"([^\"\n]+)\")?\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced texts in a language, without the blocks marked as not run."""
    text = PAGES[page].read_text(encoding="utf-8")
    return [
        block[3]
        for block in FENCED.finditer(text)
        if block[1] == language and not text[: block.start()].rstrip().split("\n")[-1].startswith(NOT_RUN)
    ]


TUTORIALS = [page for page in PAGES if page.startswith("docs/tutorial/")]

#: Smaller numbers for the programs and commands of a page. The slow tests run them with the original numbers.
SMALLER = {
    "docs/how-to/self-play.md": {"learn(1024,": "learn(512,", "updates=5": "updates=1"},
    "docs/tutorial/first-policy.md": {"learn(16_384,": "learn(1_024,", "games=100": "games=2", "-n 400": "-n 2"},
    "docs/tutorial/first-search.md": {"games=20": "games=2"},
}


def smaller(page: str, program: str) -> str:
    """Return the program of a page with the numbers of SMALLER."""
    for part, less in SMALLER.get(page, {}).items():
        program = program.replace(part, less)
    return program


def unchanged(page: str, program: str) -> str:
    """Return the program of a page unchanged."""
    return program


def variants(pages: list[str]) -> list[Any]:
    """Return each page with smaller numbers, and the pages in SMALLER also with the original numbers."""
    slow = [pytest.param(page, unchanged, marks=pytest.mark.slow) for page in pages if page in SMALLER]
    return [*((page, smaller) for page in pages), *slow]


@pytest.mark.parametrize(
    "page, change", variants([page for page in PAGES if page not in TUTORIALS and blocks(page, "python")])
)
def test_programs_of_pages_run(page, change, tmp_path, monkeypatch):
    """The programs of a page run in order with shared variables, as in a notebook."""
    assert all(part in PAGES[page].read_text(encoding="utf-8") for part in SMALLER.get(page, ()))
    undo_registrations(monkeypatch)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page}
    for program in blocks(page, "python"):
        exec(compile(change(page, program), page, "exec"), names)


def undo_registrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the agents that a page registers from the registry after the test."""
    registry.agent_names()  # load agents of other packages first
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))


class Step(NamedTuple):
    """A block of a tutorial, and the output that the page shows for it."""

    language: str
    title: str | None
    text: str
    shown: str | None
    varies: bool  #: whether the numbers of the output depend on the machine


#: The comment before an output with numbers that depend on the machine.
VARIES = "<!-- the numbers vary -->\n"


def steps(page: str) -> Iterator[Step]:
    """Yield the blocks of a tutorial; a block of text is the output of the block before it."""
    text = PAGES[page].read_text(encoding="utf-8")
    matches_ = list(FENCED.finditer(text))
    for block, after in zip(matches_, [*matches_[1:], None], strict=True):
        if block[1] != "text":
            shown = after if after is not None and after[1] == "text" else None
            varies = shown is not None and text[: shown.start()].endswith(VARIES)
            yield Step(block[1], block[2], block[3], None if shown is None else shown[3], varies)


#: Shell commands that install the package; the test does not run them.
INSTALLATION = re.compile(r"(python3 -m venv|\. \.venv/bin/activate|pip install) ")


def run_line(line: str) -> None:
    """Run a line of a shell if it calls the program or a file of the folder."""
    words = shlex.split(line, comments=True)
    if words[0] == "warlight":
        assert main(words[1:]) == 0, line
    elif words[0] == "python":
        runpy.run_path(words[1], run_name="__main__")
    else:
        assert INSTALLATION.match(f"{line} "), line


def matches(shown: str, printed: str, varies: bool) -> bool:
    """Compare an output with the shown one: a line of … matches any lines, and a varying number matches any number."""
    if varies:
        shown, printed = (re.sub(r"[-+]?(\d+(\.\d+)?|inf)", "0", text) for text in (shown, printed))
        shown, printed = (re.sub(r" +", " ", text) for text in (shown, printed))
    lines = shown.splitlines(keepends=True)
    pattern = "".join("(?:.*\n)*" if line.strip() == "…" else re.escape(line) for line in lines)
    return re.fullmatch(pattern, printed) is not None


@pytest.mark.parametrize("page, change", variants(TUTORIALS))
def test_tutorials_run_with_the_shown_outputs(page, change, tmp_path, monkeypatch, capsys):
    """Run all steps of a tutorial in an empty folder, and compare the outputs with the page."""
    text = PAGES[page].read_text(encoding="utf-8")
    assert all(part in text for part in SMALLER.get(page, ()))
    undo_registrations(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {"__name__": page}
    changed = False  # true once a step has smaller numbers: outputs then differ
    for step in steps(page):
        program = change(page, step.text)
        changed |= program != step.text
        if step.title is not None:
            Path(step.title).write_text(program, encoding="utf-8")
            monkeypatch.delitem(sys.modules, Path(step.title).stem, raising=False)
        elif step.language == "python":
            exec(compile(program, page, "exec"), names)
        else:
            assert step.language == "sh", step
            for line in program.splitlines():
                run_line(line)
        printed = capsys.readouterr().out
        if step.shown is not None and not changed:
            assert matches(step.shown, printed, step.varies), f"{step.text}\nprints\n{printed}"


def lines_of(page: str) -> list[str]:
    """Return the lines of a page that call the program."""
    every = [line for language in ("", "sh") for block in blocks(page, language) for line in block.splitlines()]
    commands = (re.sub(r"^.*&& ", "", line) for line in every)
    return [line for line in commands if re.match(r"(\.venv/bin/)?warlight [a-z]", line)]


@pytest.mark.parametrize(("page", "line"), [(page, line) for page in PAGES for line in lines_of(page)])
def test_command_lines_parse(page, line):
    command = re.split(r" {2,}| # ", line)[0].replace(".venv/bin/", "")
    for variant in command.split(" | "):  # maps list | show small | …
        words = [word for word in shlex.split(variant) if word not in ("…", "&")]
        words = words[1:] if words[0] == "warlight" else ["map", *words]
        _, _, ignored = app.parse_args(words, exit_on_error=False, print_error=False)
        assert not ignored, ignored


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial/first-policy.md", "docs/reference/command-line.md"])
def test_training_commands_for_beginners_need_only_files_of_the_repository(page):
    files = re.findall(r"warlight train \w+ (examples/\w+\.toml)", PAGES[page].read_text(encoding="utf-8"))
    assert files
    for file in files:
        assert "runs/" not in repr(tomllib.loads((ROOT / file).read_text(encoding="utf-8"))), file


def test_the_example_map_is_valid(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shown, setup = blocks("docs/how-to/own-map.md", "json")
    Path("ring.json").write_text(shown, encoding="utf-8")
    for line in lines_of("docs/how-to/own-map.md"):
        if "game.txt" not in line:  # a file that only the reader has
            assert main(shlex.split(line)[1:]) == 0, line
    generated, named = maps.load("my.json"), maps.load("generated:30:7")
    assert generated.to_dict() | {"name": ""} == named.to_dict() | {"name": ""}
    Path("ring.json").write_text(f"{shown.rstrip()[:-1]}, {setup}}}", encoding="utf-8")
    capsys.readouterr()
    assert main(["map", "check", "ring.json"]) == 0
    assert "kept as the starting setup: wastelands 1, wasteland_army 6, offered 4, picks 2" in capsys.readouterr().out


@pytest.mark.parametrize("record", [Games, PlayerViews, Board])
def test_docstrings_of_records_describe_every_field(record):
    documented = re.findall(r"^ +([\w, ]+): (?:u?\w+\[|int,)", record.__doc__, flags=re.MULTILINE)
    assert ", ".join(documented).split(", ") == list(record._fields)


def test_the_quoted_odds_are_correct():
    quoted = re.search(
        r"battle_odds\((\d+), (\d+)\)\.capture\)  # ([\d.]+)…", "\n".join(blocks("docs/reference/rules.md", "python"))
    )
    attackers, defenders, capture = quoted.groups()
    assert f"{battle_odds(int(attackers), int(defenders)).capture:.9f}".startswith(capture)


def test_the_table_of_rules_matches_the_presets():
    text = PAGES["docs/reference/rules.md"].read_text(encoding="utf-8")
    table = text[text.index("| field |") :].split("\n\n")[0].splitlines()
    presets = [cell.strip(" `") for cell in table[0].split("|")[2:-1]]
    cells_of_field: dict[str, list[Any]] = {}
    for row in table[2:]:
        name, *cells = (cell.strip() for cell in row.split("|")[1:-1])
        names = re.findall(r"`(\w+)`", name.split(":")[0])[: 2 if "`, `" in name.split(":")[0] else 1]
        for k, field in enumerate(names):
            cells_of_field[field] = [cell.split(", ")[k].strip("`") for cell in cells]
    words = {True: "yes", False: "no"}
    for column, preset in enumerate(presets):
        fields = dataclasses.asdict(Rules.of(preset))
        assert cells_of_field.keys() == fields.keys() - {"name"}
        for field, value in fields.items() - {("name", preset)}:
            expected = (
                words[value] if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
            )
            assert cells_of_field[field][column].replace("–", "0") == expected, (preset, field)


def test_the_picture_matches_the_output_of_its_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "\n".join(lines_of("docs/reference/command-line.md"))
    command = re.search(r"^warlight (picture .*? -o position\.svg)", lines, flags=re.MULTILINE).group(1)
    assert main(shlex.split(command)) == 0
    picture = ROOT / "docs" / "position.svg"
    assert Path("position.svg").read_text(encoding="utf-8") == picture.read_text(encoding="utf-8")


def program_of_docs(name: str) -> ModuleType:
    """Load a program of the folder docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_notebook_matches_the_tutorial():
    module = program_of_docs("notebook")
    notebook = module.notebook_of(module.SOURCE.read_text(encoding="utf-8"))
    assert module.NOTEBOOK.read_text(encoding="utf-8") == notebook, "python docs/notebook.py writes it anew"
    for link in re.findall(r"\]\(([^)]+)\)", notebook):
        assert (module.NOTEBOOK.parent / link).resolve().is_relative_to(ROOT / "docs"), link


def commands(group: App, path: str) -> Iterator[tuple[str, App]]:
    """Yield all commands below a group, each with its full name."""
    for name in group:
        if not name.startswith("-"):
            yield f"{path} {name}", group[name]
            yield from commands(group[name], f"{path} {name}")


@pytest.mark.skipif(not hasattr(App, "generate_docs"), reason="needs a later version of cyclopts")
def test_the_site_lists_the_options_of_every_command():
    text = program_of_docs("generated/command_line").options()
    every = dict(commands(app, "warlight"))
    assert {"warlight match", "warlight log verify", "warlight train ppo"} <= every.keys()
    parts = re.split(r"^#+ (warlight.*)$", text, flags=re.MULTILINE)
    shown: dict[str, str] = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert shown.keys() == {"warlight", *every}
    assert "Table of Contents" not in text
    for name, command in every.items():
        for argument in command.assemble_argument_collection() if command.default_command else ():
            assert f"`{argument.name}" in shown[name] or f" {argument.name}" in shown[name], (name, argument.name)


@pytest.mark.parametrize("page", [*PAGES, "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_no_page_contains_a_placeholder(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|TBD|FIXME|XXX)\b|(?i:not run yet|to be (filled|measured)|coming soon)", text)


def test_the_table_of_libraries_matches_its_program():
    spec = importlib.util.spec_from_file_location("compat", ROOT / "tests" / "compat" / "run.py")
    compat = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compat)
    text = compat.PAGE.read_text(encoding="utf-8")
    lines = compat.rows_of(text)
    assert list(lines) == ["row", *compat.ROWS] and text == compat.page(lines)
    for name, row in compat.ROWS.items():
        _, library, forms, result, date, commit = lines[name].split(" | ")
        assert re.fullmatch(rf"{row.library} \d+\.\S+", library) and forms == row.forms
        assert result == "passes" or (row.failing and result == f"fails: {row.failing}")
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", date) and re.fullmatch(r"`[0-9a-f]{7,}` \|", commit)


def test_the_thesis_index_names_existing_modules_agents_and_methods():
    text = PAGES["docs/reference/thesis-index.md"].read_text(encoding="utf-8")
    modules = set(re.findall(r"`((?:agents|experiments)[a-z_.]*)`", text))
    assert len(modules) > 15
    for module in modules:
        assert importlib.util.find_spec(f"warlight_env.{module}"), module
    named = {name for name in re.findall(r"`([a-z_0-9]+)(?::[^`]*)?`", text) if name in registry.agent_names()}
    assert named >= {"mcts", "mcts_thesis", "pmcts", "maxn", "flat_mc", "minimax2", "aggressive"}
    for parameter in re.findall(r"`mcts:(\w+)=", text):
        assert parameter in registry.parse("mcts")[0].parameters, parameter
    for name in re.findall(r"`(methods-[a-z-]+)`", text):
        assert name in METHOD_NAMES


def test_the_readme_has_at_most_75_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 75
