"""The table of openings: regions and incomes of logged games after some rounds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from warlight_env.arena import Match
from warlight_env.record import GameLog, LogError, game_at


@pytest.fixture
def openings(benchmarks: None) -> Any:
    import openings

    return openings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Match(["aggressive", "random"], games=4, map="small", paired=True, seed=3, log=tmp_path).run()
    return tmp_path


def test_regions_and_incomes_match_the_game(openings: Any, folder: Path):
    for path in openings.logs_in([folder]):
        log = GameLog.load(path)
        me = log.names.index("aggressive")
        measures = list(openings.measures_of(log, "aggressive", [1, 3, 1000]))
        assert [m.round for m in measures] == [n for n in (1, 3) if n <= len(log.rounds)]
        for measure in measures:
            game = game_at(log, measure.round)
            assert measure.regions == tuple(int((game.owner == seat).sum()) for seat in (me, 1 - me))
            assert measure.income == (game.income(me), game.income(1 - me))
            assert measure.result == ("won" if log.end and log.end.winner == me else "lost or drawn")


def test_won_and_lost_games_have_separate_rows(openings: Any, folder: Path, capsys: pytest.CaptureFixture[str]):
    assert openings.main(["random", str(folder), "--rounds", "1", "2"]) == 0
    rows = re.findall(r"^\| (won|lost or drawn) \| (\d) \| (\d+) \|", capsys.readouterr().out, re.M)
    logs = [GameLog.load(path) for path in openings.logs_in([folder])]
    won = sum(log.end is not None and log.end.winner == log.names.index("random") for log in logs)
    counts = {"won": won, "lost or drawn": len(logs) - won}
    assert [row for row in rows if row[1] == "1"] == [(name, "1", str(n)) for name, n in counts.items() if n]


@pytest.mark.parametrize("values, text", [([2.0], "2.0"), ([1.0, 2.0, 3.0], "2.0 (-0.5 to 4.5)")])
def test_an_interval_of_a_mean_uses_students_distribution(openings: Any, values: list[float], text: str):
    assert openings.mean_interval(values) == text


def test_an_absent_player_and_an_empty_folder_are_refused(openings: Any, folder: Path, tmp_path_factory: Any):
    with pytest.raises(LogError, match="plan must be one of them"):
        list(openings.measures_of(GameLog.load(openings.logs_in([folder])[0]), "plan"))
    with pytest.raises(LogError, match="has no logs of finished games"):
        openings.logs_in([tmp_path_factory.mktemp("empty")])
