"""Texts that users type: agents, clocks, rules, and options of external bots."""

from __future__ import annotations

import random
from pathlib import Path

from fuzz import mutate, values
from fuzz.target import Data, Target, expect, refused
from warlight_env.agents import make_agent
from warlight_env.agents.registry import agent_names, describe
from warlight_env.arena.games.clocks import Clock
from warlight_env.cli.common import read_rules
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.maps import load

SEEDS = {
    "agent": (
        "random:chunks=5,margin=2", "mcts:457", "mcts:1.5s",
        "mcts:sims=50,c=0.5,final_move=max,parallel=tree,threads=2",
        "mcts_thesis:secs=1,playout=one_ply,utility=placements,alpha=0.9,beta=0.1", "one_ply:samples=3,weights=thesis",
        "flat_mc:sims=10,final_move=mode", "minimax2:samples=4", "maxn:depth=3,breadth=4", "belief:aggressive",
        "belief:belief:random", "policy:small", "policy:nowhere.npz", "cmd:true", "cmd[bank=1,policy=skip]:true 'a b'",
        "aggressive", "one_big_army",
    ),
    "clock": ("457sims", "1s", "500ms", "10s+0.5s", "457sims/1s", "none", "5sims/10s+1s"),
    "rules": ("thesis", "thesis:fog=true,base_income=6", "challenge2:luck=0.5,picks=2", "thesis:attack_kill=0.55"),
    "options": ("challenge=1", "policy=forfeit,bank=3,increment=0.5", "folder=.,errors=nowhere"),
    "map": ("world", "small", "large", "nowhere.json", "a/b.txt", "x.xml"),
}  # fmt: skip


class Specs(Target):
    """``(kind, text)``"""

    share = 150

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._seeds = {kind: [text.encode() for text in texts] for kind, texts in SEEDS.items()}
        self._words = [*agent_names(), *(key for info in describe() for key in info.parameters), *"=,:[]"]

    def make(self, rng: random.Random) -> Data:
        kind = rng.choice(("agent", "agent", *self._seeds))
        seeds = self._seeds[kind]
        if kind == "agent" and rng.random() < 0.4:
            text = rng.choice(agent_names()) + rng.choice((":", ":", "", "["))
            for _ in range(rng.randint(0, 4)):
                value = rng.choice((values.text(rng), str(values.number(rng)), rng.choice(self._words)))
                text += f"{rng.choice(self._words)}={value}" + rng.choice((",", ",", ""))
            return (kind, text)
        return (kind, mutate.damaged(rng.choice(seeds), rng, seeds).decode("utf-8", "surrogateescape"))

    def run(self, data: Data) -> bool:
        kind, text = data
        try:
            if kind == "agent":
                make_agent(text, 1)
            elif kind == "clock":
                clock = Clock.parse(text)
                expect(
                    clock is None or Clock.parse(str(clock)) == clock, "a clock that is another when it is read again"
                )
            elif kind == "rules":
                rules = read_rules(text)
                expect(Rules.of(rules.to_dict()) == rules, "rules that are others when they are read again")
            elif kind == "map":
                load(text)
            else:
                make_agent(f"cmd[{text}]:true", 1)
        except InputError as error:
            return refused(error)
        return True


TARGET = Specs
