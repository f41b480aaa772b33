"""The commands agents, maps, env, doctor, watch and picture."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from defusedxml import ElementTree

from arena_agents import Cheat
from forked_python import WARLIGHT, ForkedProgram
from helpers import read_terminal
from warlight_env import Game, maps
from warlight_env.agents import registry
from warlight_env.arena import Match
from warlight_env.cli import main
from warlight_env.cli.round_text import show_position
from warlight_env.engine import cache, jit
from warlight_env.render import ShownPosition
from warlight_env.web.page import page


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def svg_root(path: str) -> ElementTree:
    root = ElementTree.fromstring(Path(path).read_text(encoding="utf-8"))
    assert root.tag.endswith("svg")
    return root


# agents


def test_agent_list_shows_all_agents(capsys):
    assert main(["agent", "list"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {info.form} " in out and info.summary in out for info in registry.describe())
    assert re.search(r"^ +plan +Petra +Plans its goals", out, re.M)
    assert main(["agent", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in listed] == registry.agent_names()


def test_agent_show_lists_parameters_and_profiles(capsys):
    assert main(["agent", "show", "mcts"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^ +sims +\d* .*$", out, re.M) and re.search(
        r"^ +local_search +0.5 +fraction of the budget", out, re.M
    )
    assert re.search(r"^ +mcts +Linden +hard$", out, re.M) and re.search(r"^ +mcts:secs=5 +Sequoia +hard$", out, re.M)
    assert main(["agent", "show", "nash", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["profiles"]["nash:secs=5"]["name"] == "Athena"
    options = shown["parameters"]
    assert options["final_move"]["choices"] == ["best", "mixture", "most_likely"]
    assert (options["local_search"]["default"], options["local_search"]["low"], options["local_search"]["high"]) == (
        0.5,
        0,
        0.99,
    )
    assert main(["agent", "show", "mcts_thesis"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^ +weights +thesis +weights of the evaluation", shown, re.M) and "Weights(" not in shown
    assert main(["agent", "show", "mcts_thesis", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"]["weights"]["default"] == "thesis"
    assert main(["agent", "show", "mtcs"]) == 2
    assert "did you mean mcts" in capsys.readouterr().err.lower().replace("'", "")


# maps


def test_map_list_shows_all_maps(capsys):
    assert main(["map", "list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in maps.names())
    assert main(["map", "list", "--json"]) == 0
    world = next(m for m in json.loads(capsys.readouterr().out) if m["name"] == "world")
    assert (world["regions"], world["super_regions"], world["borders"]) == (42, 6, 82)


def test_map_show_names_every_region(capsys):
    assert main(["map", "show", "small", "--svg", "small.svg"]) == 0
    out = capsys.readouterr().out
    assert all(region.name in out for region in maps.load("small").regions)
    assert svg_root("small.svg") is not None


def test_the_json_of_map_show_is_a_valid_map(capsys):
    assert main(["map", "show", "small", "--json"]) == 0
    assert maps.from_dict(json.loads(capsys.readouterr().out)["map"]) == maps.load("small")


def test_map_generate_writes_a_valid_map(capsys):
    assert main(["map", "generate", "--regions", "12", "--seed", "4", "-o", "mine.json", "--svg", "mine.svg"]) == 0
    assert maps.load("mine.json") == maps.generate(12, seed=4)
    assert svg_root("mine.svg") is not None
    capsys.readouterr()
    assert main(["map", "generate", "--regions", "12", "--seed", "4"]) == 0
    assert maps.from_json(capsys.readouterr().out) == maps.load("mine.json")
    assert main(["map", "check", "mine.json", "world"]) == 0
    assert main(["match", "random", "random", "-n", "2", "--map", "mine.json", "-q"]) == 0


def test_map_check_names_the_invalid_file(capsys):
    Path("bad.json").write_text('{"format": 7}')
    assert main(["map", "check", "small", "bad.json", "missing.json"]) == 1
    small, bad, missing = capsys.readouterr().out.splitlines()
    assert small.startswith("small: ok")
    assert bad.startswith("bad.json: ") and bad.count("bad.json") == 1
    assert missing.startswith("missing.json: ") and "No such file" in missing
    assert main(["map", "check", "bad.json", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["ok"] is False


@pytest.mark.parametrize(
    "arguments, hint",
    [
        (["show", "wurld"], "did you mean 'world'"),
        (["show"], "NAME"),
        (["check"], "at least one"),
        (["generate", "--regions", "2"], "regions"),
        (["generate", "-o", "map.yaml"], ".json"),
        (["generate", "--seed", "-3"], "seed"),
    ],
)
def test_invalid_arguments_of_map_commands_are_an_error(arguments, hint, capsys):
    assert main(["map", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and hint.lower() in err.lower()


def test_a_write_error_exits_with_1(capsys):
    assert main(["map", "generate", "--regions", "6", "-o", "no/such/folder/map.json"]) == 1
    assert "cannot write no/such/folder/map.json" in capsys.readouterr().err


# env and doctor


def test_env_info_describes_the_environment(capsys):
    assert main(["env", "info"]) == 0
    out = capsys.readouterr().out
    assert "MultiDiscrete([5] * 206)" in out and "42 regions, 164 directed edges" in out
    assert main(["env", "info", "--action", "orders", "--map", "small", "--players", "3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["agents"] == ["player_0", "player_1", "player_2"]
    assert data["regions"] == 10 and data["action"] == "orders" and data["mask_size"] > 0


@pytest.mark.parametrize(
    "arguments, hint",
    [
        (["--action", "factord"], "did you mean 'factored'"),
        (["--observation", "pixels"], "observation"),
        (["--players", "9"], "players"),
        (["--map", "wurld"], "did you mean 'world'"),
    ],
)
def test_invalid_arguments_of_env_info_are_an_error(arguments, hint, capsys):
    assert main(["env", "info", *arguments]) == 2
    assert hint in capsys.readouterr().err


def test_doctor_reports_the_installation(capsys):
    code = main(["doctor", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert code == (0 if data["ok"] else 1)
    assert data["cache_folder"] == str(cache.cache_folder()) and data["python"] == sys.version.split()[0]
    assert data["numba_threads"] >= 1 and data["jit"] is not jit.JIT_DISABLED
    main(["doctor"])
    out = capsys.readouterr().out
    assert "compile cache" in out and str(cache.cache_folder()) in out
    assert re.search(r"^  page +installed$", out, re.M)


def hide_libraries(monkeypatch, *libraries):
    """Make imports of these libraries fail."""
    for name in libraries:
        for module in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    "words, missing",
    [
        (["evolve", "--quick"], ["cma"]),
        (["evolve", "--quick"], ["cma", "matplotlib"]),
        (["td", "--quick"], ["matplotlib"]),
        (["value", "--quick"], ["torch", "matplotlib"]),
        (["ppo", "--quick"], ["torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard"]),
    ],
)
def test_training_without_its_libraries_is_an_error_and_writes_nothing(words, missing, capsys, monkeypatch):
    hide_libraries(monkeypatch, *missing)
    assert main(["train", *words, "--out", "run"]) == 1
    are = "is" if len(missing) == 1 else "are"
    says = f"error: {', '.join(missing)} {are} missing: pip install 'warlight-env[train]' or '.[train]'\n"
    assert capsys.readouterr() == ("", says)
    assert list(Path().iterdir()) == []


def test_play_names_the_missing_extra(capsys, monkeypatch):
    hide_libraries(monkeypatch, "fastapi", "uvicorn")
    assert main(["play", "--no-browser"]) == 1
    assert capsys.readouterr().err == (
        "error: fastapi, uvicorn are missing: pip install 'warlight-env[web]' or '.[web]'\n"
    )


def test_negative_options_only_exist_for_options_on_by_default(capsys):
    from warlight_env.cli.app import app

    def commands(of, path=()):
        for name in (name for name in of if not name.startswith("-")):
            yield (*path, name)
            yield from commands(of[name], (*path, name))

    options = set()
    for command in commands(app):
        assert main([*command, "--help"]) == 0
        options |= {(*command, option) for option in re.findall(r"--(?:no|empty)-\w+", capsys.readouterr().out)}
    assert {" ".join(one) for one in options} == {
        "watch --no-browser", "play --no-browser", "hotseat --no-browser", "replay --no-orders", "picture --no-orders",
    }  # fmt: skip


def test_doctor_reports_a_missing_page(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("warlight_env.web.page.PAGE", tmp_path / "index.html")
    (tmp_path / "missing.txt").write_text("npm was not found")
    monkeypatch.setattr("warlight_env.web.page.NOTE", tmp_path / "missing.txt")
    page.cache_clear()
    main(["doctor"])
    assert re.search(r"^  page +the page is missing.*: npm was not found$", capsys.readouterr().out, re.M)


def test_doctor_clears_compiled_kernels_and_nothing_else(capsys, tmp_path, monkeypatch):
    current = tmp_path / "kernels" / "0123456789abcdef0123"
    older = tmp_path / "kernels" / "fedcba9876543210fedc"
    other = tmp_path / "kernels" / "notes"
    for folder in (current, older, other):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * 1000)
    monkeypatch.setattr(cache, "cache_folder", lambda: current)
    main(["doctor", "--clear-cache", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["freed_bytes"] == 2000 and data["cache_bytes"] == data["stale_bytes"] == 0
    assert not current.exists() and not older.exists() and (other / "file").exists()


# watch


def test_watch_without_a_terminal_is_plain_text(capsys):
    arguments = ["watch", "random", "aggressive", "--seed", "3", "--map", "small", "--delay", "60"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    for words in ("deploys", "attacks", "takes", "1 random: ", "2 aggressive: ", "income"):
        assert words in out
    assert re.search(r"wins after \d+ rounds\n$", out)
    assert main(arguments) == 0
    assert capsys.readouterr().out == out, "equal seeds, equal games"


def test_watch_shows_the_games_of_a_match(capsys):
    for record in Match(("random", "aggressive"), games=3, seed=5, map="small").run().records:
        number = str(record.number + 1)
        assert main(["watch", "random", "aggressive", "--seed", "5", "--map", "small", "--game", number]) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.endswith(f"{('random', 'aggressive')[record.winner]} wins after {record.rounds} rounds")


def test_watch_reports_illegal_orders_and_stops_at_the_round_limit(capsys, monkeypatch):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    registry.register("cheat", lambda: Cheat, "cheats")
    assert main(["watch", "cheat", "random", "--map", "small", "--rounds", "2"]) == 0
    out = capsys.readouterr().out
    deploys = re.findall(r"illegal order of 1 cheat, left out: deploy 6 on [A-Z].*: more armies than are left", out)
    assert len(deploys) == 2 and "1 cheat deploys" not in out
    assert re.search(r"left out: attack (\w[\w ]*) → \1 with 1: the regions are not neighbours", out)
    assert out.endswith("stopped after 2 rounds\n")


@pytest.mark.parametrize(
    "arguments",
    [["random"], ["random", "rndom"], ["random", "random", "--delay", "-1"], ["random", "random", "--game", "0"]],
)
def test_invalid_arguments_of_watch_are_an_error(arguments, capsys):
    assert main(["watch", *arguments]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_watch_redraws_a_terminal():
    parent, child = pty.openpty()
    command = ["watch", "random", "random", "--map", "small", "--delay", "0", "--rounds", "3"]
    program = ForkedProgram(WARLIGHT, *command, output=child, errors=child)
    os.close(child)
    shown = read_terminal(parent)
    assert program.wait() == 0
    assert shown.count(b"\x1b[H\x1b[2J") == 4
    assert b"stopped after 3 rounds" in shown


# picture


def test_picture_writes_svg(capsys):
    assert main(["picture", "--seed", "7", "--rounds", "4", "--map", "small", "-o", "a.svg"]) == 0
    with_orders = Path("a.svg").read_text(encoding="utf-8")
    assert svg_root("a.svg") is not None
    capsys.readouterr()
    assert main(["picture", "--seed", "7", "--rounds", "4", "--map", "small"]) == 0
    assert capsys.readouterr().out == with_orders, "the same on standard output"
    assert main(["picture", "--seed", "7", "--rounds", "4", "--map", "small", "--no-orders", "-o", "b.svg"]) == 0
    assert len(Path("b.svg").read_text(encoding="utf-8")) < len(with_orders)


def test_picture_writes_png():
    from PIL import Image

    assert main(["picture", "random", "random", "random", "--seed", "7", "--map", "world", "-o", "a.png"]) == 0
    with Image.open("a.png") as image:
        assert image.format == "PNG" and image.width > 300


@pytest.mark.parametrize("arguments", [["-o", "a.gif"], ["--rounds", "-1"], ["random"], ["--map", "wurld"]])
def test_invalid_arguments_of_picture_are_an_error(arguments, capsys):
    assert main(["picture", *arguments]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_closed_pipe_gives_no_traceback():
    command = [sys.executable, "-m", "warlight_env", "map", "show", "large", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 1 and err == b""


@pytest.mark.parametrize("delay", ["inf", "1e300", "nan", "-1"])
def test_invalid_delays_of_watch_are_an_error(delay, capsys):
    assert main(["watch", "random", "random", "--delay", delay]) == 2
    assert "--delay" in capsys.readouterr().err


def test_the_svg_option_requires_the_svg_extension(capsys):
    assert main(["map", "show", "small", "--svg", "x.png"]) == 2
    assert not Path("x.png").exists()


def test_a_watched_game_fits_into_a_short_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    game = Game("world", seed=3)
    position = ShownPosition(game.map, game.owner, game.army, 2, 7, ("1 mcts:sims=50", "2 aggressive"))
    messages = [
        f"1 mcts:sims=50 attacks Western-Australia{n} from East Australia with 12: loses 1, kills 2" for n in "12"
    ]
    for lines in (messages, messages * 6):
        show_position(position, {"1 mcts:sims=50": 5}, lines, live=True)
        shown = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", capsys.readouterr().out)
        rows = shown.splitlines()
        assert len(rows) < 23  # one more line follows at the end of the game
        assert max(map(len, rows)) <= 80
        assert "round 7" in rows[0]
        assert " ".join(messages[0].split()) in " ".join(shown.split())
    assert re.search(r"\d+ more lines", rows[-1])
