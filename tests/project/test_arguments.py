"""Functions and constructors of all packages reject arguments of wrong types with an `InputError`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from log_helpers import play_logged
from warlight_env import Game, Orders, bench, maps, simulate
from warlight_env.arena import Match
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.beliefs import Belief
from warlight_env.bench.score_card import make_card, score_of
from warlight_env.bench.subject import check_subject, make_subject
from warlight_env.engine.board import make_board
from warlight_env.engine.rules import Rules
from warlight_env.envs.actions import ENCODINGS
from warlight_env.envs.conformance import vector_conformance_test
from warlight_env.envs.saved_policies import policy_of
from warlight_env.envs.sb3 import save_policy
from warlight_env.errors import InputError, did_you_mean
from warlight_env.experiments import experiment
from warlight_env.features import observed_features
from warlight_env.protocol import ExternalBot, replay_to
from warlight_env.protocol.bot_side import BotSide
from warlight_env.record import check_variations
from warlight_env.tensor_env import WarlightTensorVectorEnv

HUGE: Any = 10**5000
ANY: Any = object()
SMALL = maps.load("small")
MATCH = Match(("random", "random"), games=1, map=SMALL)


def belief(**changes: Any) -> Belief:
    army = np.full(SMALL.n_regions, 2, dtype=np.int32)
    return Belief(**{"map": SMALL, "rules": Rules(), "player": 0, "army": army, **changes})


CALLS: dict[str, Callable[[], object]] = {
    "Belief, player": lambda: belief(player=[]),
    "Belief, map": lambda: belief(map=b"x"),
    "Belief, rules": lambda: belief(rules=HUGE),
    "Belief, army": lambda: belief(army=[0.5]),
    "Belief, offers": lambda: belief(offers=3),
    "Belief, preferences": lambda: belief(preferences=[99]),
    "ExternalBot, 3": lambda: ExternalBot(3),  # type: ignore[arg-type]
    "ExternalBot, list": lambda: ExternalBot([1, 2]),  # type: ignore[list-item]
    "ExternalBot, empty": lambda: ExternalBot([]),
    "ExternalBot, string": lambda: ExternalBot("true"),
    "ExternalBot, options": lambda: ExternalBot(["true"], 0, ANY),
    "ExternalBot, seed": lambda: ExternalBot(["true"], "x"),  # type: ignore[arg-type]
    "BotSide, make": lambda: BotSide(True),  # type: ignore[arg-type]
    "BotSide, len": lambda: BotSide(len),  # type: ignore[arg-type]
    "BotSide, array": lambda: BotSide(lambda: ANY, np.array([1, 2])),  # type: ignore[arg-type]
    "BotSide, challenge": lambda: BotSide(lambda: ANY, 3),  # type: ignore[arg-type]
    "make_subject, 3": lambda: make_subject(3),  # type: ignore[arg-type]
    "make_subject, action": lambda: make_subject("x.zip", action=HUGE),
    "check_subject": lambda: check_subject("random", ANY),
    "run, suite": lambda: bench.run("random", suite=np.zeros(2)),  # type: ignore[arg-type]
    "run, maps": lambda: bench.run("random", maps=[[]]),  # type: ignore[list-item]
    "run, no maps": lambda: bench.run("random", maps=None),  # type: ignore[arg-type]
    "run, name": lambda: bench.run("random", name=np.zeros(2)),  # type: ignore[arg-type]
    "run, clock": lambda: bench.run("random", clock=True),  # type: ignore[arg-type]
    "run, out": lambda: bench.run("random", maps="small", games=1, out=True),  # type: ignore[arg-type]
    "run, on_games": lambda: bench.run("random", maps="small", games=1, on_games=1),  # type: ignore[arg-type]
    "make_card": lambda: make_card([ANY], "x", {}, {}),  # type: ignore[arg-type]
    "score_of, none": lambda: score_of(None),  # type: ignore[arg-type]
    "score_of, no rows": lambda: score_of([]),
    "score_of, an empty row": lambda: score_of([[]]),
    "score_of, text": lambda: score_of([["x"]]),  # type: ignore[list-item]
    "experiment, bytes": lambda: experiment(b"x"),  # type: ignore[arg-type]
    "experiment, dict": lambda: experiment({}),  # type: ignore[arg-type]
    "experiment, huge": lambda: experiment(HUGE),
    "Match.run, backend": lambda: MATCH.run(backend=None),  # type: ignore[arg-type]
    "Match.run, path as backend": lambda: MATCH.run(backend=Path(".")),  # type: ignore[arg-type]
    "Match.run, folder": lambda: MATCH.run(folder=True),  # type: ignore[arg-type]
    "Match.run, NUL in a folder": lambda: MATCH.run(folder="a\0b"),
    "Match.run, surrogate in a folder": lambda: MATCH.run(folder="\ud800"),
    "Match.run, on_games": lambda: MATCH.run(3),  # type: ignore[arg-type]
    "Match.run, on_warm_up": lambda: MATCH.run(on_warm_up=3),  # type: ignore[arg-type]
    "Match, NUL in the folder of the logs": lambda: replace(MATCH, log="a\0b").run(),
    "check_variations": lambda: check_variations(None, len),  # type: ignore[arg-type]
    "save_policy": lambda: save_policy(None, "x.zip"),
    "policy_of": lambda: policy_of(None),
    "simulate, device": lambda: simulate(
        Game(SMALL, picks="random"), [[Orders(), Orders()]], device=np.zeros(2)  # type: ignore[call-overload]
    ),
    "WarlightTensorVectorEnv, players": lambda: WarlightTensorVectorEnv(2, device="cpu", players=10**30),
    "play_contests, number": lambda: play_contests(2.5),  # type: ignore[arg-type]
    "play_contests, text": lambda: play_contests("x"),  # type: ignore[arg-type]
    "observed_features, regions": lambda: observed_features("raw", {}, 2),  # type: ignore[arg-type]
    "observed_features, players": lambda: observed_features("raw", 3, HUGE),
    "observed_features, kind": lambda: observed_features(np.array([1, 2]), 3, 2),  # type: ignore[arg-type]
    "conformance, batch": lambda: vector_conformance_test(1.0, lambda: ANY),  # type: ignore[arg-type]
    "conformance, modes": lambda: vector_conformance_test(lambda n, mode: ANY, lambda: ANY, modes=[1]),  # type: ignore[list-item]
    "conformance, steps": lambda: vector_conformance_test(lambda n, mode: ANY, lambda: ANY, steps="x"),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_argument_of_a_wrong_type_is_refused(call):
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_encodings_refuse_other_objects_than_a_board_and_rule_parameters(encoding):
    board, params = make_board(SMALL), Rules().params(SMALL.n_regions, SMALL.n_super_regions)
    encoding(board, params)
    with pytest.raises(InputError, match=r"board = \{\}: must be a Board"):
        encoding({}, params)
    with pytest.raises(InputError, match="params = None: must be RuleParams"):
        encoding(board, None)


@pytest.mark.parametrize(
    "changes", [{"log": b"x"}, {"bot": None}, {"round": "x"}, {"seat": HUGE}, {"round": 1.0}, {"trace": 3}]
)
def test_a_replay_to_a_bot_refuses_arguments_of_other_types(changes, tmp_path):
    log = play_logged(tmp_path / "a.wl.jsonl", map="small", rules="thesis", max_rounds=1)
    with pytest.raises(InputError):
        replay_to(**{"bot": ExternalBot(["true"]), "log": log, "round": 1, **changes})


def test_beliefs_and_scores_accept_valid_arguments():
    assert belief(player=np.int64(1), offers=(0, 1), preferences=[1]).player == 1
    assert score_of([[0.5, 1.0], [0.0, 0.5]]).games == 8


def test_a_suggestion_prefers_words_with_the_same_first_letter():
    assert did_you_mean("armies", ["name", "army", "shape"]) == " (did you mean 'army'?)"
    assert did_you_mean("ab", ["xb", "yb", "zb", "ax"]) == " (did you mean 'ax'?)"
    assert did_you_mean("ab", ["cdef"]) == ""
