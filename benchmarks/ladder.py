"""Ratings of the bundled players, for docs/results/ladder.md.

``python benchmarks/ladder.py run --out runs/ladder --jobs 2`` plays a paired round robin on each map with each preset.
Each is a tournament of `warlight tournament` in a subfolder; the same command continues after an interruption.
``estimate`` prints the time of a run. ``python benchmarks/ladder.py page --out runs/ladder`` writes the page.

Players have fixed numbers of simulations, so their games do not depend on the machine. Programs of `--external` have
the clock of their protocol, and their games depend on it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from provenance import ROOT, check_provenance, provenance, provenance_table

from warlight_env import bounded_io, maps
from warlight_env.arena import Match, MatchResult
from warlight_env.arena.tournaments.tournament import Tournament
from warlight_env.arena.tournaments.tournament_file import load_tournament
from warlight_env.arena.tournaments.tournament_live import RESULT
from warlight_env.arena.tournaments.tournament_result import signed
from warlight_env.cli import main as warlight
from warlight_env.engine.rules import PRESETS, Rules
from warlight_env.errors import InputError
from warlight_env.output import write_file

PAGE: Final = ROOT / "docs" / "results" / "ladder.md"
#: The file of a run that names its tournaments and the commits that played them.
RUN: Final = "ladder.json"
MAPS: Final = ("small", "world", "large")
#: Players of all maps, except those of `ONLY` and those that need fog.
PLAYERS: Final = (
    "random", "smart_random", "one_big_army", "aggressive", "one_ply", "plan", "maxn", "mcts_thesis:sims=457",
    "mcts:sims=457", "nash:sims=300", "belief:nash:sims=300", "policy:any", "policy:any_fog", "policy:world",
    "policy:fog",
)  # fmt: skip
#: The only map of a player.
ONLY: Final = {"policy:world": "world", "policy:fog": "world"}
ANCHOR: Final = "random"
#: Number of games for each pair; the whole run takes about two hours on two idle cores.
GAMES: Final = 12
MAX_ROUNDS: Final = 200
#: Number of rounds in which a player's time is measured; and the power law of game lengths by regions.
TRIED: Final = 8
LENGTH: Final = (6.5, 0.36)


class LadderError(InputError):
    """Settings or results from which no ladder follows. The message gives the reason."""


@dataclass(frozen=True)
class Cell:
    """The tournament of one map and one preset."""

    map: str
    rules: str

    @property
    def name(self) -> str:
        """The name of its folder."""
        return re.sub(r"[^\w.-]+", "-", f"{maps.load(self.map).name}-{self.rules}")

    def players(self, args: argparse.Namespace) -> list[tuple[str, str]]:
        """Return the players' names and specifications."""
        fog = Rules.of(self.rules).fog
        bundled = [
            player
            for player in args.players
            if ONLY.get(player, self.map) == self.map and (fog or not player.startswith("belief:"))
        ]
        programs = [
            (name, f"cmd:{command}")
            for name, rules, command in map(external, args.external)
            if rules == self.rules or (not rules and fog)
        ]
        return [(player, player) for player in bundled] + programs

    def write(self, args: argparse.Namespace) -> Path:
        """Write the settings of the tournament, and return their file."""
        players = self.players(args)
        agents = [f"    {{ name = {json.dumps(name)}, spec = {json.dumps(spec)} }},\n" for name, spec in players]
        lines = [
            f'name = "Ladder, {maps.load(self.map).name}, {self.rules}"\nagents = [\n{"".join(agents)}]\n',
            f'games = {args.games}\npaired = true\npicks = "agents"\nmax_rounds = {MAX_ROUNDS}\nseed = {args.seed}\n',
            f"maps = [{json.dumps(self.map)}]\nrules = [{json.dumps(self.rules)}]\n",
            f'anchor = "{ANCHOR}"\n' if any(name == ANCHOR for name, _ in players) else "",
            f'on_crash = "{"forfeit" if args.external else "stop"}"\n',
        ]
        file = args.out / f"{self.name}.toml"
        args.out.mkdir(parents=True, exist_ok=True)
        write_file(file, "".join(lines))
        return file


def external(text: str) -> tuple[str, str, str]:
    """Return name, preset ("" for all with fog) and command of NAME=COMMAND or NAME@RULES=COMMAND.

    Raises:
        LadderError: the text has another form.
    """
    name, sign, command = text.partition("=")
    name, _, rules = name.partition("@")
    if not (name and sign and command) or rules not in ("", *PRESETS):
        raise LadderError(f"--external {text}: must be NAME=COMMAND or NAME@RULES=COMMAND; rules: {', '.join(PRESETS)}")
    return name, rules, command


