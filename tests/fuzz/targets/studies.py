"""Files of studies: the target reads, writes, replays and combines them, and makes the page's document."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzz import mutate, small_maps
from fuzz.target import Data, Target, expect, refused
from warlight_env.agents.registry import make_agent
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.record import Study
from warlight_env.record.errors import StudyError
from warlight_env.record.study import SUFFIX
from warlight_env.record.variation_play import game_after, play_variation
from warlight_env.record.variations import EMPTY
from warlight_env.web.documents.replay_document import encoded, study_document

#: The map and the rules of the studies from which inputs are made.
GAMES: tuple[tuple[Any, Any], ...] = (
    ("small", "thesis"),
    ("small", "challenge2"),
    (small_maps.ladder_map(6), "challenge1"),
    (small_maps.STAR, {"name": "thesis", "fog": True}),
)


def study_of(game: Game, names: tuple[str, ...], rng: random.Random) -> Study:
    """Return a study of a game's position, with variations of one or two rounds and with notes."""
    position = (tuple(game.owner.tolist()), tuple(game.army.tolist()))
    study = Study(game.map, game.rules, names, *position, title="A study")
    tree = EMPTY.annotated_position(0, "start", "the first\nposition")
    bot = make_agent("random", rng.randrange(1000))
    for parent in (None, None, 1):
        before = game_after(tree, parent, 0, study.position)
        if before.phase != "play":
            continue
        turns = [bot.act(before.view(p)) if before.alive(p) else None for p in range(before.players)]
        reply = rng.choice(("given", "believed"))
        named = {"reply": reply, "bot": "random" if reply == "believed" else None}
        _, node = play_variation(before, rng.randrange(2), turns, rng.randrange(2**53), **named)
        tree = tree.added(replace(node, parent=parent, name=f"after {parent}", chances=((0.5, 0.4, 0.6),) * 2))
    return replace(study, variations=tree)


class Studies(Target):
    """The content of a file."""

    share = 60

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        rng = random.Random(5)
        self._studies = [
            study_of(small_maps.new_game(map_, rules, 2, seed), ("Ann", "Bo"), rng)
            for seed, (map_, rules) in enumerate(GAMES)
        ]
        for study in self._studies:
            expect(Study.parse(study.encoded()) == study, "a study of ours that is another when it is read again")
        self._seeds = [study.encoded() for study in self._studies]

    def make(self, rng: random.Random) -> Data:
        content = rng.choice(self._seeds)
        draw = rng.random()
        if draw < 0.7:
            data = json.loads(content)
            part = rng.choice(("variations", "variations", "position", None))
            if part is None:
                data = mutate.changed(data, rng)
            else:
                data[part] = mutate.changed(data[part], rng)
            return json.dumps(data).encode()
        return mutate.damaged(content, rng, self._seeds) if draw < 0.95 else content

    def run(self, data: Data) -> bool:
        path = self.folder / f"case{SUFFIX}"
        path.write_bytes(data)
        try:
            study = Study.load(path)
        except StudyError as error:
            return refused(error, path.name)
        again = self.folder / f"again{SUFFIX}"
        study.save(again)
        expect(Study.load(again) == study, "a study that is another when it is read again")
        expect(study.game.owner.tolist() == list(study.owner), "another position than the study's")
        for node in study.variations.nodes:
            game = game_after(study.variations, node.id, study.round, study.position)
            expect(game.round == node.round + 1, "a variation that ends in another round")
        encoded(study_document(study))
        try:
            both = study.grafted(study)
            expect(len(both.variations.nodes) == 2 * len(study.variations.nodes), "a study that lost variations")
        except StudyError as error:
            refused(error)
        for other in self._studies:
            try:
                study.grafted(other).check()
            except InputError as error:
                refused(error)
        return True


TARGET = Studies
