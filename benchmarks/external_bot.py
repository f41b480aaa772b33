"""The cost of running a bot in a separate process, in addition to the bot's own time."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from dataclasses import replace

from speed_table import Row
from warlight_env.beliefs.order_observer import NO_OPPONENT_ORDERS
from warlight_env.game import Game
from warlight_env.protocol.engine_messages import round_messages
from warlight_env.protocol.external_agent import ExternalBot
from warlight_env.protocol.grammar import format_message

#: A bot that answers at once with a valid order.
BOT = """
import sys
for line in sys.stdin:
    if line.startswith("go"):
        print("player1 place_armies 1 5" if "place" in line else "No moves", flush=True)
    elif line.startswith("pick"):
        print(line.split()[2], flush=True)
"""
QUESTIONS = ("go place_armies 10000\n", "go attack/transfer 10000\n")


def bench_hosting(quick: bool) -> list[Row]:
    """Time queries alternately through `ExternalBot.act` and plain pipes; the difference is the cost of the host."""
    command = [sys.executable, "-I", "-S", "-c", BOT]
    game = Game("world", "challenge2", seed=1, picks="random")
    game.play_round({}, on_illegal="skip")
    bot = ExternalBot(command)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin and process.stdout
    hosted_times, bare_times = [], []
    for number in range(200 if quick else 2000):
        view = replace(game.view(0), round=number)
        start = time.perf_counter()
        bot.act(view)
        hosted_times.append((time.perf_counter() - start) / 2)
        round_text = "".join(format_message(message) + "\n" for message in round_messages(view, NO_OPPONENT_ORDERS))
        start = time.perf_counter()
        for line in (round_text + QUESTIONS[0], QUESTIONS[1]):
            process.stdin.write(line.encode())
            process.stdout.readline()
        bare_times.append((time.perf_counter() - start) / 2)
    bot.close()
    process.stdin.close()
    process.wait()
    overhead = 1000 * (statistics.median(hosted_times) - statistics.median(bare_times))
    text = f"{overhead:.3f} ms (bot alone {1000 * statistics.median(bare_times):.3f} ms)"
    return [Row("hosting a bot, a question, beyond its own time", "≤ 1 ms", text, overhead, overhead <= 1)]