def games_of(tournament: Tournament) -> int:
    """Return the number of games of a tournament."""
    return sum(contest.n_games for contest in tournament.contests())


def played(folder: Path) -> dict[str, Any]:
    """Return the result of a tournament, or an empty dictionary before its first game.

    Raises:
        LadderError: the file is damaged.
    """
    path = folder / RESULT
    if not path.exists():
        return {}
    text = bounded_io.read_text(path, bounded_io.RESULT_BYTES, LadderError, "result of a tournament")
    record = bounded_io.parse_json(text, bounded_io.shown(path), LadderError)
    if not isinstance(record, dict) or not {"tournament", "games", "interrupted", "ratings", "times"} <= record.keys():
        raise LadderError(f"{bounded_io.shown(path)}: not the result of a tournament")
    return record


def seconds_a_round(spec: str, cell: Cell) -> float:
    """Return a player's CPU time for a round, from the first rounds of a game against `aggressive`.

    A program runs in another process, so its time is that of its answers.
    """

    def play(rounds: int) -> MatchResult:
        return Match(
            [spec, "aggressive"], games=1, map=cell.map, rules=cell.rules, max_rounds=rounds, on_crash="stop"
        ).run()

    play(1)  # compiles
    start = time.process_time()
    result = play(TRIED)
    elapsed = time.process_time() - start
    return elapsed / result.records[0].rounds + (result.agents[0].time.mean if spec.startswith("cmd:") else 0.0)


def estimate(cells: Sequence[Cell], args: argparse.Namespace) -> tuple[int, float]:
    """Return the number of missing games, and the CPU seconds of all of them.

    A game takes the sum of its players' `seconds_a_round`, times the usual number of rounds on a map of this size.
    """
    measured: dict[tuple[str, str, bool], float] = {}
    n_games, seconds = 0, 0.0
    for cell in cells:
        tournament = load_tournament(cell.write(args))
        missing = games_of(tournament) - int(played(args.out / cell.name).get("games", 0))
        if not missing:
            continue
        costs = []
        for entrant in tournament.entrants:
            key = (entrant.spec, cell.map, tournament.rules[0].fog)
            if key not in measured:
                measured[key] = seconds_a_round(entrant.spec, cell)
            costs.append(measured[key])
        rounds = LENGTH[0] * tournament.maps[0].n_regions ** LENGTH[1]
        n_games, seconds = n_games + missing, seconds + missing * rounds * 2 * sum(costs) / len(costs)
    return n_games, seconds


def tell(cells: Sequence[Cell], args: argparse.Namespace) -> int:
    """Print the estimate, which takes a minute of CPU time, and return the number of missing games."""
    n_games, seconds = estimate(cells, args)
    text = f"{n_games:,} games in {len(cells)} tournaments, about {seconds / args.jobs / 3600:.1f} hours"
    print(f"{text} on {args.jobs} idle cores", file=sys.stderr, flush=True)
    return n_games


def cells_of(args: argparse.Namespace) -> list[Cell]:
    """Return the tournaments of a run.

    Raises:
        LadderError: fewer than two players can meet.
    """
    cells = [Cell(map_, rules) for map_ in args.maps for rules in args.rules]
    for cell in cells:
        if len(cell.players(args)) < 2:
            raise LadderError(f"{cell.map}, {cell.rules}: fewer than two players")
    return cells


def run(args: argparse.Namespace) -> int:
    """Play the missing games.

    Raises:
        InputError: the checkout has uncommitted changes, or the folder has games of another commit.
    """
    cells, path = cells_of(args), args.out / RUN
    current = provenance("ladder.py", _public_words(args.words))
    record = read_run(args.out) if path.exists() else {"cells": [], "sessions": []}
    if current["dirty"] and not args.dirty:
        raise LadderError("the checkout has uncommitted changes; commit them first (or play with --dirty, for no page)")
    sessions = [*((bounded_io.shown(path), session) for session in record["sessions"]), ("this checkout", current)]
    if not args.dirty:
        check_provenance(sessions)
    if not tell(cells, args):
        print(f"all games are played; next: python benchmarks/ladder.py page --out {args.out}", file=sys.stderr)
        return 0
    names = dict.fromkeys([*record["cells"], *(cell.name for cell in cells)])
    write_file(
        path, json.dumps({"cells": list(names), "sessions": [session for _, session in sessions]}, indent=1) + "\n"
    )
    for cell in cells:
        file, folder = cell.write(args), args.out / cell.name
        if played(folder).get("games", 0) == games_of(load_tournament(file)):
            continue
        code = warlight(["tournament", str(file), "--out", str(folder), "--jobs", str(args.jobs)])
        if code:
            return code
    return 0


