"""Standard streams: standard output only contains machine-readable results, and closed streams cause no crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from defusedxml import ElementTree

from warlight_env.cli import main

#: A plug-in that prints with Python, C and a child process: at import, at construction and in the first turn.
PRINTS = """
import atexit, ctypes, os, subprocess, sys

def say(where):
    print("python", where)
    print("python original", where, file=sys.__stdout__)
    os.write(1, f"system {where}\\n".encode())
    ctypes.CDLL(None).puts(f"c {where}".encode())
    subprocess.run(["echo", "child", where], check=True)

say("import")

def make(seed=0):
    from warlight_env.agents import make_agent
    say("make")
    inner = make_agent("random", seed)
    class Loud(type(inner)):
        silent = False
        def act(self, *given, **named):
            if not self.silent:
                say("act")
            self.silent = True
            return super().act(*given, **named)
    inner.__class__ = Loud
    return inner

atexit.register(say, "exit")
"""


@pytest.fixture
def noisy(tmp_path) -> Path:
    """A folder for ``PYTHONPATH`` in which the agent `noisy` is installed."""
    (tmp_path / "noisy_agent.py").write_text(PRINTS)
    information = tmp_path / "noisy_agent-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy-agent\nVersion: 1\n")
    (information / "entry_points.txt").write_text("[warlight_env.agents]\nnoisy = noisy_agent:make\n")
    return tmp_path


def warlight(words: str, environment: dict[str, str] | None = None, **options: object) -> subprocess.CompletedProcess:
    program = [sys.executable, "-m", "warlight_env", *words.split()]
    return subprocess.run(program, capture_output=True, text=True, env=environment, timeout=300, **options)


def assert_output_is_in(errors: str) -> None:
    for kind in ("python", "python original", "system", "c", "child"):
        for where in ("import", "make", "act"):
            assert f"{kind} {where}" in errors


def test_the_output_of_an_agent_in_a_worker_goes_to_standard_error(noisy):
    environment = {**os.environ, "PYTHONPATH": str(noisy)}
    done = warlight("match noisy random -n 4 -q --map small --json --jobs 2", environment, cwd=noisy)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 4
    assert_output_is_in(done.stderr)


def test_the_output_of_an_agent_goes_to_standard_error_and_results_to_standard_output(noisy, starts):
    (noisy / "cup.toml").write_text('agents = ["noisy", "random"]\ngames = 2\nmaps = ["small"]\n')
    code = (
        "import os, sys\n"
        "from warlight_env.cli import main\n"
        "for words in sys.argv[1:]:\n"
        "    assert main(words.split()) == 0\n"
        "    os.write(1, b'\\0')\n"
    )
    commands = ("agent list --json", "agent show noisy --json", "tournament cup.toml -q --out cup --json",
                "bench noisy -q --map small --games 2 --out b --json",
                "picture noisy random --map small --rounds 1")  # fmt: skip
    done = starts.run(code, *commands, folder=noisy, PYTHONPATH=noisy)
    assert done.returncode == 0, done.stderr
    *results, picture, after = done.stdout.split("\0")
    assert len([json.loads(result) for result in results]) == 4
    ElementTree.fromstring(picture)
    assert_output_is_in(done.stderr)
    assert "python act" not in after


def test_main_restores_the_streams(capfd):
    assert main(["map", "list", "--json"]) == 0
    os.write(1, b"after\n")
    written = capfd.readouterr().out
    assert json.loads(written.removesuffix("after\n")) and written.endswith("after\n")


COMMANDS = ("agent list", "agent list --json", "map list", "doctor --json", "env info", "--help", "match --help",
            "match random random -n 1 -q --map small --json", "picture --map small --rounds 0")  # fmt: skip


#: By default: closed standard output for one command per way to print, and all streams for the command that starts
#: fastest, because all commands open their streams in one place. Other cases run with `-m slow`.
PRINTING = ("agent list", "map list", "--help", "match random random -n 1 -q --map small --json")
CLOSED = [
    pytest.param(
        words,
        closed,
        marks=[] if words == "--help" or (closed == (1,) and words in PRINTING) else [pytest.mark.slow],
    )
    for words in COMMANDS
    for closed in [(0,), (1,), (2,), (0, 1, 2)]
]


@pytest.mark.parametrize(("words", "closed"), CLOSED)
def test_closed_streams_give_no_traceback(words, closed):
    redirections = {0: "<&-", 1: ">&-", 2: "2>&-"}
    script = f'"$0" -m warlight_env {words} {" ".join(redirections[number] for number in closed)}'
    done = subprocess.run(["bash", "-c", script, sys.executable], capture_output=True, text=True, timeout=300)
    assert done.returncode == (1 if 1 in closed else 0), done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    if closed == (1,):
        assert done.stderr.splitlines()[-1].startswith("error: ") and "Bad file descriptor" in done.stderr


#: Opens its streams and starts a child process, which returns a bit for each open stream as its exit code.
CHILD = """
import os, subprocess, sys
from warlight_env.cli.streams import open_streams

def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True

if sys.argv[1] == "child":
    os._exit(sum(is_open(number) << number for number in range(3)))
open_streams()
sys.exit(subprocess.run([sys.executable, sys.argv[0], "child"]).returncode)
"""


@pytest.mark.parametrize("redirections", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_child_processes_have_open_streams(redirections, tmp_path):
    (tmp_path / "program.py").write_text(CHILD)
    command = ["bash", "-c", f'"$0" "$1" parent {redirections}', sys.executable, str(tmp_path / "program.py")]
    assert subprocess.run(command, check=False, timeout=300).returncode == 7


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_device_is_an_error():
    done = subprocess.run(
        ["bash", "-c", '"$0" -m warlight_env map list --json > /dev/full', sys.executable],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize("words", ["agent list", "agent list --json", "match --help"])
def test_a_closed_pipe_gives_no_traceback(words):
    process = subprocess.Popen(
        [sys.executable, "-m", "warlight_env", *words.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(300) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("columns", ["1", "2", "5"])
def test_help_works_on_a_narrow_terminal(columns):
    done = warlight("match --help", {**os.environ, "COLUMNS": columns})
    assert done.returncode == 0 and "--games" in done.stdout


def test_env_info_describes_an_encoding_without_a_mask(capsys):
    assert main(["env", "info", "--action", "continuous", "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["mask_size"] is None and info["observation_size"] > 0
    assert main(["env", "info", "--action", "continuous"]) == 0
    assert "no action mask" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        "match random random -n 2 -q --map small", "tournament cup.toml -q", "bench random -q --map small --games 2",
        "experiment run state-size --quick -q", "train td --quick -q", "train evolve --quick -q",
        "train value --quick -q", "train exit --quick -q", "train ppo --quick -q",
    ],
)  # fmt: skip
def test_too_many_jobs_are_an_error(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text('agents = ["random", "aggressive"]\ngames = 2\nmaps = ["small"]\n')
    assert main([*words.split(), "--jobs", "2147483648"]) == 2
    assert "jobs = 2147483648: must be at most 4096" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup.toml"]
