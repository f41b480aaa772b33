"""Print hashes and saved forms of rules as JSON. As a program, print them after a rule was added to `Rules`.

The program edits the source text of the module during its import, as if a later version had the new rule.
"""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.machinery
import json
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

_MODULE = "warlight_env.engine.rules"
_BEFORE = '    tie_break: Literal["draw", "regions"] = "draw"\n'
_ADDED = "    patience: int = 3\n"


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        text = Path(self.path).read_text(encoding="utf-8")
        assert text.count(_BEFORE) == 1
        return compile(text.replace(_BEFORE, _BEFORE + _ADDED), self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if fullname != _MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        spec.loader = _Loader(fullname, spec.origin)
        return spec


class Holder:
    """An agent factory that stores rules, so that its digest depends on them."""

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    def __call__(self, seed: int) -> Any:
        raise NotImplementedError


Holder.__module__ = "added_rule"  # also if this file is run as a program


def own_rules() -> Any:
    """Return rules that differ from all presets."""
    from warlight_env import Rules

    return Rules.of("thesis", name="own", fog=True, luck=0.5)


def header_of(rules: Any) -> Any:
    """Return the header of a game's log."""
    from warlight_env import maps
    from warlight_env.record import Header, Player

    return Header(maps.load("small"), rules, (Player("a"), Player("b")), 7, "random", 100, "a program")


def facts() -> dict[str, Any]:
    """Return all hashes and saved forms that depend on rules, by the place where they are used."""
    from warlight_env import Game, maps
    from warlight_env.arena.games.game_setup import MatchSetup, describe_agent
    from warlight_env.arena.policies.policy_file import PolicyFile, built_in_policies
    from warlight_env.engine.rules import PRESETS, Rules
    from warlight_env.envs import EnvCore
    from warlight_env.protocol.view_transfer import WorkerSetup
    from warlight_env.record.encode import header_line

    own, small = own_rules(), maps.load("small")
    # The values of the preset `challenge2` when `Rules` had only its first fields.
    former = Rules.of("challenge2", picks=3, wastelands_repeat=False)
    match = MatchSetup(("random", "random"), small, own, seed=1, paired=True, picks="random", max_rounds=None)
    return {
        "game": {
            name: Game(small, rules, 2, 7).hash()
            for name, rules in {**PRESETS, "challenge2": former, "own": own}.items()
        },
        "saved": Game(small, own, 2, 7).to_dict(),
        "core": EnvCore(small, own, 2).digest,
        "match": match.describe(),
        "worker": WorkerSetup.for_game(small, own, 2).digest,
        "header": header_line(header_of(own)).decode(),
        "policies": {name: _sha256(PolicyFile.load(name).to_bytes()) for name in built_in_policies()},
        "agent": describe_agent(Holder(own)),
        "pickle": _sha256(pickle.dumps(own)),
    }


def read_again(before: dict[str, Any], logs: list[str]) -> dict[str, Any]:
    """Load data from before the new rule, and data with the new rule; return the results."""
    from dataclasses import replace

    from warlight_env import Game, Rules
    from warlight_env.bench import Suite
    from warlight_env.record import GameLog, LogError, verify

    results: dict[str, Any] = {}
    loaded = {Path(name).name: GameLog.load(name) for name in logs}
    results["patience"] = {name: log.header.rules.patience for name, log in loaded.items()}
    results["differences"] = {name: [str(d) for d in verify(log)] for name, log in loaded.items()}
    results["suite"] = Suite.load().rules.patience
    results["saved"] = Game.from_dict(before["saved"]).to_dict()
    results["unpickled"] = pickle.loads(pickle.dumps(own_rules())) == own_rules()
    patient = replace(own_rules(), patience=4)
    game = Game("small", patient, 2, 7)
    results["other hash"] = game.hash()
    results["kept"] = [
        Game.from_dict(json.loads(json.dumps(game.to_dict()))).rules.patience,
        pickle.loads(pickle.dumps(patient)).patience,
        Rules.of(patient.to_dict()).patience,
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "patient.wl.jsonl")
        GameLog(header_of(patient)).save(file)
        results["kept"].append(GameLog.load(file).header.rules.patience)
        file.write_text(file.read_text().replace('"patience"', '"hurry"'))
        try:
            GameLog.load(file)
        except LogError as error:
            results["refused"] = str(error).replace(folder, "")
    return results


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.modules["added_rule"] = sys.modules["__main__"]
    sys.meta_path.insert(0, _Finder())
    saved_facts = json.loads(Path(sys.argv[1]).read_text())
    print(json.dumps({"facts": facts(), "again": read_again(saved_facts, sys.argv[2:])}))
