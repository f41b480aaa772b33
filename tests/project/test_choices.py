"""The measurement of single turns: its results for bots of known strength."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.usefixtures("benchmarks")


def test_the_network_gains_nothing_over_itself_and_one_big_army_loses(capsys: pytest.CaptureFixture[str]):
    import turn_quality

    bots = ["policy:world", "one_big_army"]
    assert turn_quality.main([*bots, "--positions", "5", "--playouts", "48"]) == 0
    table = re.findall(r"\| `([\w:]+)` \| ([-+.\d]+) \(± ([.\d]+)\) \| (\d+) % \|", capsys.readouterr().out)
    itself, other = ({"name": row[0], "gain": float(row[1]), "same": int(row[3])} for row in table)
    assert itself == {"name": "policy:world", "gain": 0.0, "same": 100}
    assert other["name"] == "one_big_army" and other["gain"] < -5 and other["same"] < 100


@pytest.mark.parametrize(
    "words, said",
    [
        (["nobody"], "no agent 'nobody'"),
        (["plan", "--net", "none"], "a network is needed"),
        (["plan", "--net", "gone.npz"], "gone.npz"),
        (["plan", "--positions", "0"], "at least 1"),
    ],
)
def test_invalid_arguments_are_reported(words: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    import turn_quality

    with pytest.raises(SystemExit):
        turn_quality.main(words)
    assert said in capsys.readouterr().err