def _public_words(words: Sequence[str]) -> list[str]:
    """Return the words of the command line without paths of this machine.

    The command of a program becomes COMMAND. The folder of the run becomes its last part below `runs`.
    """
    public, option = [], ""
    for word in words:
        name, sign, text = word.partition("=") if word.startswith("--") else (option, "", word)
        before = f"{name}{sign}" if sign else ""
        if name == "--external" and text:
            word = f"{before}{text.partition('=')[0]}=COMMAND"
        elif name == "--out" and text:
            word = f"{before}runs/{Path(text).resolve().name}"
        public.append(word)
        option = word if word.startswith("--") and not sign else ""
    return public


def read_run(out: Path) -> dict[str, Any]:
    """Return the names of the tournaments of a run, and the provenances of its sessions.

    Raises:
        LadderError: the file is missing or damaged.
    """
    text = bounded_io.read_text(out / RUN, bounded_io.RESULT_BYTES, LadderError, "description of a ladder")
    record = bounded_io.parse_json(text, bounded_io.shown(out / RUN), LadderError)
    if not isinstance(record, dict) or not all(isinstance(record.get(key), list) for key in ("cells", "sessions")):
        raise LadderError(f"{bounded_io.shown(out / RUN)}: not the description of a ladder")
    return record


def page(args: argparse.Namespace) -> int:
    """Write the page.

    Raises:
        InputError: games are missing, or they are of several commits or of a checkout with uncommitted changes.
    """
    record = read_run(args.out)
    sessions = check_provenance([(bounded_io.shown(args.out / RUN), session) for session in record["sessions"]])
    results = [(name, played(args.out / name)) for name in record["cells"]]
    for name, result in results:
        if not result or result["interrupted"]:
            raise LadderError(f"{bounded_io.shown(args.out / name)}: games are missing; `run` continues")
    args.page.parent.mkdir(parents=True, exist_ok=True)
    write_file(args.page, text_of([result for _, result in results], provenance_table(sessions)))
    print(f"{args.page} is written", file=sys.stderr)
    return 0


def _fill(text: str) -> str:
    return fill(text, 118, break_long_words=False, break_on_hyphens=False)


def text_of(results: Sequence[dict[str, Any]], source: Sequence[str]) -> str:
    """Return the page.

    Args:
        results: results of tournaments of one map and one preset each. source: the table of commit and machine.
    """
    first = results[0]["tournament"]
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    for result in results:
        tables.setdefault(result["tournament"]["maps"][0], {})[result["tournament"]["rules"][0]] = result
    specs = {agent["name"]: agent["spec"] for result in results for agent in result["tournament"]["agents"]}
    programs = [f"`{name}`" for name, spec in specs.items() if spec.startswith("cmd:")]
    zero = f"`{ANCHOR}` has" if ANCHOR in specs else "The mean of all players has"
    parts = [
        f"On each map with each preset, each pair of players plays {first['games']} games. Each seed is played from "
        "both seats. The players pick their starting regions. "
        f"A game is a draw after {first['max_rounds']} rounds at the latest. `sims` is the number of simulations for "
        "a move, and other parameters have their defaults, so the games do not depend on the machine."
    ]
    for map_ in dict.fromkeys(ONLY.values()):
        names = [f"`{name}`" for name, only_map in ONLY.items() if only_map == map_ and name in specs]
        if names:
            parts.append(f"{' and '.join(names)} {'plays' if len(names) == 1 else 'play'} the map `{map_}` only.")
    if any(name.startswith("belief:") for name in specs):
        parts.append("`belief:` players need fog, which `challenge1` and `challenge2` have.")
    head = (
        "The tables show ratings in Elo points with 95 % intervals, for each map and each preset of rules. "
        f"{zero} the rating 0 in every table. Ratings of different tables are not comparable."
    )
    lines = ["# Ladder", "", _fill(head), "", _fill(" ".join(parts))]
    if programs:
        text = "They have the clock of the protocol, so their games depend on the machine."
        lines += ["", _fill(f"External programs: {', '.join(programs)}. {text}")]
    lines += ["", "`python benchmarks/ladder.py page` writes this page.", "", *source, "", _fill(_conclusions(results))]
    for map_, by_rules in tables.items():
        lines += ["", f"## {map_}", "", *_table(by_rules)]
    return "\n".join(lines) + "\n"


