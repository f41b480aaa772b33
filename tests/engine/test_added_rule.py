"""After a rule is added to `Rules`, games without it keep their hashes and files, and all older files can be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import added_rule
from warlight_env.engine.rules import PRESETS, Rules, RulesError

LOGS = sorted(Path(__file__).parents[1].joinpath("logs").iterdir())
#: Reference values for the first fields of `Rules`: the hashes of new games, and the digests of a core and of requests
#: to a worker.
GAMES = {
    "thesis": "4c31e5e4d585f6811c8c94f35ba0a953b8a7a7a9280100a2396de4320a03810f",
    "thesis_draft": "81d3439a98e0d0964a8651f80ade1459a0964202429a0839f9b4e185a08d8c6c",
    "challenge1": "85a7464d2e48ea71b67ccd6f27add99f0e611f91f87aa104c4e1117b8608d20d",
    "challenge2": "efd8e7a094f8bfb5d1e6170e3572f95f5f6618e52ca6d1cbb2a52133b942faf1",
    "own": "ad4bdea9aaa5e7c4cf7212aa9e8cfd62e3763876b61192c17dc46113e4168de3",
}
CORE = "cb90da997fa72222e7efe04220c6418b35aa2b2a1e26be34f5f53577204cb772"
QUESTIONS = "abb3349eb8c77e3fb1e418c31d8a097a830202172d0bec41c8d395c78f970f22"


@pytest.fixture(scope="module")
def now():
    """The facts about the current rules."""
    return json.loads(json.dumps(added_rule.facts()))


@pytest.fixture(scope="module")
def later(now, tmp_path_factory):
    """The facts about the rules, and the files that are read, in a process with one more rule.

    The process runs as plain Python, because the new rule would require the compilation of all kernels.
    """
    facts_file = tmp_path_factory.mktemp("rules") / "told.json"
    facts_file.write_text(json.dumps(now))
    command = [sys.executable, added_rule.__file__, str(facts_file), *map(str, LOGS)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_hashes_and_digests_equal_the_reference_values(now):
    assert now["game"] == GAMES
    assert (now["core"], now["worker"]) == (CORE, QUESTIONS)


def test_added_rule_changes_no_hash_and_no_file(now, later):
    assert later["facts"] == now


def test_added_rule_keeps_logs_and_saved_games_readable(now, later):
    again = later["again"]
    assert again["patience"] == {path.name: 3 for path in LOGS}
    assert not any(again["differences"].values())
    assert again["saved"] == now["saved"] and again["suite"] == 3 and again["unpickled"]


def test_non_default_value_of_an_added_rule_is_hashed_and_stored(now, later):
    assert later["again"]["other hash"] != now["game"]["own"]
    assert later["again"]["kept"] == [4, 4, 4, 4]


def test_log_error_names_the_place_of_an_unknown_rule(later):
    assert later["again"]["refused"].startswith("/patient.wl.jsonl: line 1: no rule 'hurry'; there are ")


@pytest.mark.parametrize("missing", ["luck", "tie_break"])
def test_custom_rules_must_contain_all_fields_of_the_first_version(missing):
    fields = PRESETS["challenge1"].to_dict()
    assert Rules.of(fields) == PRESETS["challenge1"]
    del fields[missing]
    assert Rules.of(fields) == PRESETS["challenge1"]
    with pytest.raises(RulesError, match="rules: name = 'own': must be one of"):
        Rules.of({**fields, "name": "own"})
