"""Text records of complete games, one for each preset of rules; ``python tests/playthrough.py`` rewrites them.

A change of the rules, the dice or the bots changes these files, so that reviewers see it.
"""

from __future__ import annotations

from pathlib import Path

from warlight_env.agents import make_agent
from warlight_env.engine.rules import PRESETS
from warlight_env.game import Game, RoundResult

FOLDER = Path(__file__).parent / "playthroughs"
DETAILED = 12  # rounds with orders, events and position in the record; later rounds have only their hash


def _regions(game: Game, regions: list[int]) -> str:
    return " ".join(game.map.regions[r].code for r in regions)


def _position(game: Game) -> str:
    marks = {-1: ".", **{p: "abcdef"[p] for p in range(game.players)}}
    cells = [f"{game.map.regions[r].code}{marks[int(by)]}{game.army[r]}" for r, by in enumerate(game.owner)]
    return " ".join(cells)


def _events(game: Game, result: RoundResult) -> list[str]:
    code = [region.code for region in game.map.regions]
    lines = []
    for event in result.events:
        what = "captured" if event.captured else "moved" if event.kind == "transfer" else "held off"
        lines.append(
            f"  {event.player}: {code[event.source]} -> {code[event.target]} with {event.armies}: {what}, "
            f"lost {event.attackers_lost}, killed {event.defenders_lost}"
        )
    return lines


def record(preset: str, seed: int = 2026) -> str:
    """Play random against aggressive; return the picks, orders, battles, positions and hashes as text."""
    game = Game("world", preset, seed=seed)
    agents = [make_agent("random", seed + 1), make_agent("aggressive", seed + 2)]
    lines = [f"rules {preset}, map world, seed {seed}: 0 is random, 1 is aggressive", _position(game)]
    while game.phase == "pick":
        preferences = {}
        for player in game.pickers():
            view = game.view(player)
            preferences[player] = agents[player].pick(view)
            lines.append(f"pick {player}: offered {_regions(game, list(view.offers))}")
            lines.append(f"  preferences {_regions(game, preferences[player])}")
        game.pick(preferences)
    lines.append(_position(game))
    while not game.done and game.round < 200:
        orders = [agent.act(game.view(player)) for player, agent in enumerate(agents)]
        lines.append(f"round {game.round + 1}, incomes {game.income(0)} {game.income(1)}")
        result = game.play_round(orders)
        if result.round <= DETAILED:
            for player, turn in enumerate(orders):
                deploys = ", ".join(f"{_regions(game, [r])}+{armies}" for r, armies in turn.deploys)
                lines.append(f"  {player} deploys {deploys or 'nothing'}")
            lines += [*_events(game, result), _position(game)]
        lines.append(f"hash {game.hash()[:16]}")
    lines.append(_position(game))
    lines.append(f"after {game.round} rounds: {game.phase}, winner {game.winner}, placements {game.placements}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in PRESETS:
        (FOLDER / f"{name}.txt").write_text(record(name))
        print(f"wrote {FOLDER / name}.txt")
