"""Tools for authors of bots: minimal bots that pass the check, failing checks and replays; answer times of our bots."""

from __future__ import annotations

import gc
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from kernel_helpers import TESTS

from log_helpers import play_logged
from protocol_helpers import Marked, misbehaving, our_bot
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import play_game
from warlight_env.cli import main
from warlight_env.protocol import messages as m
from warlight_env.protocol.conformance import check
from warlight_env.protocol.fallback_policy import FallbackPolicy
from warlight_env.protocol.grammar import parse_message
from warlight_env.protocol.precompile import Step, precompile
from warlight_env.protocol.process import CommandError, check_command
from warlight_env.protocol.runner import TimeControl
from warlight_env.protocol.scaffold import LANGUAGES
from warlight_env.record import GameLog, LogWriter

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "external-bot.md"
NEEDED = {"python": "python3", "java": "javac", "cpp": "g++"}


def command(spec: str) -> list[str]:
    return shlex.split(spec.partition(":")[2])


@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=() if name == "python" else pytest.mark.slow) for name in LANGUAGES]
)
def test_the_minimal_bot_passes_the_check_in_each_language(language, tmp_path, capsys):
    if shutil.which(NEEDED[language]) is None:
        pytest.skip(f"no {NEEDED[language]} here")
    assert main(["bot", "new", language, str(tmp_path)]) == 0
    assert "wrote" in capsys.readouterr().out
    chosen = LANGUAGES[language]
    if chosen.build:
        subprocess.run(shlex.split(chosen.build), cwd=tmp_path, check=True)
    run = chosen.run.replace("bot.py", str(tmp_path / "bot.py")).replace("-cp .", f"-cp {tmp_path}")
    assert main(["bot", "check", run.replace("./bot", str(tmp_path / "bot"))]) == 0
    assert "17 of 17 cases passed" in capsys.readouterr().out


