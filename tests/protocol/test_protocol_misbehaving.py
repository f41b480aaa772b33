"""Faulty bots: each game ends, no process of a bot remains, and the game log names the cause."""

from __future__ import annotations

import errno
import itertools
import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from arena_agents import Idle
from forked_python import ForkedProgram
from protocol_helpers import Marked, misbehaving
from warlight_env.agents import AgentError, make_agent
from warlight_env.arena import PlayOptions, continue_game
from warlight_env.arena.games.game_loop import AgentCrashError, play_game
from warlight_env.arena.games.seated_agent import QUOTED_FAULTS
from warlight_env.cli import main
from warlight_env.engine.orders import Orders
from warlight_env.errors import RunError
from warlight_env.protocol.bot_faults import BotFault, BotFaults
from warlight_env.protocol.process import BotProcess
from warlight_env.record import GameLog, LogWriter, verify

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts processes in /proc")

ROUNDS = 4
#: Kind of misbehaviour → the recorded cause, and the maximum number of lost answers.
WAYS = {
    "honest": (None, 0),
    "silent": ("no answer within", 2),
    "late 1": ("no answer within", 2),
    "late 300000": ("no answer within", 2),
    "die start": ("exit status 1; standard error ends: 'no start today", 1),
    "die pick": ("exit status 3; standard error ends: 'what a bad end", 1),
    "die place_armies": ("exit status 3; standard error ends: 'what a bad end", 1),
    "die attack/transfer": ("exit status 3; standard error ends: 'what a bad end", 1),
    "crash": ("killed by SIGSEGV", 1),
    "flood_output": ("bytes that came without a question were dropped: 'xxx", 99),
    "flood_error": ("bytes; the last 65536 bytes were kept", 0),
    "endless_line": ("a line of more than 1048576 bytes", 2),
    "not_utf8": (r"not an order: '\xff\xfe player1 \x80\x81'; expected player1 place_armies ID ARMIES", 99),
    "foreign": (None, 0),
    "many": ("9949 orders after the first 51 are ignored", 0),
    "greedy": ("a placement of more armies than are left of the income of 5 was reduced: 'player1 place_armies", 0),
    "children": (None, 0),
    "daemons": (None, 0),
    "stubborn": (None, 0),
    "deaf": ("no answer within", 2),
    "close_input": ("the bot closed its input", 2),
    "close_output": ("the bot closed its output", 1),
    "babble": ("bytes that came without a question were dropped: 'player1", 99),
}


@pytest.mark.parametrize(
    "way, rules",
    [(way, "challenge1") for way in WAYS] + [(way, "challenge2") for way in ("late 1", "die pick", "foreign")],
)
def test_the_game_continues_and_the_record_names_the_cause(way, rules, monkeypatch, tmp_path):
    marked = Marked(monkeypatch)
    argument = f" {tmp_path / 'child'}" if way in ("children", "daemons") else ""
    bot = make_agent(misbehaving(way + argument), 1)
    record = play_game([bot, make_agent("random", 2)], "world", rules, 5, picks="agents", max_rounds=ROUNDS)
    assert record.rounds == ROUNDS
    assert marked.left() == [], "a process is left"
    if argument:
        assert (tmp_path / "child").read_text().isdecimal(), "there was a child"
    cause, lost = WAYS[way]
    faults = [str(fault) for fault in bot.faults]
    assert any(cause in text for text in faults) if cause else faults == []
    assert sum(fault.lost for fault in bot.faults) <= lost
    assert [(f.agent, f.total) for f in record.faults] == ([(0, len(faults))] if faults else [])
    if way == "foreign":
        assert record.dropped[0] == 5 * ROUNDS
    elif way == "greedy":
        assert record.dropped[0] == ROUNDS, "the first placement counts, and no armies are left for the second"
    elif way == "many":
        assert record.dropped[0] == (51 - 5) * ROUNDS, "five of the 51 that count are within the income"


