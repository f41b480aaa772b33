"""Run folders after interruptions, incomplete copies, or writes of other programs."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

from fuzz import mutate, values
from fuzz.target import Data, Target, expect, refused
from warlight_env.arena import Match
from warlight_env.arena.contests.run_folder import played_games
from warlight_env.errors import InputError, RunError
from warlight_env.train.common.journal import JOURNAL, SETTINGS, Journal

AGENTS = ("random", "aggressive")
ENTRIES = [{"event": "generation", "number": i, "scores": [0.5, 0.25], "weights": {"army": 1.0}} for i in range(3)]


class Folders(Target):
    """``(kind, {file: content})``"""

    share = 20

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        run = folder / "run"
        self._match().run(folder=run)
        journal = folder / "journal"
        with Journal(journal, {"seed": 1}) as new_journal:
            for entry in ENTRIES:
                new_journal.append(entry)
        self._seeds = {
            kind: {path.name: path.read_bytes() for path in sorted(source.iterdir()) if path.is_file()}
            for kind, source in (("run", run), ("journal", journal))
        }
        shutil.rmtree(run)
        shutil.rmtree(journal)

    def _match(self) -> Match:
        return Match(AGENTS, games=4, seed=1, map="small", max_rounds=3)

    def make(self, rng: random.Random) -> Data:
        kind = rng.choice(list(self._seeds))
        files = dict(self._seeds[kind])
        name = rng.choice(list(files))
        content, others = files[name], list(files.values())
        draw = rng.random()
        if draw < 0.4:
            lines = content.splitlines(keepends=True) if name.endswith("l") else [content]
            i = rng.randrange(len(lines))
            lines[i] = json.dumps(mutate.changed(json.loads(lines[i]), rng)).encode() + b"\n"
            files[name] = b"".join(lines)
        elif draw < 0.6:
            files[name] = mutate.damaged_lines(content, rng, others)
        elif draw < 0.95:
            files[name] = mutate.damaged(content, rng, others)
        elif draw < 0.98:
            del files[name]
        else:
            files[rng.choice((".tmp", "games.jsonl.tmp", "x"))] = values.text(rng).encode("utf-8", "replace")
        return (kind, files)

    def run(self, data: Data) -> bool:
        kind, files = data
        folder = self.folder / kind
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        try:
            if kind == "journal":
                with Journal(folder, {"seed": 1}) as journal:
                    lines = files.get(JOURNAL, b"")[: files.get(JOURNAL, b"").rfind(b"\n") + 1]
                    expect(len(journal.entries) == lines.count(b"\n"), "a journal that lost what it held")
                    journal.append({"event": "more"})
                with Journal(folder, {"seed": 1}) as again:
                    expect(again.entries[-1] == {"event": "more"}, "a journal that lost what was written")
                expect((folder / SETTINGS).exists(), "a journal without settings")
                return True
            result = self._match().run(folder=folder)
        except (InputError, RunError) as error:
            after = {path.name: path.read_bytes() for path in folder.iterdir()}
            expect(all(after.get(name) == content for name, content in files.items()), "a refused run that changed")
            return refused(error, str(folder))
        expect(result.games == 4, "a run of another number of games")
        games = played_games(folder, next(iter(json.loads((folder / "run.json").read_bytes())["contests"])))
        expect([game.number for game in games] == [0, 1, 2, 3], "a run folder without all of its games")
        return True


TARGET = Folders
