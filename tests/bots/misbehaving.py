"""Bots with one fault each: ``misbehaving.py FAULT [ARGUMENT]``. They use only the standard library.

Each bot plays legal turns until its fault occurs: it deploys all armies on its first region.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

WAY = sys.argv[1]
ARGUMENT = sys.argv[2] if len(sys.argv) > 2 else ""
SLEEPER = "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


def sleeper(*, daemon: bool) -> None:
    """Start a child process that ignores SIGTERM; a daemon runs in a new process group and session."""
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEPER], start_new_session=daemon)
    Path(ARGUMENT).write_text(str(child.pid))


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def flood(stream: int, rate: int = 100_000_000, seconds: float = 0.0, chunk: bytes = b"x" * 63 + b"\n") -> None:
    """Write `rate` bytes per second, for some seconds or forever (0)."""
    block, start, written = chunk * (65536 // len(chunk)), time.monotonic(), 0
    while not seconds or time.monotonic() < start + seconds:
        written += os.write(stream, block)
        time.sleep(max(0.0, start + written / rate - time.monotonic()))


class Bot:
    """A bot that plays correctly except for its fault."""

    def __init__(self) -> None:
        self.name, self.own, self.armies, self.rounds = "player1", 0, 5, 0

    def listen(self) -> None:
        for line in sys.stdin:
            words = line.split()
            if words[:2] == ["settings", "your_bot"]:
                self.name = words[2]
            elif words[:2] == ["settings", "starting_armies"]:
                self.armies, self.rounds = int(words[2]), self.rounds + 1
            elif words[:1] == ["update_map"]:
                owners = zip(words[1::3], words[2::3], strict=False)
                self.own = next((int(r) for r, by in owners if by == self.name), 0)
            elif words[0].startswith("pick_starting_region"):
                self.answer("pick", " ".join(words[2:8]) if words[0].endswith("s") else words[2], int(words[1]))
            elif words[:1] == ["go"]:
                place = f"{self.name} place_armies {self.own} {self.armies}"
                self.answer(words[1], place if words[1] == "place_armies" else "No moves", int(words[2]))

    def answer(self, question: str, honest: str, limit: int) -> None:
        """Answer a request, with the faults that occur in answers."""
        place = question == "place_armies"
        if WAY == "silent":
            return
        if WAY == "late":  # by ARGUMENT ms
            time.sleep((limit + float(ARGUMENT)) / 1000)
        elif WAY == "die":
            if question == ARGUMENT:
                print("what a bad end", file=sys.stderr, flush=True)
                os._exit(3)
        elif WAY == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif WAY == "endless_line" and place:
            flood(1, rate=10**9, chunk=b"x" * 64)
        elif WAY == "not_utf8" and place:
            os.write(1, b"\xff\xfe player1 \x80\x81\n")
            return
        elif WAY == "foreign" and place:
            honest = ", ".join(f"{self.name} place_armies {r} 1" for r in (0, -1, 9999, 10**17, self.own % 42 + 1))
        elif WAY == "many" and place:
            honest = ", ".join(f"{self.name} place_armies {self.own} 1" for _ in range(10_000))
        elif WAY == "greedy" and place:
            honest = f"{self.name} place_armies {self.own} {self.armies + 95}, {self.name} place_armies {self.own} 1"
        elif WAY == "close_input" and self.rounds == 2:
            os.close(0)
            time.sleep(600)
        elif WAY == "close_output" and self.rounds == 2:
            os.close(1)
            time.sleep(600)
        elif WAY == "flood_error":
            time.sleep(0.05)  # the flood continues meanwhile
        elif WAY == "babble":
            honest = f"thinking about {question}\n" + honest
        say(honest)


def main() -> None:
    """Play, with the faults that occur at the start."""
    if WAY == "die" and ARGUMENT == "start":
        sys.exit("no start today")
    if WAY == "flood_output":
        flood(1)
    elif WAY == "flood_error":
        import threading

        threading.Thread(target=flood, args=(2,), daemon=True).start()
    elif WAY == "deaf":
        time.sleep(600)
    elif WAY in ("children", "daemons"):
        sleeper(daemon=WAY == "daemons")
    elif WAY == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Bot().listen()
        time.sleep(600)
    Bot().listen()


main()