def test_the_class_template_passes_its_test_and_beats_a_random_bot(tmp_path, capsys, starts):
    assert main(["bot", "new", "class", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    assert "my_bot.py" in output and "test_my_bot.py" in output and "warlight match my_bot.py:MyBot" in output

    def run_tests():
        program = "import unittest; unittest.main(module=None)"  # the program of `python -m unittest`
        return starts.run(program, folder=tmp_path, PYTHONPATH=tmp_path, PYTHONDONTWRITEBYTECODE="1")

    done = run_tests()
    assert done.returncode == 0 and "Ran 2 tests" in done.stderr
    source = (tmp_path / "my_bot.py").read_text().replace("Orders([(first, view.income)], attacks)", "Orders()")
    (tmp_path / "my_bot.py").write_text(source)
    assert run_tests().returncode == 1
    assert main(["bot", "new", "class", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err and (tmp_path / "my_bot.py").read_text() == source


def test_the_page_contains_the_commands_of_each_language():
    for name, language in LANGUAGES.items():
        row = rf"^\| `{name}`.* \| (`{re.escape(language.build)}`|–) \| `{re.escape(language.run)}` \|$"
        assert re.search(row, PAGE.read_text(encoding="utf-8"), re.MULTILINE), name


@pytest.mark.slow
def test_the_rust_bot_of_the_page_passes_the_check(tmp_path, capsys):
    if shutil.which("rustc") is None:
        pytest.skip("no rustc here")
    shutil.copy(PAGE.with_name("bot.rs"), tmp_path)
    build, run = re.search(r"^\| Rust \| `(.*)` \| `(.*)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE).groups()
    subprocess.run(shlex.split(build), cwd=tmp_path, check=True)
    assert main(["bot", "check", run.replace("./bot", str(tmp_path / "bot"))]) == 0
    assert "17 of 17 cases passed" in capsys.readouterr().out


def test_a_relative_program_path_is_resolved_in_the_working_folder(tmp_path, monkeypatch):
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=r"the program '\./bot' does not exist"):
        check_command(["./bot"])
    program.chmod(0o755)
    check_command(["./bot"])
    check_command(["./bot"], tmp_path)
    monkeypatch.chdir("/")
    with pytest.raises(CommandError, match=r"the program '\./bot' does not exist"):
        check_command(["./bot"])


def test_new_does_not_overwrite_existing_files(tmp_path, capsys):
    (tmp_path / "bot.py").write_text("mine")
    assert main(["bot", "new", "python", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err and (tmp_path / "bot.py").read_text() == "mine"
    assert main(["bot", "new", "cobol", str(tmp_path)]) == 2


@pytest.mark.slow
def test_the_bots_of_the_project_pass_the_check():
    assert [str(o) for o in check(command(our_bot("mcts:sims=10"))) if o.failure is not None] == []


@pytest.mark.parametrize(
    "way, explanation",
    [
        ("die place_armies", "the bot ended with exit status 3"),
        ("not_utf8", "not an order"),
        ("foreign", "is illegal: no such region"),
        ("babble", "are not ids"),
        ("die start", "exit status 1"),
    ],
)
def test_the_check_explains_failures_of_bots(way, explanation):
    first = next(iter(check(command(misbehaving(way)), [1])))
    assert first.failure is not None and explanation in first.failure


def test_a_failed_check_has_exit_code_1(capsys):
    run = shlex.join(command(misbehaving("die place_armies")))
    assert main(["bot", "check", run, "--challenge", "2", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["failed"] == len(report["cases"]) == 10
    assert main(["bot", "check", "no-such-program"]) == 2


@pytest.fixture
def logged(tmp_path) -> Path:
    path = tmp_path / "game.wl.jsonl"
    with LogWriter(path) as writer:
        agents = [make_agent("aggressive", 1), make_agent("aggressive", 2)]
        play_game(agents, "world", "challenge2", 3, picks="agents", max_rounds=6, observer=writer)
    return path


def test_replay_prints_the_answer_of_a_logged_round(logged, capsys):
    run = shlex.join(command(our_bot("belief:aggressive").replace("belief:", "")))
    assert main(["bot", "replay", run, "--log", str(logged), "--round", "4", "--seat", "2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [line.split()[:2] for line in report["said"]] == [
        ["player2", "place_armies"],
        ["player2", "attack/transfer"],
    ]
    assert report["illegal"] == [] and report["faults"] == []
    log = GameLog.load(logged)
    orders = log.rounds[3].orders[1]
    assert report["logged"]["deploys"] == [list(row) for row in orders.deploys]
    assert sum(n for _, n in report["orders"]["deploys"]) == sum(n for _, n in orders.deploys), "the same income"


def test_replay_traces_the_messages_to_the_player(logged, capsys):
    run = shlex.join(command(misbehaving("honest")))
    assert main(["bot", "replay", run, "--log", str(logged), "--round", "2", "--trace"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "> settings timebank 10000" and lines[-1] == "< No moves"
    messages = [parse_message(line[2:]) for line in lines if line.startswith("> ")]
    [starts] = [message for message in messages if isinstance(message, m.OpponentStartingRegions)]
    picked = [step.preferences[1][0] + 1 for step in GameLog.load(logged).steps[:6] if step.preferences[1] is not None]
    assert sorted(starts.regions) == sorted(picked), "what the opponent in the log got"
    maps = [message for message in messages if isinstance(message, m.UpdateMap)]
    assert len(maps) == 2 and maps[0] != maps[1]


def test_replay_refuses_unknown_rounds_and_seats(logged, capsys):
    run = shlex.join(command(misbehaving("honest")))
    assert main(["bot", "replay", run, "--log", str(logged), "--round", "99"]) == 2
    assert "the log has rounds 1 to 6" in capsys.readouterr().err
    assert main(["bot", "replay", run, "--log", str(logged), "--round", "2", "--seat", "3"]) == 2


def test_replay_refuses_round_0_of_a_log_without_picks(tmp_path, capsys):
    run, file = shlex.join(command(misbehaving("honest"))), tmp_path / "dealt.wl.jsonl"
    play_logged(file, map="small", max_rounds=2)
    assert main(["bot", "replay", run, "--log", str(file), "--round", "0"]) == 2
    assert "round 0: the log has no picks of seat 1" in capsys.readouterr().err


def test_replay_with_trace_and_json_prints_json(logged, capsys):
    run = shlex.join(command(misbehaving("honest")))
    assert main(["bot", "replay", run, "--log", str(logged), "--round", "1", "--trace", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["round"] == 1
    assert err.startswith("> settings timebank 10000\n")


def test_a_log_contains_the_faults_of_a_bot(tmp_path):
    path = tmp_path / "game.wl.jsonl"
    with LogWriter(path) as writer:
        agents = [make_agent(misbehaving("not_utf8"), 1), make_agent("random", 2)]
        play_game(agents, "world", "challenge1", 3, picks="agents", max_rounds=2, observer=writer)
    faults = [fault for round in GameLog.load(path).rounds for i in round.insights for fault in i.data["faults"]]
    assert [(f["round"], f["said"], f["lost"]) for f in faults] == [
        (1, r"'\xff\xfe player1 \x80\x81'", True),
        (2, r"'\xff\xfe player1 \x80\x81'", True),
    ]
    assert all(f["expected"] == "player1 place_armies ID ARMIES" for f in faults)


@pytest.mark.usefixtures("forked_workers")
def test_external_bots_play_matches_in_worker_processes(capsys):
    spec = misbehaving("honest")
    arguments = [spec, "random", "-n", "4", "--rules", "challenge2", "--rounds", "3", "--jobs", "2", "-q", "--json"]
    assert main(["match", *arguments]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == 4 and result["faults"] == []


def test_an_external_bot_can_be_the_opponent_of_an_environment(monkeypatch):
    from warlight_env.envs import WarlightEnv

    marked = Marked(monkeypatch)
    env = WarlightEnv(opponent=misbehaving("honest"), map="world", rules="challenge2", max_cycles=150)
    _, info = env.reset(seed=1)
    assert info["illegal"] == 0
    done = False
    while not done:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample(mask=env.action_masks()))
        done = terminated or truncated
    assert any("misbehaving" in line for line in marked.left()), "the bot played"
    del env
    gc.collect()
    assert marked.left() == []


# Our bots as clients of the protocol

OPENING = """settings your_bot player2
settings opponent_bot player1
setup_map super_regions 1 5 2 2
setup_map regions 1 1 2 1 3 2 4 2
setup_map neighbors 1 2 2 3 3 4
"""


def run_bot(agent: str, lines: str | None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a bot with these lines as its standard input; None: with the stream in `options`."""
    arguments = [sys.executable, "-m", "warlight_env", "bot", "run", agent]
    return subprocess.run(arguments, input=lines, capture_output=True, text=True, check=False, timeout=120, **options)


def test_a_bot_plays_on_standard_input_and_output():
    """The bot ignores unknown lines, also lines that look like messages between the runner and the agent's process."""
    lines = OPENING + (
        "said hello\nthink about it\npick_starting_regions 60000 1 2 3 4\n\nsomething new\n"
        "settings starting_armies 5\nupdate_map 1 player2 2 2 neutral 2\nopponent_moves\nsaid nothing\n"
        "go place_armies 60000\ngo attack/transfer 60000\n"
    )
    done = run_bot("aggressive", lines)
    picks, places, moves = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(picks.split()) == ["1", "2", "3", "4"]
    assert places == "player2 place_armies 1 5"
    assert moves.startswith("player2 attack/transfer 1 2 ")


#: The region at the border attacks with the armies just placed there; the inland region moves its armies to it.
FALLBACK_MOVES = "player2 attack/transfer 3 4 8, player2 attack/transfer 2 3 8"


def test_a_bot_without_time_uses_the_fallback_policy():
    lines = OPENING + (
        "pick_starting_regions 1 4 1\nsettings starting_armies 7\nupdate_map 3 player2 2 4 player1 2 2 player2 9\n"
        "go place_armies 1\ngo attack/transfer 1\n"
    )
    done = run_bot("mcts", lines)
    assert done.stdout.splitlines() == ["4 1", "player2 place_armies 3 7", FALLBACK_MOVES]
    assert "answered by the fallback policy" in done.stderr
    assert done.stderr.count("`warlight bot precompile mcts` compiles it in advance") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory")
def test_too_long_lines_are_skipped_with_little_memory():
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 29, 1 << 29))

    turn = b"pick_starting_regions 60000 1 2 3 4\nsettings starting_armies 5\nupdate_map 1 player2 4\n"
    with tempfile.TemporaryFile() as file:
        file.write(OPENING.encode() + b"setup_map neighbors 1 " + b"2," * (4 << 20) + b"2\n")
        file.write(b"x" * (150 << 20))
        file.write(b"\n" + turn + b"go place_armies 60000\n" + b"opponent_moves " * (1 << 20))
        file.seek(0)
        # `subprocess` itself writes in small parts to a pipe, which takes two seconds of CPU time.
        with subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as writer:
            done = run_bot("aggressive", None, stdin=writer.stdout, preexec_fn=limit)
    assert done.stderr == "cannot read a line: it has more than 1048576 bytes\n" * 3
    picks, places = done.stdout.splitlines()
    assert (sorted(picks.split()), places) == (["1", "2", "3", "4"], "player2 place_armies 1 5")
    assert done.returncode == 0


def test_a_bot_reports_the_reason_for_a_fallback_answer():
    done = run_bot("aggressive", OPENING + "go place_armies 60000\n")
    assert done.returncode == 1
    assert done.stderr == (
        "error: the engine sent no update_map before a question\nthe agent failed: Go answered by the fallback policy\n"
    )
    assert done.stdout == "No moves\n"


@pytest.mark.skipif(sys.platform != "linux", reason="counts processes in /proc")
def test_no_search_process_remains_after_a_kill(monkeypatch):
    marked = Marked(monkeypatch)
    command = [sys.executable, "-m", "warlight_env", "bot", "run", "mcts"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        questions = "pick_starting_regions 60000 1 2 3 4\nsettings starting_armies 7\n"
        bot.stdin.write((OPENING + questions).encode())
        bot.stdin.flush()
        assert sorted(bot.stdout.readline().split()) == [b"1", b"2", b"3", b"4"]
        bot.stdin.write(b"update_map 3 player2 2 4 player1 2 2 player2 9\ngo place_armies 60000\n")
        bot.stdin.flush()
        bot.kill()
    assert marked.left_soon() == []


def test_an_unknown_agent_is_refused():
    done = run_bot("no_such_agent", "")
    assert done.returncode == 2 and "no agent 'no_such_agent'" in done.stderr


def test_fallback_answers_are_legal_without_any_information():
    fallback = FallbackPolicy()
    assert fallback.answer(m.Go("place_armies", 1)) == m.PlaceOrders(())
    assert fallback.answer(m.Go("attack/transfer", 1)) == m.MoveOrders(())
    assert fallback.answer(m.PickRegion(1, (9, 3))) == m.PicksAnswer((9,))


def test_the_fallback_policy_attacks_weak_regions_and_moves_armies_to_the_border():
    fallback = FallbackPolicy()
    near = ((1, (2,)), (2, (3,)), (3, (4, 5)))
    fallback.receive(m.Neighbors(near))
    fallback.receive(m.StartingArmies(5))
    rows = ((1, "player1", 4), (2, "player1", 1), (3, "player1", 2), (4, "player2", 3), (5, "neutral", 2))
    fallback.receive(m.UpdateMap(rows))
    moves = m.MoveOrders((m.MoveOrder("player1", 1, 2, 3),))
    assert fallback.answer(m.Go(m.ATTACK, 1)) == moves, "two against two stay, one stays behind"
    assert fallback.answer(m.Go(m.PLACE, 1)) == m.PlaceOrders((m.PlaceOrder("player1", 3, 5),))
    attack = m.MoveOrder("player1", 3, 5, 6)
    assert fallback.answer(m.Go(m.ATTACK, 1)) == m.MoveOrders((*moves.orders, attack)), "the weaker one"
    fallback.receive(m.StartingArmies(5))
    assert fallback.answer(m.Go(m.ATTACK, 1)) == moves, "what was placed in another round is in the armies"


def test_a_new_name_of_the_bot_cancels_its_placements():
    fallback = FallbackPolicy()
    fallback.receive(m.Neighbors(((1, (2,)),)))
    fallback.receive(m.UpdateMap(((1, "player1", 4), (2, "player2", 2))))
    assert fallback.answer(m.Go(m.PLACE, 1)) == m.PlaceOrders((m.PlaceOrder("player1", 1, 5),))
    fallback.receive(m.YourBot("player2"))
    assert fallback.answer(m.Go(m.ATTACK, 1)) == m.MoveOrders(()), "one of two armies does not attack four"


# Precompilation for our bots


#: Precompiles a bot, then runs it on standard input; prints the kernels that the run looked up on the disk.
PRECOMPILED = """
import io, sys
from kernel_helpers import watch_kernels
from warlight_env.protocol.precompile import precompile
from warlight_env.protocol.agent_worker import serve

asked = watch_kernels()
assert all(step.label.startswith("challenge 2, ") for step in precompile("random", challenges=(2,)))
before = len(asked)
assert before
answers = io.BytesIO()
serve("random", 0, None, sys.stdin.buffer, answers)
print(len(answers.getvalue().splitlines()), asked[before:])
"""


def test_a_precompiled_bot_looks_up_no_kernel(starts):
    lines = OPENING + (
        "think 1 1e9 1e9 0\npick_starting_region 60000 1 2 3 4\nsettings starting_armies 5\n"
        "update_map 1 player2 2 2 neutral 2\nopponent_moves\nthink 2 1e9 1e9 0\ngo place_armies 60000\n"
        "think 3 1e9 1e9 0\ngo attack/transfer 60000\n"
    )
    done = starts.run(PRECOMPILED, text=lines, PYTHONPATH=TESTS)
    assert done.stdout == "4 []\n", done.stderr or "it says that it is ready, and gives three answers"


def test_precompile_prints_its_steps_and_the_time_of_the_first_answer(monkeypatch, capsys):
    steps = [Step("challenge 2, picks", 1.5, 3), Step("challenge 2, round 1", 0.5, 0)]
    monkeypatch.setattr("warlight_env.protocol.precompile.precompile", lambda *_: steps)
    assert main(["bot", "precompile", "random"]) == 0
    *lines, first = capsys.readouterr().out.splitlines()
    assert lines == ["challenge 2, picks: 1.5 s, 3 functions compiled", "total: 2.0 s, 3 functions compiled"]
    assert "gives its first answer after" in first


@pytest.mark.slow
def test_a_precompiled_bot_compiles_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("WARLIGHT_CACHE_DIR", str(tmp_path))
    arguments = [sys.executable, "-m", "warlight_env", "bot", "precompile", "random", "--challenge", "2"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    *steps, all_, first = done.stdout.splitlines()
    assert steps[0].startswith("challenge 2, picks: ") and all(" functions compiled" in line for line in [*steps, all_])
    assert "gives its first answer after" in first

    def kernel_files() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")}

    before = kernel_files()
    lines = OPENING + (
        "pick_starting_region 60000 1 2 3 4\nsettings starting_armies 5\nupdate_map 1 player2 2 2 neutral 2\n"
        "opponent_moves\ngo place_armies 60000\ngo attack/transfer 60000\n"
    )
    assert len(run_bot("random", lines).stdout.splitlines()) == 3
    assert before and kernel_files() == before


def test_precompile_covers_all_phases_of_both_challenges():
    steps = list(precompile("aggressive"))
    for challenge in (1, 2):
        names = [step.label for step in steps if step.label.startswith(f"challenge {challenge}, ")]
        assert names[0].endswith("picks") and names[1].endswith("round 1") and len(names) > 6
    assert steps[-1].compiled == 0


def test_precompile_refuses_an_unknown_agent(capsys):
    assert main(["bot", "precompile", "no_such_agent"]) == 2
    assert "no agent 'no_such_agent'" in capsys.readouterr().err


# Time control of our bots


def test_time_without_a_bank_is_used_except_for_margins():
    time = TimeControl().limits(m.Go(m.PLACE, 2000))
    assert time.maximum == time.optimum == pytest.approx(1.8) and time.wait == pytest.approx(1.9)
    assert time.increment == time.maximum, "all of it comes back"


def time_control(**answered: m.Question) -> TimeControl:
    control = TimeControl()
    control.receive(m.TimePerMove(500))
    for question in answered.values():
        control.note_answer(question)
    return control


def test_half_of_a_bank_is_reserved_until_the_agent_has_answered():
    pick, go = m.PickRegion(10_000, (1,)), m.Go(m.PLACE, 10_000)
    control = time_control()
    assert control.limits(pick).wait == 5.0
    assert control.limits(m.PickRegion(5500, (1,))).wait == 0.5, "what the answer adds"
    control.note_answer(pick)
    assert control.limits(pick).wait == 9.75
    assert control.limits(go).wait == 5.0, "a turn needs more than a pick"


def test_an_agent_that_has_answered_may_use_the_bank():
    control = time_control(go=m.Go(m.PLACE, 1))
    for milliseconds in (10_000, 3000, 300):
        time = control.limits(m.Go(m.PLACE, milliseconds))
        assert 0 < time.optimum <= time.maximum < time.wait < milliseconds / 1000
    assert control.limits(m.Go(m.PLACE, 10_000)).optimum == pytest.approx(10 / 20 + 0.8)
