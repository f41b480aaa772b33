"""Tournaments: pairings, sums of tables, errors in files, and reports as single files."""

from __future__ import annotations

import itertools
import json
import math
import re
import signal
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from forked_python import WARLIGHT, ForkedProgram
from warlight_env import maps
from warlight_env.arena.backends.backend import BACKENDS, LocalBackend
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.ratings.bradley_terry import GameRanking
from warlight_env.arena.ratings.skill import skills
from warlight_env.arena.tournaments import tournament_live
from warlight_env.arena.tournaments.tournament import Entrant, Tournament, TournamentError
from warlight_env.arena.tournaments.tournament_file import KEYS, load_tournament
from warlight_env.arena.tournaments.tournament_live import LiveTables
from warlight_env.arena.tournaments.tournament_report import to_html
from warlight_env.arena.tournaments.tournament_result import TournamentResult
from warlight_env.cli import main
from warlight_env.engine.rules import Rules

pytestmark = pytest.mark.usefixtures("forked_workers")

DOCS = Path(__file__).parents[2] / "docs"
BOTS = ("random", "aggressive", "smart_random", "one_big_army")


def tournament(**kwargs):
    entrants = tuple(Entrant(name, name) for name in BOTS)
    return Tournament(**{"name": "t", "entrants": entrants, "maps": (maps.load("small"),), "games": 4, **kwargs})


def play(tournament_, **kwargs):
    return TournamentResult(tournament_, play_contests(tournament_.contests(), **kwargs))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_round_robin_contains_every_set_of_agents_once(players):
    assert set(tournament(players=players).tables()) == set(itertools.combinations(range(4), players))


def test_a_gauntlet_pairs_each_challenger_with_all_others():
    two = tournament(format="gauntlet", challengers=("aggressive",))
    assert two.tables() == [(0, 1), (1, 2), (1, 3)]
    both = tournament(format="gauntlet", challengers=("aggressive", "random"))
    assert sorted(both.tables()) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    three = tournament(format="gauntlet", challengers=("aggressive",), players=3)
    assert three.tables() == [(0, 1, 2), (0, 1, 3), (1, 2, 3)]


def test_contests_combine_maps_and_rules_and_have_distinct_seeds():
    tournament_ = tournament(maps=(maps.load("small"), maps.load("world")), rules=(Rules(), Rules.of("thesis_draft")))
    contests = tournament_.contests()
    assert len(contests) == 6 * 4 == len({c.key for c in contests}) == len({c.setup.seed for c in contests})


def test_wins_losses_and_draws_add_up_in_all_tables():
    result = play(tournament(games=5, players=3, max_rounds=40))
    assert result.games == 4 * 6  # rounded up to units of three
    for (i, j), meeting in result.head_to_heads.items():
        back = result.head_to_heads[j, i]
        assert (meeting.wins, meeting.losses, meeting.draws) == (back.losses, back.wins, back.draws)
        assert meeting.games == meeting.wins + meeting.losses + meeting.draws == 12
        assert meeting.score + back.score == pytest.approx(1)
        assert meeting.interval.low <= meeting.score <= meeting.interval.high
    for pairing in result.pairings:
        assert sum(pairing.wins) + pairing.draws == pairing.games == pairing.games_asked == 6
    assert [rating.games for rating in result.ratings] == [18] * 4
    assert result.skills is not None and all(skill.sigma < 25 / 3 for skill in result.skills)


def test_the_text_reports_games_stopped_at_the_round_limit():
    entrants = Entrant("a", "random"), Entrant("b", "random")
    assert "4 games were stopped at the round limit and count as draws" in str(
        play(tournament(entrants=entrants, games=4, max_rounds=1))
    )
    assert "stopped" not in str(play(tournament(games=2)))


def test_ratings_of_two_agents_equal_their_score_in_elo():
    result = play(tournament(entrants=(Entrant("a", "aggressive"), Entrant("b", "random")), games=20, anchor="b"))
    meeting = result.head_to_heads[0, 1]
    odds = (meeting.wins + meeting.draws / 2 + 0.5) / (meeting.losses + meeting.draws / 2 + 0.5)
    assert result.ratings[0].elo == pytest.approx(400 * math.log10(odds))
    assert result.ratings[1].elo == 0
    assert result.skills is None


