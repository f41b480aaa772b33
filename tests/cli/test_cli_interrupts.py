"""Ctrl-C ends long commands and all their processes. Timeouts only end tests that hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from interrupts import session_of

#: A program with four commands: one leaves a thread running for an hour, one catches interrupts in C code, one has a
#: slow exit function, and one has an endless exit function.
STUCK = """
import atexit, sys, threading, time
from warlight_env import cli
from warlight_env.cli import app

def run(tokens=None):
    if sys.argv[1] == "thread":
        threading.Thread(target=time.sleep, args=(3600,)).start()
        print("the last line")
        return 0
    if sys.argv[1] == "slow exit":
        atexit.register(print, "the exit function has ended")
        atexit.register(time.sleep, 6)
        return 0
    if sys.argv[1] == "endless exit":
        atexit.register(time.sleep, 3600)
        atexit.register(print, "begun", flush=True)
        return 0
    import ctypes
    print("begun", flush=True)
    while True:
        try:
            ctypes.CDLL(None).sleep(3600)
        except KeyboardInterrupt:
            pass

app.run = run
cli.main()
"""


def start(kind: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", STUCK, kind],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def remaining(leader: int) -> list[str]:
    """Return the processes of a session that do not end by themselves within ten seconds."""
    last = time.monotonic() + 10
    while (left := list(session_of(leader))) and time.monotonic() < last:
        time.sleep(0.05)
    return left


def test_a_running_thread_does_not_keep_the_process_alive():
    out, errors = start("thread").communicate(timeout=300)
    assert (out, errors) == ("the last line\n", "")


def test_slow_exit_functions_finish():
    process = start("slow exit")
    assert process.communicate(timeout=300) == ("the exit function has ended\n", "")
    assert process.returncode == 0


@pytest.mark.parametrize("kind", ["deaf", "endless exit"])
@pytest.mark.parametrize("signals", [1, 2])
def test_interrupts_end_code_that_ignores_them(kind, signals):
    process = start(kind)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    for _ in range(signals):
        os.kill(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert out == "", "exit functions run once"
    assert errors.endswith("interrupted\n") and "Traceback" not in errors


@pytest.mark.parametrize("command", ["match mcts:60s mcts:60s -n 4 -q --jobs 2", "match random mcts:60s -n 4 -q"])
def test_an_interrupt_ends_a_long_move_and_all_processes(command):
    process = subprocess.Popen(
        [sys.executable, "-m", "warlight_env", *command.split()],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(timeout=5)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=300)  # waits for all processes with its standard error
    assert process.returncode == 130 and "Traceback" not in errors
    assert not remaining(process.pid)
