"""``warlight match``: output, JSON, exit codes and Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import jsonschema
import pytest
from process_helpers import ForkedCommand
from rich.console import Console

from arena_agents import Crasher, Idle
from forked_python import WARLIGHT, ForkedProgram
from helpers import read_terminal
from warlight_env.agents import registry
from warlight_env.arena import Match
from warlight_env.cli import main, progress
from warlight_env.cli import match as match_command
from warlight_env.cli import watch as watch_command
from warlight_env.cli.common import start_game
from warlight_env.cli.match_stats import MatchStats
from warlight_env.cli.score_board import ScoreBoard
from warlight_env.engine.jit import kernel

MATCH = ["match", "random", "aggressive", "-n", "20", "--map", "small", "--seed", "3"]

SEAT = {
    "type": "object",
    "required": ["seat", "games", "wins", "losses", "draws"],
    "properties": {"seat": {"type": "integer", "minimum": 1}},
}
TIME = {
    "type": "object",
    "required": ["answers", "mean", "slowest", "late", "simulations"],
    "properties": {
        "answers": {"type": "integer", "minimum": 0},
        "mean": {"type": "number", "minimum": 0},
        "slowest": {"type": "number", "minimum": 0},
        "simulations": {"type": ["number", "null"]},
    },
}
AGENT = {
    "type": "object",
    "required": [
        "name", "games", "wins", "losses", "draws", "win_share", "interval", "score", "seats", "dropped", "crashes",
        "late_losses", "time",
    ],
    "properties": {
        "name": {"type": "string"},
        "wins": {"type": "integer", "minimum": 0},
        "win_share": {"type": "number", "minimum": 0, "maximum": 1},
        "interval": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "seats": {"type": "array", "items": SEAT},
        "time": TIME,
    },
}  # fmt: skip
RESULT = {
    "type": "object",
    "required": [
        "agents", "games", "games_asked", "interrupted", "map", "rules", "seed", "picks", "paired", "units",
        "confidence", "round_limit", "cut_off", "rounds", "rounds_per_second", "wall_seconds", "jobs",
        "elo", "sprt", "clocks", "failures",
    ],
    "properties": {
        "agents": {"type": "array", "items": AGENT},
        "confidence": {"const": 0.95},
        "elo": {
            "type": ["object", "null"],
            "required": ["elo", "low", "high"],
            "additionalProperties": {"type": ["number", "null"]},
        },
        "clocks": {"type": "array", "items": {"type": "string"}},
    },
}  # fmt: skip


def without_times(data: dict) -> dict:
    """Return a result without machine-dependent entries."""
    left = {key: value for key, value in data.items() if "second" not in key and key != "jobs"}
    left["agents"] = [{key: value for key, value in agent.items() if key != "time"} for agent in data["agents"]]
    return left


@pytest.fixture
def bots(monkeypatch):
    """Bots that are registered during a test."""
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    registry.register("idle", lambda: Idle, "does nothing")
    registry.register("crasher", lambda: Crasher, "fails")


def test_the_report_contains_results_and_progress(capsys):
    assert main(MATCH) == 0
    out, err = capsys.readouterr()
    for word in ("wins", "losses", "draws", "95 %", "seat 1", "seat 2", "median", "mean", "rounds/s", "seed 3"):
        assert word in out
    assert "20/20 games" in err and "g/s" in err


def test_standard_output_is_json_that_matches_the_schema(capsys):
    assert main([*MATCH, "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    jsonschema.validate(json.loads(out), RESULT)
    assert err == ""


@pytest.mark.usefixtures("forked_workers")
def test_processes_do_not_change_the_result(capsys):
    assert main([*MATCH, "--json", "--quiet", "--paired"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert main([*MATCH, "--json", "--quiet", "--paired", "--jobs", "2"]) == 0
    two = json.loads(capsys.readouterr().out)
    assert without_times(one) == without_times(two)
    assert (one["units"], two["jobs"]) == (10, 2)


def test_progress_is_printed_every_tenth_of_the_games(capsys):
    main(MATCH)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines] == [f"{n}/20" for n in range(2, 21, 2)]


def test_progress_is_also_printed_after_a_time(capsys, monkeypatch):
    monkeypatch.setattr(progress, "UNIT_LINE_SECONDS", 0.0)
    command = ["match", "aggressive", "random", "--map", "small", "--sprt", "0,100", "--paired"]
    assert main(command) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines[:4]] == [f"{n}/20000 games at most" for n in range(1, 5)]
    assert ", aggressive : random = 0 : 0, not counted: 1 game (unit not finished)" in lines[0]
    assert "not counted" not in lines[1] and "LLR" in lines[1]


def test_the_table_on_a_terminal_counts_complete_pairs():
    match = Match(("random", "aggressive"), games=4, map="small", paired=True)
    records = match.run().records
    board = ScoreBoard(MatchStats(("random", "aggressive"), match.contest()))

    def shown() -> str:
        board.add([records[len(counted)]])
        counted.append(1)
        console = Console(width=120, record=True, file=io.StringIO())
        console.print(*board.get_renderables())
        return console.export_text()

    counted: list[int] = []
    texts = [shown() for _ in records]
    assert "1/4" in texts[0] and "win %" not in texts[0]
    assert "2/4" in texts[1] and "win %" in texts[1] and "Elo" in texts[1]
    tables = [text.partition("win %")[2] for text in texts]
    assert tables[1] == tables[2] != "" and "3/4" in texts[2]


@pytest.mark.parametrize("quiet", [False, True])
def test_the_compile_notice_is_printed_once_to_a_file(quiet, capsys):
    setup = Match(("random", "random"), games=1, map="small").contest()
    for shown in (
        match_command.make_progress(("a", "b"), setup, quiet),
        progress.unit_progress("a", 1, "games", quiet),
    ):
        new: dict = {"__name__": "warlight_env.made_up"}
        exec("def first(x):\n    return x + 1\ndef second(x):\n    return x + 2\n", new)  # no file, so never cached
        with shown:
            kernel(new["first"])(1)
            kernel(new["second"])(1)
        assert capsys.readouterr().err.count("compiling (the first time only)") == (0 if quiet else 1)


def test_the_report_counts_draws_and_stopped_games(bots, capsys):
    assert main(["match", "idle", "idle", "-n", "2", "--map", "small", "--rounds", "9"]) == 0
    out = capsys.readouterr().out
    assert "2 games were stopped after 9 rounds and count as draws" in out
    assert "score" in out and "idle #1 50.0 %" in out


def test_the_report_uses_the_singular_for_one_game(bots, capsys):
    assert main(["match", "idle", "crasher", "-n", "1", "--map", "small", "--rounds", "1"]) == 0
    out = capsys.readouterr().out
    assert "idle vs crasher: 1 game on small" in out
    assert "1 game was stopped after 1 round and counts as a draw" in out
    forfeit = ["--on-crash", "forfeit"]
    assert main(["match", "idle", "crasher", "-n", "1", "--map", "small", *forfeit]) == 0
    assert "crasher lost 1 game by failing" in capsys.readouterr().out


def test_the_option_rules_accepts_changes(capsys):
    rules = "thesis:max_rounds=4,fog=true,luck=0.5"
    assert main([*MATCH, "--rules", rules, "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["rules"] == rules and data["round_limit"] == 4 and data["cut_off"] == 0


@pytest.mark.parametrize(("rules", "name"), [
    (["--fog"], "thesis:fog=true"), (["--rules", "thesis:luck=0.5", "--fog"], "thesis:luck=0.5,fog=true"),
    (["--rules", "challenge2", "--fog"], "challenge2"),
])  # fmt: skip
def test_the_option_fog_is_equal_to_a_change_of_the_rules(rules, name, tmp_path, capsys):
    command = [*MATCH, "--rounds", "1", "--json", "-q"]
    assert main([*command, *rules, "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["rules"] == name
    assert main([*command, "--rules", name, "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["games_found"] == 20, "equal rules continue the match"


@pytest.mark.parametrize("rules", ["thesis", "challenge2"])
def test_watched_games_have_the_fog_of_the_option(rules, monkeypatch):
    started = []

    def record(*arguments, **options):
        game, bots = start_game(*arguments, **options)
        started.append(game)
        return game, bots

    monkeypatch.setattr(watch_command, "start_game", record)
    monkeypatch.setattr(watch_command, "watch_live", lambda agents, picks, options: started.append(options))
    words = ["watch", "random", "random", "--map", "small", "--rules", rules, "--fog"]
    assert main([*words, "--rounds", "1"]) == 0 and main([*words, "--live"]) == 0
    game, options = started
    assert game.rules.fog and (options.rules, options.fog) == (rules, True)


def test_the_option_fog_contradicts_rules_without_fog(capsys):
    assert main([*MATCH, "--rules", "thesis:fog=no", "--fog"]) == 2
    assert "--fog: the rules 'thesis:fog=no' switch fog off" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, hint",
    [
        (["random"], "2 to 6"),
        (["random", "agressive"], "did you mean 'aggressive'"),
        (["random", "random:chunk=3"], "did you mean 'chunks'"),
        (["random", "random", "--map", "wrold"], "did you mean 'world'"),
        (["random", "random", "--map", "none.json"], "none.json"),
        (["random", "random", "--rules", "chalenge1"], "did you mean 'challenge1'"),
        (["random", "random", "--rules", "thesis:fgo=true"], "did you mean 'fog'"),
        (["random", "random", "--rules", "thesis:fog=maybe"], "true or false"),
        (["random", "random", "--rules", "thesis:picks=many"], "an integer"),
        (["random", "random", "--rules", "thesis:luck=7"], "must be 0, or lie in 1e-09 .. 1"),
        (["random", "random", "--games", "many"], "error: --games many: must be an integer"),
        (["random", "random", "-n", "1e2"], "error: -n 1e2: must be an integer"),
        (["random", "random", "--rounds", "-1"], "error: --rounds -1: must be at least 1"),
        (["random", "random", "--empty-clock"], "Unknown option: --empty-clock"),
        (["mcts:1x", "random"], "expected key=value (or 457 for simulations, 1s or 500ms for seconds), got '1x'"),
        (["smart_random:5", "random"], "expected key=value, got '5'"),
        (["random", "random", "--games", "0"], "error: --games 0: must be at least 1"),
        (["random", "random", "--games", str(2**63)], f"error: --games {2**63}: must be below 2**63"),
        (["random", "random", "--games", ""], "error: --games '': must be an integer"),
        (["random", "random", "--jobs", "0"], "error: --jobs 0: must be at least 1"),
        (["random", "random", "--picks", "mine"], "picks"),
        (["random", "random", "--gmaes", "3"], "--games"),
        (["random", "random", "--clock", "soon"], "clock 'soon'"),
        (["random", "random", "--clock", "1s", "--clock", "2s", "--clock", "3s"], "there are 3 clocks for 2 agents"),
        (["random", "random", "--sprt", "20,0"], "elo0 = 20 must be below elo1 = 0"),
        (["random", "random", "random", "--sprt", "0,20"], "two agents, not 3"),
        (["random", "random", "--on-crash", "ignore"], "on-crash"),
        (["random", "random", "--backend", "cloud"], "backend"),
        (["random", "random", "--ray-address", "auto"], "--backend ray"),
    ],
)
def test_invalid_arguments_are_reported_and_exit_with_2(arguments, hint, capsys):
    assert main(["match", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and hint in err.replace("'--games'", "--games")
    assert "Traceback" not in err


def test_an_unknown_command_is_an_error_with_a_suggestion(capsys):
    assert main(["mtch"]) == 2
    assert 'Did you mean "match"' in capsys.readouterr().err


def test_a_failing_bot_exits_with_1(bots, capsys):
    assert main(["match", "idle", "crasher", "-n", "4", "--map", "small", "--on-crash", "stop"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "agent 'crasher' failed in round 3 of game 1" in err and "ZeroDivisionError" in err
    assert "Traceback" not in err


def test_a_failing_bot_loses_its_games_with_forfeit(bots, capsys):
    command = ["match", "idle", "crasher", "-n", "4", "--map", "small", "--on-crash", "forfeit"]
    assert main(command) == 0
    assert "crasher lost 4 games by failing" in capsys.readouterr().out
    assert main([*command, "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    jsonschema.validate(data, RESULT)
    assert [agent["crashes"] for agent in data["agents"]] == [0, 4]
    assert [(failure["game"], failure["round"]) for failure in data["failures"]] == [(n, 3) for n in range(1, 5)]


@pytest.mark.parametrize("clocks, simulations", [(["5sims"], [5, 5]), (["5sims", "none"], [5, 9])])
def test_clocks_apply_to_all_agents_or_to_each(clocks, simulations, capsys):
    options = [part for clock in clocks for part in ("--clock", clock)]
    command = ["match", "mcts:9", "mcts:9sims", "-n", "2", "--map", "small", "--rounds", "2", *options]
    assert main([*command, "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [agent["time"]["simulations"] for agent in data["agents"]] == simulations
    assert main([*command, "-q"]) == 0
    out = capsys.readouterr().out
    assert "simulations" in out and "late" in out and "5sims" in out


def test_a_decided_sprt_ends_the_match(capsys):
    command = ["match", "aggressive", "random", "--map", "small", "--sprt", "0,100,0.01", "--paired", "-q"]
    assert main(command) == 0
    assert "SPRT ([0.00, 100.00]) completed - H1 was accepted" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["games"] < data["games_asked"] == 20_000 and not data["interrupted"]
    assert data["sprt"]["verdict"] == "H1" and data["sprt"]["llr"] >= data["sprt"]["upper"] == pytest.approx(
        4.595, abs=1e-3
    )


def test_an_interrupted_match_continues_from_its_folder(tmp_path, capsys, monkeypatch):
    assert main([*MATCH, "--json", "-q"]) == 0
    wanted = without_times(json.loads(capsys.readouterr().out))
    command = [*MATCH, "-q", "--out", str(tmp_path / "run")]

    def interrupt(records):
        if records[-1].number == 6:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(match_command, "ignore_games", interrupt)
        assert main(command) == 130
    assert f"the same command continues the match in {tmp_path / 'run'}" in capsys.readouterr().out
    assert main([*command, "--rounds", "4"]) == 2
    assert "contains another run (rounds: none in the folder, 4 now)" in capsys.readouterr().err
    assert main([*command, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (wanted.pop("games_found"), again.pop("games_found")) == (0, 7)
    assert without_times(again) == wanted
    assert main(command) == 0
    assert "20 of the games were found in the run folder, and this run took" in capsys.readouterr().out


def test_the_error_for_missing_ray_names_the_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main([*MATCH, "--backend", "ray"]) == 2
    assert "pip install 'warlight-env[ray]'" in capsys.readouterr().err


def test_an_interrupted_match_reports_the_interruption(capsys, monkeypatch):
    def interrupt(records):
        if records[-1].number == 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(match_command, "ignore_games", interrupt)
    assert main([*MATCH, "-q"]) == 130
    out = capsys.readouterr().out
    assert "7 of 20 games" in out and "interrupted" in out


def test_an_interruption_before_the_first_game_exits_with_130(capsys, monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(match_command, "read_rules", interrupt)
    assert main(MATCH) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


@pytest.mark.slow
def test_ctrl_c_stops_all_processes_and_reports():
    command = [sys.executable, "-m", "warlight_env", *MATCH[:3], "-n", "200", "--map", "small", "--jobs", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        line = first = process.stderr.readline()
        while line and "games" not in (first := line):  # notices about compilation come first
            line = process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert "/200 games" in first
    assert process.returncode == 130
    assert "of 200 games" in out and "interrupted" in out
    assert "Traceback" not in err


@contextlib.contextmanager
def long_match(tmp_path, jobs):
    """A match in another process that has stored games in ``run``, with its temporary files in ``temporary``."""
    temporary, games = tmp_path / "temporary", tmp_path / "run" / "games.jsonl"
    temporary.mkdir()
    command = [*MATCH[:3], "-n", "20000", "--map", "small", "--jobs", str(jobs), "--out", str(games.parent)]
    process = ForkedCommand(command, {"TMPDIR": str(temporary)}, tmp_path / "errors")
    try:
        while process.poll() is None and not (games.exists() and games.stat().st_size):
            time.sleep(0.01)
        assert [file.name.split("-")[1] for file in temporary.iterdir()] == ["match"] * (jobs > 1)
        yield process
    finally:
        process.kill()


@pytest.mark.parametrize("jobs", [1, 2])
def test_sigterm_ends_a_match_like_ctrl_c(jobs, tmp_path):
    with long_match(tmp_path, jobs) as process:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60), (tmp_path / "errors").read_text()
    assert process.poll() == 130, err
    assert list((tmp_path / "temporary").iterdir()) == []
    assert "interrupted" in out and f"continues the match in {tmp_path / 'run'}" in out and "Traceback" not in err
    counted = int(re.search(r"(\d+) of 20000 games", out)[1])
    lines = (tmp_path / "run" / "games.jsonl").read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == counted > 0


def test_a_killed_match_leaves_no_temporary_files(tmp_path):
    with long_match(tmp_path, 2) as process:
        process.kill()
        process.communicate(timeout=60)  # waits for its workers, which have its streams
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_terminal_gets_a_bar_and_other_streams_the_result():
    parent, child = pty.openpty()
    program = ForkedProgram(WARLIGHT, *MATCH, errors=child)
    os.close(child)
    shown, output = read_terminal(parent), program.communicate()
    assert program.poll() == 0 and "95 %" in output and "\x1b" not in output
    assert b"random vs aggressive" in shown and b"20/20" in shown
    assert b"20/20 games," not in shown
    for word in (b"win %", b"95 % CI", b"seat 2", b"Elo", b"g/s", b"eta"):
        assert word in shown


def test_quiet_prints_nothing_to_a_terminal_and_ascii_output_works():
    parent, child = pty.openpty()
    program = ForkedProgram(WARLIGHT, *MATCH, "-q", "--sprt", "0,20", errors=child, encoding="ascii")
    os.close(child)
    shown, output = read_terminal(parent), program.communicate()
    assert program.poll() == 0 and shown == b""
    assert "95 % CI" in output


def test_a_match_does_not_import_unneeded_libraries(starts):
    code = (
        "import sys\n"
        "from warlight_env.cli import main\n"
        "assert main(['match', 'random', 'aggressive', '-n', '1', '-q']) == 0\n"
        "heavy = ('gymnasium', 'pettingzoo', 'shapely', 'jsonschema', 'PIL', 'torch')\n"
        "loaded = [name for name in heavy if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = starts.run(code)
    assert done.returncode == 0, done.stderr


def test_help_and_version_load_no_kernels():
    code = (
        "import sys\n"
        "from warlight_env.cli import main\n"
        "assert main(['--version']) == 0 and main(['--help']) == 0 and main(['match', '--help']) == 0\n"
        "loaded = [name for name in ('numba', 'numpy') if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "warlight-env 0." in done.stdout and "--paired" in done.stdout


@pytest.mark.parametrize("arguments", [["--games", "1.5"], ["--games", "1e2"], ["--seed", "1.7"], ["--rounds", "2.5"]])
def test_fractions_for_integer_options_are_an_error(arguments, capsys):
    assert main(["match", "random", "random", "--map", "small", "-q", *arguments]) == 2
    assert "int" in capsys.readouterr().err


def test_a_rule_given_twice_is_an_error(capsys):
    assert main(["match", "random", "random", "--rules", "thesis:fog=true,fog=false"]) == 2
    assert "given twice" in capsys.readouterr().err