GOOD = """
name = "Night"
agents = ["random", {name = "big", spec = "one_big_army", clock = "1s"}]
games = 6
maps = ["small"]
rules = ["thesis", {preset = "thesis", fog = true}]
clock = "5sims"
"""


def test_a_file_defines_a_tournament(tmp_path):
    file = tmp_path / "night.toml"
    file.write_text(GOOD)
    tournament_ = load_tournament(file)
    assert tournament_.name == "Night" and tournament_.names == ("random", "big") and tournament_.games == 6
    assert [rules.name for rules in tournament_.rules] == ["thesis", "thesis:fog=true"]
    assert [rules.fog for rules in tournament_.rules] == [False, True]
    assert [str(clock) for clock in tournament_.contests()[0].setup.clocks] == ["5sims", "1s"]
    assert json.dumps(tournament_.to_dict())


def test_a_map_in_the_folder_of_the_file_is_loaded(tmp_path):
    (tmp_path / "mine.json").write_text(maps.dumps(maps.generate(8, 2, seed=1, name="mine")))
    file = tmp_path / "t.toml"
    file.write_text('agents = ["random", "aggressive"]\nmaps = ["mine.json"]')
    assert load_tournament(file).maps[0].name == "mine"


@pytest.mark.parametrize(
    "text, message",
    [
        ('agents = ["random" 3]', r"t\.toml: .*line 1"),
        ("games = 5", r"agents: is missing"),
        ('agents = ["random", "agressive"]', r"line 1: agents\[1\]: there is no agent 'agressive' \(did you mean"),
        ('agents = ["random", "random:chunk=3"]', r"agents\[1\]: .*no parameter 'chunk' \(did you mean 'chunks'"),
        ('agents = ["random", "random"]', r"line 1: agents: two agents have the name 'random'"),
        ('agents = ["random"]', r"games of 2 players need at least 2 agents, not 1"),
        ('agents = ["random", 3]', r"agents\[1\]: must be a table, not 3"),
        ('agents = ["random", "aggressive"]\n\ngame = 5', r"line 3: game: no such key \(did you mean 'games'"),
        ('agents = ["random", "aggressive"]\ngames = 0', r"line 2: games: must lie in 1 .. 1000000000, not 0"),
        ('agents = ["random", "aggressive"]\ngames = true', r"line 2: games: must be an integer, not True"),
        ('agents = ["random", "aggressive"]\ngames = 2.5', r"games: must be an integer"),
        ('agents = ["random", "aggressive"]\nformat = "gantlet"', r"line 2: format: unknown value 'gantlet'"),
        ('agents = ["random", "aggressive"]\nformat = "gauntlet"', r"challengers: a gauntlet needs challengers"),
        ('agents = ["random", "aggressive"]\nchallengers = ["x"]', r"line 2: challengers: no agent is named 'x'"),
        ('agents = ["random", "aggressive"]\nanchor = "x"', r"line 2: anchor: no agent is named 'x'"),
        ('agents = ["random", "aggressive"]\nanchor_elo = 1500', r"line 2: anchor_elo: needs anchor"),
        ('agents = ["random", "aggressive"]\nanchor_elo = nan', r"line 2: anchor_elo: must be a finite number"),
        ('agents = ["random", "aggressive"]\nmaps = ["wrld"]', r"line 2: maps\[0\]: .*did you mean 'world'"),
        ('agents = ["random", "aggressive"]\nmaps = []', r"line 2: maps: must have at least one entry"),
        ('agents = ["random", "aggressive"]\nrules = ["x"]', r"line 2: rules\[0\]: no rules 'x'"),
        ('agents = ["random", "aggressive"]\nrules = [{fogg = true}]', r"rules\[0\]: no rule 'fogg'"),
        ('agents = ["random", "aggressive"]\nclock = "soon"', r"line 2: clock: clock 'soon': must be simulations"),
        ('agents = ["random", {spec = "random", clock = 3}]', r"line 1: agents\[1\].clock: must be a string"),
        ('agents = ["random", "aggressive"]\non_crash = "cry"', r"line 2: on_crash: unknown value 'cry'"),
        ('agents = ["random", "aggressive"]\nplayers = 7', r"players: must lie in 2 .. 6"),
        ('agents = ["random"]\n[[agent]]\nspec = "x"', r"line 2: agent: no such key \(did you mean 'agents'"),
        ('[[agents]]\nspec = "random"\n[[agents]]\nname = "b"\nspecs = "x"', r"line 5: agents\[1\].specs: no such key"),
    ],
)  # fmt: skip
def test_errors_in_a_file_name_the_line_and_the_key(tmp_path, text, message):
    file = tmp_path / "t.toml"
    file.write_text(text)
    with pytest.raises(TournamentError, match=message):
        load_tournament(file)


