"""A folder of games in the server's format, for tests of game lists. Bots play the games, also for people."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from warlight_env import Game
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder, Player
from warlight_env.web.games.resignation import Resignations


def game_log(players: Sequence[tuple[str, str | None]], rounds: int, map_name: str = "small", seed: int = 1) -> GameLog:
    """Play at most `rounds` rounds; return the log. For people (spec None), `random` and `smart_random` play."""
    game = Game(map_name, "thesis", len(players), seed, picks="random")
    recorder = MemoryRecorder([Player(name, spec) for name, spec in players])
    bots = [make_agent(spec or ("random", "smart_random")[seat % 2], seed) for seat, (_, spec) in enumerate(players)]
    recorder.began(game, bots, 100)
    while not game.done and game.round < rounds:
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    if game.done:
        recorder.ended(Resignations().end(game))
    return recorder.log


def add_game(folder: Path, id: str, log: GameLog, played: int, name: str = "") -> dict[str, str]:
    """Save a log in a folder under an id, with `played` as its file time; return the tokens of people by seat."""
    path = folder / f"{id}{'' if log.complete else '.partial'}.wl.jsonl"
    log.save(path)
    rows = [[player.name, player.spec, f"token-of-{id}-{seat}"] for seat, player in enumerate(log.header.players)]
    people = [seat for seat, row in enumerate(rows) if row[1] is None]
    seats = {"seats": rows, "watch": None if people else f"watch-{id}", "pace": 0.8, "paused": False, "name": name}
    (folder / f"{id}.seats.json").write_text(json.dumps(seats))
    os.utime(path, (played, played))
    return {str(seat): rows[seat][2] for seat in people}
