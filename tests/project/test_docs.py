"""What the documentation shows runs as it stands there, and the notebook is the tutorial."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from warlight_env import battle_odds
from warlight_env.agents import registry
from warlight_env.cli import main
from warlight_env.cli.app import app
from warlight_env.engine.board import Board
from warlight_env.envs import Games, PlayerViews
from warlight_env.experiments import METHODS

ROOT = Path(__file__).parents[2]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))}
#: Before a block that is no program of its own: it says why.
NOT_RUN = "<!-- not run: "


def blocks(page: str, language: str) -> list[str]:
    """The texts between fences of a language, but for those that say they are not run."""
    text = PAGES[page].read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [
        block[2]
        for block in found
        if block[1] == language and not text[: block.start()].rstrip().split("\n")[-1].startswith(NOT_RUN)
    ]


#: What is smaller than on a page where its programs are run: training, matches.
SMALLER = {"docs/tutorial.md": {"learner.learn(16_384,": "learner.learn(1_024,", "games=100": "games=2"}}


def smaller(page: str, program: str) -> str:
    """The program of a page with its numbers of SMALLER."""
    for part, less in SMALLER.get(page, {}).items():
        program = program.replace(part, less)
    return program


@pytest.mark.parametrize(
    "page, change",
    [
        *((page, smaller) for page in PAGES if blocks(page, "python")),
        *(pytest.param(page, lambda page, program: program, marks=pytest.mark.slow) for page in SMALLER),
    ],
)
def test_programs(page, change, tmp_path, monkeypatch):
    """Those of a page one after the other, as in a notebook."""
    assert all(part in PAGES[page].read_text(encoding="utf-8") for part in SMALLER.get(page, ()))
    registry.agent_names()  # what other packages bring is there, before what a page registers is forgotten again
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page}
    for program in blocks(page, "python"):
        exec(compile(change(page, program), page, "exec"), names)


def lines_of(page: str) -> list[str]:
    """Lines that call the program."""
    every = [line for language in ("", "sh") for block in blocks(page, language) for line in block.splitlines()]
    commands = (re.sub(r"^.*&& ", "", line) for line in every)
    return [line for line in commands if re.match(r"(\.venv/bin/)?warlight [a-z]", line)]


@pytest.mark.parametrize(("page", "line"), [(page, line) for page in PAGES for line in lines_of(page)])
def test_command_lines_parse(page, line):
    command = re.split(r" {2,}| # ", line)[0].replace(".venv/bin/", "")
    for variant in command.split(" | "):  # maps list | show small | …
        words = [word for word in shlex.split(variant) if word not in ("…", "&")]
        words = words[1:] if words[0] == "warlight" else ["maps", *words]
        _, _, ignored = app.parse_args(words, exit_on_error=False, print_error=False)
        assert not ignored, ignored


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md", "docs/command-line.md"])
def test_what_newcomers_train_begins_from_files_that_are_there(page):
    files = re.findall(r"warlight train \w+ (examples/\w+\.toml)", PAGES[page].read_text(encoding="utf-8"))
    assert files
    for file in files:
        assert "runs/" not in repr(tomllib.loads((ROOT / file).read_text(encoding="utf-8"))), file


def test_a_map_by_hand_is_one(tmp_path):
    (shown,) = blocks("docs/game.md", "json")
    (file := tmp_path / "ring.json").write_text(shown, encoding="utf-8")
    assert main(["maps", "check", str(file)]) == 0
    assert main(["match", "random", "aggressive", "--map", str(file), "-n", "2", "--picks", "random", "-q"]) == 0


@pytest.mark.parametrize("record", [Games, PlayerViews, Board])
def test_help_tells_each_field_of_a_record(record):
    told = re.findall(r"^ +([\w, ]+): (?:u?\w+\[|int,)", record.__doc__, flags=re.MULTILINE)
    assert ", ".join(told).split(", ") == list(record._fields)


def test_the_quoted_odds():
    quoted = re.search(
        r"battle_odds\((\d+), (\d+)\)\.capture\)  # ([\d.]+)…", "\n".join(blocks("docs/game.md", "python"))
    )
    attackers, defenders, capture = quoted.groups()
    assert f"{battle_odds(int(attackers), int(defenders)).capture:.9f}".startswith(capture)


def test_the_picture_is_the_one_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "\n".join(lines_of("docs/command-line.md"))
    command = re.search(r"^warlight (picture .*? -o position\.svg)", lines, flags=re.MULTILINE).group(1)
    assert main(shlex.split(command)) == 0
    shown = ROOT / "docs" / "position.svg"
    assert Path("position.svg").read_text(encoding="utf-8") == shown.read_text(encoding="utf-8")


def test_the_notebook_is_the_tutorial():
    spec = importlib.util.spec_from_file_location("notebook", ROOT / "docs" / "notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.notebook_of(module.SOURCE.read_text(encoding="utf-8"))
    assert module.NOTEBOOK.read_text(encoding="utf-8") == made, "python docs/notebook.py writes it anew"


@pytest.mark.parametrize("page", [*PAGES, "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_no_page_waits_for_something(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|TBD|FIXME|XXX)\b|(?i:not run yet|to be (filled|measured)|coming soon)", text)


def test_the_table_of_libraries_is_that_of_the_program():
    spec = importlib.util.spec_from_file_location("compat", ROOT / "tests" / "compat" / "run.py")
    compat = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compat)
    text = compat.PAGE.read_text(encoding="utf-8")
    lines = compat.rows_of(text)
    assert list(lines) == ["row", *compat.ROWS] and text == compat.page(lines)
    for name, row in compat.ROWS.items():
        _, library, forms, came, date, commit = lines[name].split(" | ")
        assert re.fullmatch(rf"{row.library} \d+\.\S+", library) and forms == row.forms
        assert came == "passes" or (row.failing and came == f"fails: {row.failing}")
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", date) and re.fullmatch(r"`[0-9a-f]{7,}` \|", commit)


def test_the_thesis_index_names_what_is_there():
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
        assert name in METHODS


def test_the_readme_fits_on_a_screen_and_a_half():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90