class Page(HTMLParser):
    """A parser that checks for closed tags and collects references and the text of table cells."""

    VOID = ("meta", "link")

    def __init__(self):
        super().__init__()
        self.open, self.references, self.cells = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.references += [value for name, value in attrs if name in ("src", "href", "action", "data", "srcset")]
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_startendtag(self, tag, attrs):
        self.references += [value for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def test_the_report_is_one_file_without_external_references():
    entrants = (Entrant('<b>&"x', "aggressive"), Entrant("random", "random"), Entrant("idle", "random:chunks=1"))
    result = play(tournament(entrants=entrants, players=3, max_rounds=30))
    text = to_html(result)
    page = Page()
    page.feed(text)
    assert page.open == []
    assert [reference for reference in page.references if reference != "data:,"] == []
    assert not re.search(r"https?:|@import|url\(", text)
    assert "<b>" not in text and '<b>&"x' in page.cells
    assert f"{100 * result.head_to_heads[0, 1].score:.1f}" in text
    assert "prefers-color-scheme:dark" in text


def test_the_report_and_the_text_show_the_same_ratings():
    result = play(tournament(max_rounds=30))
    page = Page()
    page.feed(to_html(result))
    table = [cell.text for row in result.ratings_table for cell in row]
    assert page.cells[: len(table)] == table
    lines = str(result).splitlines()[1 : len(result.ratings_table) + 1]
    assert [" ".join(cell.text for cell in row) for row in result.ratings_table] == [" ".join(x.split()) for x in lines]


def untimed(data):
    """Return a result without machine-dependent times."""
    return {**data, "times": None, "pairings": [{**p, "seconds": 0} for p in data["pairings"]]}


def test_the_command_writes_a_folder_and_continues_from_it(tmp_path, capsys):
    file, folder = tmp_path / "night.toml", tmp_path / "run"
    file.write_text(GOOD)
    assert main(["tournament", str(file), "--out", str(folder), "--json", "--quiet"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first == json.loads((folder / "tournament.json").read_text())
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert first["games"] == 12 and not first["interrupted"]
    lines = (folder / "games.jsonl").read_text().splitlines(keepends=True)
    (folder / "games.jsonl").write_text("".join(lines[:5]) + lines[5][:20])  # as after a kill during a write
    assert main(["tournament", str(file), "--out", str(folder), "--json", "--quiet"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert untimed(second) == untimed(first)


def test_the_command_rejects_a_folder_of_another_tournament(tmp_path, capsys):
    file, folder = tmp_path / "night.toml", tmp_path / "run"
    file.write_text(GOOD)
    assert main(["tournament", str(file), "--out", str(folder), "--quiet"]) == 0
    file.write_text(GOOD.replace("games = 6", "games = 8"))
    assert main(["tournament", str(file), "--out", str(folder), "--quiet"]) == 2
    assert "another run" in capsys.readouterr().err
    assert main(["tournament", str(tmp_path / "none.toml")]) == 2
    assert "none.toml: cannot be read: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["tournament", "night.toml"],
        ["bench", "random", "--map", "small", "--games", "2"],
        ["experiment", "run", "thesis-3.5", "--agent", "mcts", "--quick"],
    ],
)
@pytest.mark.parametrize("options, jobs", [([], None), (["--jobs", "1"], 1)])
def test_without_the_option_jobs_the_backend_decides(tmp_path, monkeypatch, command, options, jobs):
    opened = []

    class Cluster(LocalBackend):
        def open(self, setups, jobs):
            opened.append(jobs)
            return super().open(setups, jobs)

    monkeypatch.setitem(BACKENDS, "local", Cluster)
    monkeypatch.chdir(tmp_path)
    Path("night.toml").write_text(GOOD)
    assert main([*command, *options, "--quiet", "--out", "run"]) == 0
    assert opened == [jobs]


@pytest.mark.parametrize("command", ["tournament", "bench", "experiment run"])
def test_every_command_has_the_option_ray_address(capsys, command):
    assert main([*command.split(), "x", "--ray-address", "127.0.0.1:1"]) == 2
    assert "--ray-address needs --backend ray" in capsys.readouterr().err


def test_the_example_is_a_valid_tournament():
    tournament_ = load_tournament(Path(__file__).parents[2] / "examples" / "tournament.toml")
    assert len(tournament_.contests()) == 2 * 10
    assert str(tournament_.contests()[3].setup.clocks[1]) == "50sims"


@pytest.mark.parametrize("page", ["how-to/class-tournament.md", "reference/tournament-file.md"])
def test_tournament_files_in_the_documentation_are_valid(page, tmp_path):
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (file := tmp_path / "shown.toml").write_text(shown, encoding="utf-8")
    assert load_tournament(file).contests()


def test_the_documentation_lists_all_keys_with_their_defaults():
    text = (DOCS / "reference" / "tournament-file.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) ?\|", text, re.MULTILINE))
    assert rows.keys() == set(KEYS)
    defaults = Tournament("t", (Entrant("a", "random"), Entrant("b", "random"))).to_dict()
    for key, shown in rows.items():
        if shown not in ("", "the file's name", "none", "as in the rules, or 500"):
            assert json.loads(shown.strip("`")) == defaults[key], key


def test_skills_match_openskill():
    one, other = skills("ab", [GameRanking((0, 1), (1, 2), 0)])
    # The values for two new players after one game are from the documentation of openskill.
    assert (one.mu, one.sigma) == pytest.approx((27.6352, 8.0655), rel=1e-4)
    assert (other.mu, other.sigma) == pytest.approx((22.3648, 8.0655), rel=1e-4)
    assert one.ordinal == pytest.approx(one.mu - 3 * one.sigma)
    three = skills("abc", [GameRanking((2, 0, 1), (1, 2, 2), k) for k in range(9)])
    assert three[2].ordinal > three[0].ordinal == pytest.approx(three[1].ordinal)


def test_a_killed_tournament_continues_and_gives_the_same_result(tmp_path):
    file = tmp_path / "night.toml"
    file.write_text('agents = ["random", "smart_random", "aggressive"]\ngames = 8\nmaps = ["world"]')
    folder = tmp_path / "killed"
    command = ["tournament", str(file), "--quiet", "--out"]
    running = ForkedProgram(WARLIGHT, *command, str(folder))
    games = folder / "games.jsonl"
    while running.poll() is None and (not games.exists() or games.read_bytes().count(b"\n") < 4):
        time.sleep(0.001)
    running.kill()
    assert running.wait() == -signal.SIGKILL
    assert 4 <= games.read_bytes().count(b"\n") < 24
    live = json.loads((folder / "tournament.json").read_text())
    assert live["running"] and live["interrupted"] and live["games"] < 24
    cards = []
    for where in (folder, tmp_path / "whole"):
        assert main([*command, str(where)]) == 0
        cards.append(untimed(json.loads((where / "tournament.json").read_text())))
    assert cards[0] == cards[1] and cards[0]["games"] == 24 and not cards[0]["running"]


def test_an_interrupted_tournament_writes_the_result_of_its_games(tmp_path, monkeypatch, capsys):
    """All pairings are finished on one map, and some pairings of the other map have no games."""
    file, folder, played = tmp_path / "night.toml", tmp_path / "night", 0
    file.write_text(
        'agents = ["random", "smart_random", "aggressive"]\ngames = 4\nmaps = ["small", "world"]\nmax_rounds = 30'
    )
    original = LiveTables.add

    def add(self, key, records):
        nonlocal played
        original(self, key, records)
        played += len(records)
        if played >= 14:
            raise KeyboardInterrupt

    monkeypatch.setattr(LiveTables, "add", add)
    assert main(["tournament", str(file), "--quiet", "--out", str(folder)]) == 130
    out = capsys.readouterr().out
    data = json.loads((folder / "tournament.json").read_text())
    assert data["interrupted"] and data["games"] < 24 and len(data["ratings"]) == 3
    assert 0 in [pairing["games"] for pairing in data["pairings"]]
    assert "aggressive" in out and str(folder / "report.html") in out
    assert "aggressive" in (folder / "report.html").read_text()


def test_live_tables_contain_the_finished_games(tmp_path, monkeypatch):
    monkeypatch.setattr(tournament_live, "EVERY", 0.0)
    monkeypatch.setattr(tournament_live, "SHARE", 1e9)
    tournament_, seen, records_by_key = tournament(games=2, max_rounds=30), [], {}
    file = tmp_path / "tournament.json"
    with LiveTables(tournament_, tmp_path) as tables:

        def add_records(key, records):
            records_by_key.setdefault(key, []).extend(records)
            tables.add(key, records)
            seen.append(json.loads(file.read_text()))
            # The tables only contain complete units, so that all seats have equally many games.
            assert seen[-1]["games"] == sum(len(games) // 2 * 2 for games in records_by_key.values())
            assert bool(seen[-1]["ratings"]) == (len({name for key, g in records_by_key.items() if len(g) > 1
                                                      for name in key.split(" / ")[2].split(" : ")}) == 4)  # fmt: skip

        result = tables.finish(play_contests(tournament_.contests(), on_games=add_records))
    assert all(data["running"] and data["interrupted"] for data in seen[:-1]) and len(seen) > 6
    last = json.loads(file.read_text())
    assert last == json.loads(json.dumps(result.to_dict())) and not last["running"]


def test_live_tables_are_marked_as_ended_after_an_exception(tmp_path):
    tournament_ = tournament(games=2)
    first = tournament_.contests()[0]
    records = play_contests([first])[first.key].records

    def play_and_fail(folder, games):
        with LiveTables(tournament_, folder) as tables:
            if games:
                tables.add(first.key, games)
            raise KeyError

    with pytest.raises(KeyError):
        play_and_fail(tmp_path, records)
    data = json.loads((tmp_path / "tournament.json").read_text())
    assert data["games"] == 2 and data["interrupted"] and not data["running"] and data["ratings"] == []
    empty = tmp_path / "empty"
    with pytest.raises(KeyError):
        play_and_fail(empty, ())
    assert not empty.exists()


def test_meetings_are_split_by_seat():
    tournament_ = tournament(games=6, max_rounds=40, players=3)
    result = play(tournament_)
    for (i, j), meeting in result.head_to_heads.items():
        for seat, tally in enumerate(meeting.seats):
            games = [
                (r.placements[table.index(i)], r.placements[table.index(j)])
                for contest, table in zip(tournament_.contests(), tournament_.seated(), strict=True)
                if {i, j} <= set(table)
                for r in result.results[contest.key].records
                if r.seats[seat] == table.index(i)
            ]
            assert tally.games == len(games) == 4
            assert tally.wins == sum(mine < its for mine, its in games)
            assert tally.draws == sum(mine == its for mine, its in games)
    data = result.to_dict()
    assert [time["answers"] > 0 for time in data["times"]] == [True] * 4
    assert data["meetings"][0]["seats"][2]["seat"] == 3
