"""Game logs, plain and compressed: the target reads, lists, replays, verifies and continues them."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from pathlib import Path

from fuzz import mutate, small_maps
from fuzz.target import Data, Target, expect, refused
from log_helpers import play_logged
from warlight_env.record import GameLog, LogError, LogIndex, ReplayError, game_at, replay, result_of, summarize, verify

#: Percentage of the inputs that are also listed in a folder, which takes ten times as long as reading.
LISTED = 3


class Logs(Target):
    """``(suffix, content)`` of a file."""

    share = 60

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._seeds: list[bytes] = []
        games = [
            {"map": "small", "rules": rules, "max_rounds": 4, "picks": picks, "seed": seed, "insight": seed == 1}
            for seed, (rules, picks) in enumerate(
                (("thesis", "random"), ("thesis", "agents"), ("challenge2", "agents"), ("challenge1", "agents"))
            )
            if rules != "challenge1"
        ]
        games.append(
            {"map": small_maps.ladder_map(6), "rules": "challenge1", "max_rounds": 4, "picks": "agents", "seed": 9}
        )
        games.append({"map": small_maps.RING, "rules": {"name": "thesis", "picks": 1}, "max_rounds": 60, "seed": 4})
        for number, game in enumerate(games):
            specs = ("one_ply:samples=1", "aggressive") if number == 1 else ("random", "aggressive")
            path = folder / f"seed{number}.wl.jsonl"
            log = play_logged(path, specs, **game)
            expect(verify(log) == [], "a log of ours that does not verify")
            content = path.read_bytes()
            self._seeds.append(content if len(content) < 30_000 else b"".join(content.splitlines(True)[:12]))
            path.unlink()
        self._seeds += self._seeds[:3] * 3  # logs on a bundled map; reading another map takes most of the time
        self._bomb = gzip.compress(b'{"event":"x"}\n' * 2_000_000, 9)

    def make(self, rng: random.Random) -> Data:
        content = rng.choice(self._seeds)
        draw = rng.random()
        if draw < 0.45:
            lines = content.splitlines(keepends=True)
            for _ in range(rng.choice((1, 1, 2))):
                i = rng.randrange(len(lines))
                lines[i] = json.dumps(mutate.changed(json.loads(lines[i]), rng)).encode() + b"\n"
            content = b"".join(lines)
        elif draw < 0.65:
            content = mutate.damaged_lines(content, rng, self._seeds)
        elif draw < 0.9:
            content = mutate.damaged(content, rng, self._seeds)
        if rng.random() < 0.75:
            return (".wl.jsonl", content)
        return (".wl.jsonl.gz", self._packed(content, rng))

    def _packed(self, content: bytes, rng: random.Random) -> bytes:
        draw = rng.random()
        if draw < 0.3:
            return gzip.compress(content, 1)
        if draw < 0.4:
            at = rng.randrange(len(content) + 1)
            return gzip.compress(content[:at], 1) + gzip.compress(content[at:], 1) + rng.choice((b"", b"\0" * 30, b"x"))
        if draw < 0.5:
            packer = zlib.compressobj(rng.choice((0, 1, 9)), zlib.DEFLATED, rng.choice((31, 15, -15)))
            return packer.compress(content) + packer.flush()
        if draw < 0.502:
            return gzip.compress(content, 1) + self._bomb * rng.choice((1, 40))
        return mutate.damaged(gzip.compress(content, 1), rng)

    def run(self, data: Data) -> bool:
        suffix, content = data
        path = self.folder / f"game{suffix}"
        path.write_bytes(content)
        try:
            log = GameLog.load(path)
        except LogError as error:
            self._list(content)
            return refused(error, path.name)
        summary = summarize(path)
        expect(
            (summary.header, summary.rounds, summary.failures, summary.end, summary.status)
            == (log.header, len(log.rounds), log.failures, log.end, log.status),
            "a summary that is not the log's",
        )
        again = self.folder / f"again{suffix}"
        log.save(again)
        expect(GameLog.load(again) == log, "a log that is another when it is read again")
        moments = list(replay(log)) if log.start is not None else []
        differences = verify(log)
        for difference in differences:
            expect(len(str(difference)) < 2000, "a difference that is too much")
        if log.rounds:
            try:
                result_of(log, len(log.rounds))
            except LogError as error:
                refused(error)
        try:
            game = game_at(log)
            expect(not differences, "a game out of a log that does not verify")
            if moments:
                expect(game.owner.tolist() == list(moments[-1].owner), "another position than the log's")
        except (LogError, ReplayError) as error:
            refused(error)
        self._list(content)
        return True

    def _list(self, content: bytes) -> None:
        if zlib.crc32(content) % 100 >= LISTED:
            return
        with LogIndex(self.folder) as index:
            index.refresh()
            entries = index.entries()
            expect(all(len(entry.reason) < 2000 for entry in entries), "a reason that is too long")


TARGET = Logs
