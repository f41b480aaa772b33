"""Files of a tournament: folders of logs, names in logs, and tables as CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tournament_helpers import play_cup

from warlight_env.arena.tournaments.csv_export import crosstable_csv, games_csv
from warlight_env.arena.tournaments.tournament import Entrant, find_log_folder, log_folder
from warlight_env.cli import main
from warlight_env.record import GameLog


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cup")
    entrants = (Entrant("=Attila", "aggressive"), Entrant("army", "one_big_army"), Entrant("chance & co", "random"))
    return folder, play_cup(folder, entrants=entrants, games=2, max_rounds=10)


def test_folders_and_logs_have_the_names_of_the_players(played):
    folder, result = played
    names = sorted(path.name for path in (folder / "logs").iterdir())
    assert names[:2] == ["1-Attila-vs-army", "2-Attila-vs-chance-co"]
    assert len(names) == len(result.pairings)
    [first, _] = sorted(find_log_folder(folder / "logs", 2).glob("*.gz"))
    log = GameLog.load(first)
    assert sorted(log.names) == ["=Attila", "chance & co"]
    assert sorted(player.spec for player in log.header.players) == ["aggressive", "random"]


def test_log_folders_are_found_by_their_numbers(tmp_path):
    assert log_folder(tmp_path, 3, ["a", "b"]) == tmp_path / "3-a-vs-b"
    assert len(log_folder(tmp_path, 4, ["a" * 200, "b"]).name) <= 100
    assert log_folder(tmp_path, 5, ["../..", "/etc"]).parent == tmp_path
    (tmp_path / "30-x-vs-y").mkdir()
    assert find_log_folder(tmp_path, 30).name == "30-x-vs-y"
    assert not find_log_folder(tmp_path, 3).exists()


def test_log_list_filters_by_player_and_agent(played, capsys):
    folder, _ = played
    for option, value, count in (("--player", "army", 8), ("--agent", "random", 8), ("--player", "random", 0)):
        assert main(["log", "list", str(folder / "logs"), option, value, "--json", "-q"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert len(found) == count, (option, value)


def test_games_csv_has_one_row_per_game(played):
    _, result = played
    rows = list(csv.DictReader(io.StringIO(games_csv(result))))
    assert len(rows) == result.games
    assert {row["agent_1"] for row in rows} == {"'=Attila", "army", "chance & co"}
    for row in rows:
        places = {row["agent_1"]: row["place_1"], row["agent_2"]: row["place_2"]}
        assert not row["winner"] or places[row["winner"]] == "1"


def test_crosstable_csv_has_one_row_per_ordered_pair(played):
    _, result = played
    rows = list(csv.DictReader(io.StringIO(crosstable_csv(result))))
    assert len(rows) == 6
    for row in rows:
        assert int(row["games"]) == int(row["wins"]) + int(row["losses"]) + int(row["draws"])
        assert float(row["low"]) <= float(row["score"]) <= float(row["high"])


def test_the_command_writes_both_csv_tables(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text('agents = ["random", "aggressive"]\ngames = 2\nmaps = ["small"]\nmax_rounds = 5\n')
    assert main(["tournament", str(file), "--out", str(tmp_path / "run"), "-q"]) == 0
    assert (tmp_path / "run" / "games.csv").read_text().count("\n") == 3
    assert (tmp_path / "run" / "crosstable.csv").read_text().count("\n") == 3