def _table(by_rules: dict[str, dict[str, Any]]) -> list[str]:
    ratings = {rules: {row["name"]: row for row in result["ratings"]} for rules, result in by_rules.items()}
    answer_times: dict[str, list[tuple[int, float]]] = {}
    for result in by_rules.values():
        for row in result["times"]:
            answer_times.setdefault(row["name"], []).append((row["answers"], row["answers"] * row["mean"]))

    def mean(name: str) -> float:
        elos = [of_rules[name]["elo"] for of_rules in ratings.values() if name in of_rules]
        return float(sum(elos) / len(elos))

    lines = [f"| player | {' | '.join(f'`{rules}`' for rules in by_rules)} | ms for an answer |"]
    lines.append("|---|" + "---|" * (len(by_rules) + 1))
    for name in sorted(answer_times, key=mean, reverse=True):
        cells = [_rating(of_rules.get(name)) for of_rules in ratings.values()]
        answers, seconds = (sum(part) for part in zip(*answer_times[name], strict=True))
        lines.append(f"| `{name}` | {' | '.join(cells)} | {1000 * seconds / max(1, answers):.1f} |")
    return lines


def _rating(row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    elo, low, high = (signed(row[key]).removeprefix("+") for key in ("elo", "low", "high"))
    return elo if low == high else f"{elo} ({low} to {high})"


def _conclusions(results: Sequence[dict[str, Any]]) -> str:
    """Return two sentences: which players have the highest ratings, and how often their intervals overlap."""
    first_places: dict[str, int] = {}
    overlaps = 0
    for result in results:
        best, second = result["ratings"][:2]
        first_places[best["name"]] = first_places.get(best["name"], 0) + 1
        overlaps += second["high"] >= best["low"]
    leaders = ", ".join(f"`{name}` {n}" for name, n in sorted(first_places.items(), key=lambda item: -item[1]))
    return (
        f"Players with the highest rating, by number of tables: {leaders}. In {overlaps} of {len(results)} tables the "
        "intervals of the best two players overlap, so their order is uncertain."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def add(name: str, help_text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help_text, allow_abbrev=False)

    runs = add("run", "play the missing games")
    estimates = add("estimate", "print the number of games and the time of a run")
    pages = add("page", "write the page from finished games")
    runs.set_defaults(act=run)
    estimates.set_defaults(act=lambda args: 0 * tell(cells_of(args), args))
    pages.set_defaults(act=page)
    for command in (runs, estimates, pages):
        command.add_argument("--out", type=Path, default=Path("runs/ladder"), help="folder (default: runs/ladder)")
    for command in (runs, estimates):
        command.add_argument("--jobs", type=int, default=2, help="games at the same time (default: 2)")
        command.add_argument("--games", type=int, default=GAMES, help=f"of each pair in each table (default: {GAMES})")
        command.add_argument("--seed", type=int, default=20, help="default: 20")
        command.add_argument("--maps", nargs="+", default=list(MAPS), help=f"default: {' '.join(MAPS)}")
        command.add_argument("--rules", nargs="+", default=list(PRESETS), choices=list(PRESETS), help="default: all")
        command.add_argument("--players", nargs="+", default=list(PLAYERS), help="default: the bundled ones")
        command.add_argument(
            "--external", action="append", default=[], metavar="NAME=COMMAND",
            help="a program that plays the presets with fog; NAME@RULES=COMMAND: one preset alone; repeatable",
        )  # fmt: skip
    runs.add_argument("--dirty", action="store_true", help="play with uncommitted changes; `page` refuses such games")
    pages.add_argument("--page", type=Path, default=PAGE, help="file to write (default: docs/results/ladder.md)")
    words = list(sys.argv[1:] if arguments is None else arguments)
    args = parser.parse_args(words)
    args.words = words
    if getattr(args, "games", 1) < 1 or getattr(args, "jobs", 1) < 1:
        parser.error("--games and --jobs: at least 1")
    try:
        return int(args.act(args))
    except InputError as error:
        print(f"ladder: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
