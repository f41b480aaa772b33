"""The robustness table has a row for each style, the worst first."""

from __future__ import annotations

import re

import pytest

from warlight_env.agents import make_agent
from warlight_env.agents.players.styles import STYLES, StyleAgent
from warlight_env.arena import Match
from warlight_env.errors import InputError

SPEC = "warlight_env.agents.players.styles:StyleAgent,style="


pytestmark = pytest.mark.usefixtures("benchmarks")


def test_each_style_has_a_row_with_the_worst_first(capsys: pytest.CaptureFixture[str]):
    import robustness

    words = ["random", "--map", "small", "--games", "4", "--max-rounds", "30", "--rules", "challenge2"]
    assert robustness.main(words) == 0
    rows = re.findall(r"\| ([\w ]+) \| 4 \| (\d) \| (\d) \| ([\d.]+) %", capsys.readouterr().out)
    assert {row[0] for row in rows} == {*STYLES, "single stack", "aggressive", "plan"}
    scores = [float(row[3]) for row in rows]
    assert scores == sorted(scores) and scores[0] < 50
    assert all(score == pytest.approx(25 * (int(won) + int(drawn) / 2)) for (_, won, drawn, _), score in
               zip(rows, scores, strict=True))  # fmt: skip


@pytest.mark.parametrize("words, said", [
    (["nobody"], "no agent 'nobody'"), (["random", "--games", "0"], "--games 0: must be at least 1"),
    (["random", "--rules", "none"], "no rules 'none'"),
])  # fmt: skip
def test_invalid_arguments_are_reported(words: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    import robustness

    with pytest.raises(SystemExit):
        robustness.main(words)
    assert said in capsys.readouterr().err


def test_styles_beat_random_play_and_play_differently():
    results = [Match([SPEC + style, "random"], games=6, map="small", paired=True, seed=2).run() for style in STYLES]
    assert all(result.match_score.score(0) > 0.6 for result in results)
    assert len({tuple(record.rounds for record in result.records) for result in results}) == len(STYLES)


def test_an_unknown_style_is_refused():
    with pytest.raises(InputError, match=r"style 'rusch' .did you mean 'rush'.*turtle"):
        StyleAgent(style="rusch")
    assert make_agent(SPEC + "turtle", 0).name.endswith("style=turtle")
