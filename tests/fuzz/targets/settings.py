"""Settings files: tournaments and training in TOML, weights in JSON."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from fuzz import mutate
from fuzz.target import Data, Target, expect, refused
from fuzz.worker import ROOT
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.arena.tournaments.tournament_file import load_tournament
from warlight_env.errors import InputError
from warlight_env.train.common.settings_file import load_plain, read_settings
from warlight_env.train.evolution.settings import EvolveSettings
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.sb3_ppo.settings import Sb3PpoSettings
from warlight_env.train.td.settings import TdSettings
from warlight_env.train.value.settings import ValueSettings

KINDS: dict[str, Any] = {
    "evolve": EvolveSettings,
    "td": TdSettings,
    "ppo": Sb3PpoSettings,
    "value": ValueSettings,
    "exit": ExitSettings,
}
MORE = {
    "tournament": b'agents = ["random", {name = "b", spec = "mcts:sims=5", clock = "1s"}]\nmaps = ["small"]\n'
    b'rules = [{preset = "thesis", fog = true}, "challenge1"]\nformat = "gauntlet"\nchallengers = ["b"]\nplayers = 2\n'
    b'games = 10\nclock = "10s+0.5s"\non_crash = "forfeit"\non_late = "report"\npicks = "agents"\nmax_rounds = 50\n',
    "ppo": b'action = "factored"\nn_envs = 4\nn_steps = 8\nbatch_size = 16\nweights = "default"\nshaping = "income"\n'
    b'play = "sampled"\n[conditions]\nmap = "small"\nrules = "challenge2"\npicks = "agents"\nmax_rounds = 9\n',
    "td": b'batches = 1\nlearn = ["army", "own_regions"]\nseed = 0\nholdout = []\n[conditions]\nmap = "small"\n',
}


class Settings(Target):
    """``(kind, content)`` of a file."""

    share = 90

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._seeds: dict[str, list[bytes]] = {kind: [] for kind in ("tournament", *KINDS)}
        for path in sorted((ROOT / "examples").glob("*.toml")):
            kind = path.stem.partition("_")[0]
            self._seeds[kind].append(path.read_bytes())
        for kind, content in MORE.items():
            self._seeds[kind] += [content] * 2
        self._seeds["weights"] = [THESIS.to_json().encode(), b'{"army": 3, "sharpness": 0.5}\n']

    def make(self, rng: random.Random) -> Data:
        kind = rng.choice(list(self._seeds))
        seeds = self._seeds[kind]
        content = rng.choice(seeds)
        others = seeds if rng.random() < 0.8 else rng.choice(list(self._seeds.values()))
        damage = mutate.damaged_lines if rng.random() < 0.3 else mutate.damaged
        return (kind, damage(content, rng, others))

    def run(self, data: Data) -> bool:
        kind, content = data
        path = self.folder / ("weights.json" if kind == "weights" else f"{kind}.toml")
        path.write_bytes(content)
        try:
            if kind == "tournament":
                tournament = load_tournament(path)
                expect(len(tournament.tables()) > 0, "a tournament without games")
                return True
            if kind == "weights":
                weights = Weights.load(path)
            else:
                settings = read_settings(KINDS[kind], load_plain(path), str(path))
        except InputError as error:
            return refused(error, path.name)
        if kind == "weights":
            path.write_text(weights.to_json(), encoding="utf-8")
            expect(Weights.load(path) == weights, "weights that are others when they are read again")
        else:
            again = read_settings(KINDS[kind], load_plain(_as_json(path, settings.to_dict())), "again")
            expect(again == settings, "settings that are others when they are read again")
        return True


def _as_json(path: Path, data: dict[str, Any]) -> Path:
    import json

    other = path.with_suffix(".json")
    other.write_text(json.dumps(data), encoding="utf-8")
    return other


TARGET = Settings