def test_a_match_reports_forfeits_and_faults_of_bots(capsys):
    bot = misbehaving("die attack/transfer", "policy=forfeit,bank=30")
    command = ["match", "random", bot, "-n", "2", "--map", "small", "--rules", "challenge1", "-q"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert f"{bot} lost 2 games by giving up; first in round 1 of game 1" in out
    assert main([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [agent["forfeits"] for agent in data["agents"]] == [0, 2]
    assert [faults["agent"] for faults in data["faults"]] == [data["failures"][0]["agent"]] == [bot]


def test_a_fault_on_close_is_in_the_log(tmp_path):
    class FaultOnClose(Idle):
        """Record a fault in `close`."""

        def __init__(self, seed):
            self.faults = BotFaults()

        def close(self):
            self.faults.note(BotFault(2, "standard error", "too much of it"))

    class Crashing(Idle):
        def act(self, view, budget=None):
            raise ZeroDivisionError

    paths = [tmp_path / name for name in ("whole.wl.jsonl", "broken.wl.jsonl")]
    with LogWriter(paths[0]) as writer:
        play_game([Idle(1), FaultOnClose(2)], "small", max_rounds=2, observer=writer)
    with LogWriter(paths[1]) as writer, pytest.raises(AgentCrashError):
        play_game([FaultOnClose(2), Crashing(1)], "small", max_rounds=2, observer=writer)
    for path, seat, rounds, status in zip(
        (paths[0], writer.partial), (1, 0), (2, 0), ("complete", "failed"), strict=True
    ):
        log = GameLog.load(path)
        ((player, data),) = [(insight.player, insight.data) for insight in log.insights]
        assert (player, len(log.rounds), log.status) == (seat, rounds, status)
        assert [fault["cause"] for fault in data["faults"]] == ["too much of it"]
        log.save(tmp_path / "again.wl.jsonl")
        assert (tmp_path / "again.wl.jsonl").read_bytes() == path.read_bytes()
    complete = GameLog.load(paths[0])
    assert continue_game(complete, 1, [Idle, FaultOnClose]).insights == complete.insights
    assert verify(complete) == []


def test_a_flood_on_standard_error_is_in_the_log(tmp_path):
    path = tmp_path / "game.wl.jsonl"
    with LogWriter(path) as writer:
        agents = [make_agent("random", 2), make_agent(misbehaving("flood_error"), 1)]
        play_game(agents, "world", "challenge1", 3, picks="agents", max_rounds=2, observer=writer)
    log = GameLog.load(path)
    insights = [insight for step in (*log.steps, log) for insight in step.insights]
    [fault] = [fault for insight in insights for fault in insight.data["faults"]]
    assert {insight.player for insight in insights} == {1}
    assert (fault["question"], fault["lost"]) == ("standard error", False)
    assert fault["cause"] == "the bot wrote more than 1048576 bytes; the last 65536 bytes were kept" and fault["errors"]


@pytest.mark.parametrize("way, total", [("honest", 0), ("die place_armies", 2), ("flood_error", 1)])
def test_a_bot_inside_a_belief_agent_is_closed_and_its_faults_are_recorded(way, total, monkeypatch):
    marked = Marked(monkeypatch)
    agent = make_agent("belief:" + misbehaving(way), 1)
    record = play_game([make_agent("random", 2), agent], "world", "challenge1", 5, picks="agents", max_rounds=3)
    assert marked.left() == [], "the game is over, and the agent is still there"
    assert [(f.agent, f.total) for f in record.faults] == ([(1, total)] if total else [])


def test_a_bot_inside_a_belief_agent_may_forfeit():
    agent = make_agent("belief:" + misbehaving("die place_armies", "policy=forfeit,bank=30"), 1)
    record = play_game([make_agent("random", 2), agent], "world", "challenge1", 5, picks="agents")
    assert [(f.agent, f.kind) for f in record.failures] == [(1, "forfeit")] and record.winner == 0


def test_faults_beyond_the_stored_number_are_counted():
    class ManyFaults(Idle):
        def __init__(self):
            self.faults = BotFaults()

        def act(self, view, budget=None):
            for n in range(150):
                self.faults.note(BotFault(view.round + 1, "go", "chatter", lost=n % 3 == 0))
            return Orders()

    record = play_game([ManyFaults(), Idle(2)], "small", max_rounds=4)
    ((agent, total, lost, first, kinds, _),) = record.faults
    assert (agent, total, lost, len(first), kinds) == (0, 600, 200, QUOTED_FAULTS, (("other", 600),))


def test_a_bot_gets_no_questions_after_two_missing_answers():
    bot = make_agent(misbehaving("silent"), 1)
    play_game([bot, make_agent("random", 2)], "world", "challenge1", 5, picks="agents", max_rounds=ROUNDS)
    assert [(f.round, f.lost) for f in bot.faults] == [(0, True), (1, True), (1, False)]
    assert "receives no more questions" in bot.faults[-1].cause


def test_a_clock_of_simulations_is_refused_for_a_bot_in_a_process(tmp_path, capsys):
    bot = misbehaving("honest")
    for agents in ([bot, "mcts:9"], ["mcts:9", f"belief:{bot}"]):
        command = [
            "match",
            *agents,
            "-n",
            "2",
            "--map",
            "small",
            "--rounds",
            "2",
            "-q",
            "--out",
            str(tmp_path / "run"),
        ]
        assert main([*command, "--clock", "5sims"]) == 2
        assert (
            "a clock that limits only simulations (5sims) has no effect on a bot in a process"
            in capsys.readouterr().err
        )
        assert not (tmp_path / "run").exists()
    clocks = ["--clock", "5sims", "--clock", "5sims/20s"]
    assert main(["match", "mcts:9", bot, "-n", "2", "--map", "small", "--rounds", "2", "-q", *clocks]) == 0


def test_the_clock_of_a_match_replaces_the_clock_of_the_bot():
    from warlight_env.arena.games.clocks import Clock

    lines: list[str] = []
    bot = make_agent(misbehaving("honest"), 1)
    bot.on_line = lambda direction, line: lines.append(line)
    clocks = [Clock(bank=7.0, increment=0.25), None]
    play_game(
        [bot, make_agent("random", 2)], "world", "challenge2", 5, max_rounds=2, options=PlayOptions(clocks=clocks)
    )
    asked = [int(line.split()[2]) for line in lines if line.startswith("go")]
    assert len(asked) == 4 and asked[0] == 7000 and asked[1] <= 7000 and 6000 < asked[2] <= 7000


def test_a_late_answer_is_not_used_for_the_next_question():
    bot = make_agent(misbehaving("late 1"), 1)
    play_game([bot, make_agent("random", 2)], "world", "challenge1", 5, picks="agents", max_rounds=ROUNDS)
    assert (
        "a late answer to the previous question" in bot.faults[1].cause
        or "came without a question" in bot.faults[1].cause
    )


@pytest.mark.parametrize("seat", [0, 1])
def test_the_forfeit_policy_loses_the_game_at_the_first_missing_answer(seat, monkeypatch):
    marked = Marked(monkeypatch)
    agents = [make_agent("random", 2), make_agent("random", 3)]
    agents[seat] = make_agent(misbehaving("die attack/transfer", "policy=forfeit,bank=30"), 1)
    record = play_game(agents, "world", "challenge1", 5, picks="agents")
    assert record.winner == 1 - seat and record.placements[seat] == 2 and record.rounds == 1
    [failure] = record.failures
    assert (failure.agent, failure.round, failure.kind) == (seat, 1, "forfeit")
    assert "go attack/transfer 30000: the bot ended with exit status 3" in failure.reason
    assert marked.left() == []


KILLED = """
import os, signal, sys
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import play_game
class Killer:
    name = "killer"
    def pick(self, view): return list(view.offers)
    def act(self, view, budget=None): os.kill(os.getpid(), signal.SIGKILL)
play_game([make_agent(sys.argv[1], 1), Killer()], "world", "challenge1", 5, picks="agents")
"""


@pytest.mark.parametrize("way", ["daemons", "children", "stubborn"])
def test_no_process_of_a_bot_outlives_a_killed_host(way, monkeypatch, tmp_path):
    marked = Marked(monkeypatch)
    assert ForkedProgram(KILLED, misbehaving(f"{way} {tmp_path / 'child'}")).wait() == -signal.SIGKILL
    assert marked.left_soon() == []


MEMORY = """
import resource, sys
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import play_game
def peak(spec):
    play_game([make_agent(spec, 1), make_agent("random", 2)], "world", "challenge1", 5, picks="agents", max_rounds=8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
normal = peak(sys.argv[1])
print(*[(peak(spec) - normal) / 1024 for spec in sys.argv[2:]])
"""


def test_floods_of_output_need_little_memory():
    ways = ["flood_output", "flood_error", "endless_line", "many", "deaf", "babble"]
    command = [sys.executable, "-c", MEMORY, misbehaving("honest"), *map(misbehaving, ways)]
    more = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert len(more) == len(ways) and all(float(mib) <= 64 for mib in more)


def test_a_deleted_agent_ends_its_process(monkeypatch, tmp_path):
    from warlight_env.game import Game

    marked = Marked(monkeypatch)
    bot = make_agent(misbehaving(f"daemons {tmp_path / 'child'}"), 1)
    assert bot.pick(Game("world", "challenge1", seed=1).view(0))
    assert len(marked.left_soon(3)) == 3, "guard, bot and its child"
    del bot
    assert marked.left() == []


@pytest.mark.parametrize(
    "spec, reason",
    [
        ("cmd:", "the command is empty"),
        ("cmd:no-such-program-here 1", "the program 'no-such-program-here' does not exist"),
        ("cmd:/dev/null", "the program '/dev/null' does not exist or"),
        ("cmd:'unbalanced", "No closing quotation"),
        ("cmd[policy=skip:true", "expected cmd[OPTION=VALUE,…]:COMMAND"),
        ("cmd[policy=never]:true", "policy = 'never': must be one of skip, forfeit"),
        ("cmd[polcy=skip]:true", "no option 'polcy' (did you mean 'policy'?)"),
        ("cmd[bank=-1]:true", "bank = '-1': must be a number of seconds in 0 .. 86400"),
        ("cmd[folder=/no/such]:true", "the working folder '/no/such'"),
    ],
)
def test_an_invalid_specification_is_refused_with_the_reason(spec, reason):
    with pytest.raises(AgentError) as caught:
        make_agent(spec, 1)
    assert reason in str(caught.value)


def test_games_of_three_players_are_refused():
    agents = [make_agent(misbehaving("honest"), 1), make_agent("random", 2), make_agent("random", 3)]
    with pytest.raises(AgentCrashError, match="games of two"):
        play_game(agents, "world", "thesis", 5)


def test_standard_error_is_written_to_a_file_for_each_game(tmp_path):
    for _ in range(2):
        bot = make_agent(misbehaving("die place_armies", f"policy=skip,errors={tmp_path / 'errors'}"), 1)
        play_game([bot, make_agent("random", 2)], "world", "challenge2", 5, picks="agents", max_rounds=1)
    assert [file.read_text() for file in (tmp_path / "errors").iterdir()] == ["what a bad end\n"] * 2


def test_a_bot_plays_on_if_the_folder_for_its_errors_cannot_be_created(tmp_path):
    (tmp_path / "file").touch()
    bot = make_agent(misbehaving("honest", f"errors={tmp_path / 'file' / 'errors'}"), 1)
    record = play_game([bot, make_agent("random", 2)], "world", "challenge2", 5, picks="agents", max_rounds=1)
    assert record.failures == () and record.dropped == (0, 0)
    (fault,) = bot.faults
    assert (fault.question, fault.lost) == ("standard error", False)
    assert "could not be written: " in fault.cause and "Not a directory" in fault.cause


@pytest.mark.parametrize("name, last", [("pipe", 6), ("socketpair", 2)])
def test_a_process_start_without_free_descriptors_raises_an_error_and_leaks_none(name, last, monkeypatch):
    """Each pipe fails in turn: the pipes of the bot, of the reader of its standard error, and of `subprocess`."""
    module = os if name == "pipe" else socket
    made = getattr(module, name)
    for fails in range(1, last):
        before, count = os.listdir("/proc/self/fd"), itertools.count(1)

        def scarce(*args, count=count, fails=fails):
            if next(count) == fails:
                raise OSError(errno.EMFILE, "Too many open files")
            return made(*args)

        with monkeypatch.context() as patch:
            patch.setattr(module, name, scarce)
            with pytest.raises(RunError, match=r"cannot start a process for .*: Too many open files"):
                BotProcess(["sleep", "60"])
        assert os.listdir("/proc/self/fd") == before, fails


@pytest.mark.parametrize("rules", ["thesis", "challenge1", "challenge2"])
def test_a_bot_plays_games_with_dealt_regions_and_without_fog(rules):
    bot = make_agent(misbehaving("honest"), 1)
    record = play_game(
        [make_agent("random", 2), bot], "small" if rules == "thesis" else "world", rules, 5, max_rounds=3
    )
    assert record.rounds <= 3 and bot.faults == [] and record.dropped == (0, 0)


@pytest.mark.parametrize(
    ("program", "text", "cause"),
    [
        ("read x; echo answer; exec 1>&-; sleep 60", "answer", None),
        ("read x; exec 1>&-; sleep 60", None, "the bot closed its output"),
        ("read x; exec 1>&-; sleep 0.3; exit 7", None, "the bot ended with exit status 7"),
    ],
)
def test_the_wait_for_an_exit_status_does_not_count_as_answer_time(program, text, cause):
    bot = BotProcess(["sh", "-c", program])
    try:
        reply = bot.ask("question", 1.5)
        assert (reply.text, reply.cause, reply.late) == (text, cause, False)
        assert reply.lost == (text is None)
    finally:
        bot.close()
