"""User-defined functions in a search: their valid results and the errors that they cause."""

from __future__ import annotations

import multiprocessing
import pickle
import random
import sys
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numba
import numpy as np
import pytest

from forked_python import run_in_copy
from helpers import position
from plug_in_faults import (
    ASKING_EVALUATION,
    ASKING_GENERATOR,
    FAULTS,
    FUNCTIONS,
    SMALL,
    Case,
    FaultyError,
    case,
    view,
)
from warlight_env import Game, Orders
from warlight_env.agents.context import bare_context
from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.players.flat import FlatSearch, FlatSettings
from warlight_env.agents.players.mcts import MctsAgent, MctsSettings, TreeSearch
from warlight_env.agents.plug_ins.answer_faults import AnswerError, PlugInError
from warlight_env.agents.plug_ins.functions import Functions, plug_in
from warlight_env.engine.jit import kernel
from warlight_env.envs import EnvCore

pytestmark = pytest.mark.filterwarnings("ignore:.*runs as plain Python:RuntimeWarning")

#: Numbers of regions and directed edges of the map of `view()`, and player 0's first region.
REGIONS, EDGES, HOME = 10, 34, 4

#: Kind of function, fault, its number, and a pattern of the error message. Locations are in player 0's turn, which the
#: search requests first.
WRONG = [
    ("evaluation", "answer", float("nan"), r"nan for player 0, but a share must be in 0 \.\. 1"),
    ("evaluation", "answer", float("inf"), "inf for player 0, but a share"),
    ("evaluation", "answer", -0.01, "-0.01 for player 0, but a share"),
    ("evaluation", "answer", 1.01, "1.01 for player 0, but a share"),
    ("generator", "answer", 0, r"returned 0, but the number of turns must be in 1 \.\. 9"),
    ("generator", "answer", 10, "returned 10, but the number of turns"),
    ("generator", "answer", -1, "returned -1, but the number of turns"),
    ("generator", "attacks", 100_000, rf"turn 0: 100000 attacks, but their number must be in 0 \.\. {EDGES}"),
    ("generator", "attacks", -1, "turn 0: -1 attacks, but their number"),
    ("generator", "source", 100_000, rf"turn 0: attack 0: from region 100000, but regions are 0 \.\. {REGIONS - 1}"),
    ("generator", "target", -1, "turn 0: attack 0: to region -1, but regions are"),
    ("generator", "target", HOME, f"turn 0: attack 0: from region {HOME} to region {HOME}, which are not adjacent"),
    ("generator", "armies", 0, "turn 0: attack 0: with 0 armies, but the minimum is 1"),
    ("generator", "armies", 10**6, "turn 0: attack 0: with 1000000 armies, but the region has [0-9]+"),
    ("generator", "deploy", -3, f"turn 0: deploys -3 armies on region {HOME}"),
    ("generator", "deploy", 1000, "turn 0: deploys 1000 armies, but the income is [0-9]+"),
    ("generator", "foreign deploy", 0, "turn 0: deploys 1 armies on region [0-9]+, which is not the player's"),
    ("generator", "repeated", 0, "turn 0: attack 1: has the same two regions as attack 0"),
    ("policy", "answer", 100_000, rf"100000 attacks, but their number must be in 0 \.\. {EDGES}"),
    ("policy", "source", REGIONS, f"attack 0: from region {REGIONS}, but regions"),
    ("policy", "armies", -5, "attack 0: with -5 armies, but the minimum is 1"),
    ("policy", "deploy", 1000, "deploys 1000 armies, but the income"),
    ("picker", "answer", 100_000, rf"returned 100000, but the number of preferred regions must be in 0 \.\. {REGIONS}"),
    ("picker", "preference", 100_000, "preference 0: region 100000, but regions are"),
    ("picker", "preference", HOME, f"preference 0: region {HOME} is not free"),
    ("picker", "preference twice", 0, "preference 1: region [0-9]+ is in the list twice"),
]


def test_the_constants_in_this_file_match_the_position():
    board = view().board
    assert (board.n_regions, board.n_edges, np.flatnonzero(view().owner == 0)[0]) == (REGIONS, EDGES, HOME)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("kind, fault, number, says", WRONG)
def test_an_invalid_result_raises_an_error_with_its_location_and_value(kind, fault, number, says, compiled):
    name = FUNCTIONS[compiled][kind].__name__
    with pytest.raises(AnswerError, match=rf"{kind} '{name}' \(plug_in_faults.py, line [0-9]+\): {says}"):
        Case(kind, compiled, fault, number).run()


@pytest.mark.usefixtures("forked_workers")
def test_an_answer_error_survives_pickling_and_process_pools():
    wrong = Case("picker", False, "answer", 100_000)
    with pytest.raises(AnswerError) as here:
        wrong.run()
    here.value.add_note("in a game")
    copy = pickle.loads(pickle.dumps(here.value))
    assert (type(copy), str(copy), copy.__notes__) == (AnswerError, str(here.value), ["in a game"])
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool, pytest.raises(AnswerError) as there:
        pool.submit(wrong.run).result()
    assert str(there.value) == str(here.value)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("kind", FAULTS)
def test_valid_results_are_accepted(kind, compiled):
    assert Case(kind, compiled, "none", 0).run()


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("kind", FAULTS)
def test_exceptions_of_a_function_keep_their_own_traceback(kind, compiled):
    with pytest.raises(FaultyError, match="of a test") as caught:
        Case(kind, compiled, "raise", 0).run()
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename.endswith("plug_in_faults.py") and last.line.startswith("raise FaultyError")
    assert any(kind in note for note in caught.value.__notes__)


@pytest.mark.parametrize("kind", FAULTS)
def test_indices_of_compiled_functions_are_checked(kind):
    with pytest.raises(IndexError):
        Case(kind, True, "index", 10**6).run()


@pytest.mark.parametrize("kind", ["generator", "policy"])
def test_the_position_that_a_function_gets_is_a_copy(kind):
    good, writing = (Case(kind, True, fault, 0) for fault in ("none", "position"))
    assert good.run(50) == writing.run(50)


@numba.njit
def writes_to_the_board(context, position, shares):
    context.board.bonus[0] = 500
    shares[:] = 0.5


@numba.njit
def writes_to_a_row(context, position, shares):
    row = context.board.distance[0]
    row[0] = 1
    shares[:] = 0.5


@numba.njit
def writes_to_the_evaluation(context, position, shares):
    context.evaluation.supers[0, 0] = 500.0
    shares[:] = 0.5


@pytest.mark.parametrize("function", [writes_to_the_board, writes_to_a_row, writes_to_the_evaluation])
def test_functions_cannot_write_to_arrays_that_games_share(function):
    before = view().board.bonus.tolist()
    with pytest.raises(
        PlugInError,
        match=r"evaluation 'writes_to_.*cannot be compiled .*\(context, .*\): it writes to a read-only array",
    ):
        TreeSearch(view(), MctsSettings(), 1, Functions(evaluation=function))
    assert view().board.bonus.tolist() == before


@numba.njit
def writes_to_the_dice(context, position, player, rng, work, turns):
    context.params.dice.kills[0, 0] = 0
    return 1


def test_functions_cannot_write_to_the_dice():
    with pytest.raises(
        PlugInError, match=r"generator 'writes_to_the_dice'.*: it writes to a read-only array that games share"
    ):
        TreeSearch(view(), MctsSettings(), 1, Functions(generator=writes_to_the_dice))


@numba.njit
def forwarding(context, position, player, rng, work, turns):
    return generate_turns(context, position, player, rng, work, turns)


def test_functions_can_pass_their_arguments_to_kernels():
    settings = MctsSettings(samples=1, rounds=1, local_search=0.0)
    own = TreeSearch(view(), settings, 1)
    own.run(20)
    theirs = TreeSearch(view(), settings, 1, Functions(generator=forwarding))
    theirs.run(20)
    assert theirs.candidates() == own.candidates()


WAYS_TO_GIVE = {
    "kernel": kernel,
    "njit": numba.njit,
    "njit, fastmath": numba.njit(fastmath=True),
    "Python": lambda f: f,
}


@pytest.mark.parametrize("way", WAYS_TO_GIVE)
def test_a_nan_share_raises_an_error_in_every_form_of_function(way):
    @WAYS_TO_GIVE[way]
    def share(context, position, shares):
        for p in range(context.players):
            shares[p] = position.army[0] * np.nan

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # all forms are compiled
        with pytest.raises(AnswerError, match=r"'share'.* nan for player 0"):
            TreeSearch(view(), MctsSettings(), 1, Functions(evaluation=share))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "last, says",
    [
        (None, "nan for player 1"),
        (0.75, r"the shares of 2 players add up to 1\.25, but must add up to 1"),
        (1.5, "1.5 for player 1"),
    ],
)
def test_missing_shares_and_wrong_sums_raise_an_error(last, says, compiled):
    def halves(context, position, shares):
        shares[0] = 0.5
        if last is not None:
            shares[1] = last

    if not compiled:
        ASKING_EVALUATION.function = halves
    with pytest.raises(AnswerError, match=rf"evaluation .*: {says}"):
        TreeSearch(view(), MctsSettings(), 1, Functions(evaluation=halves if compiled else ASKING_EVALUATION))


@pytest.mark.parametrize("way", WAYS_TO_GIVE)
def test_the_error_for_a_wrong_signature_names_the_expected_parameters(way):
    @WAYS_TO_GIVE[way]
    def share(context, position, player):
        return 1.0 if position.owner[0] == player else 0.0

    says = r"'share'.*: its parameters must be \(context, position, shares\): parameter 'player' is in the place of"
    with pytest.raises(PlugInError, match=says):
        MctsAgent(evaluation=share)


def test_python_that_numba_cannot_compile_runs_with_a_warning():
    def share(context, position, shares):
        import math

        shares[:] = math.fabs(-0.5)

    with pytest.warns(RuntimeWarning, match=r"'share'.*runs as plain Python"):
        TreeSearch(view(), MctsSettings(samples=1, rounds=1, local_search=0.0), 1, Functions(evaluation=share)).run(3)


def test_compiled_functions_must_return_an_integer():
    with pytest.raises(PlugInError, match=r"generator '<lambda>' .*: returns none, not a whole number"):
        TreeSearch(
            view(), MctsSettings(), 1, Functions(generator=lambda context, position, player, rng, work, turns: None)
        )
    with pytest.raises(PlugInError, match=r"generator '<lambda>' .*: returns float64, not a whole number"):
        TreeSearch(
            view(), MctsSettings(), 1, Functions(generator=lambda context, position, player, rng, work, turns: 1.5)
        )


def test_python_functions_must_return_an_integer():
    ASKING_GENERATOR.function = lambda *arguments: 1.5
    with pytest.raises(PlugInError, match=r"generator Asking: returned 1\.5, not a whole number"):
        TreeSearch(view(), MctsSettings(), 1, Functions(generator=ASKING_GENERATOR))


def test_python_functions_get_copies_that_they_may_keep():
    kept = []

    def keep(context, position, player, rng, work, turns):
        turns.deploy[0], turns.counts[0] = 0, 0
        kept.extend([*position, rng, *turns])
        return 1

    ASKING_GENERATOR.function = keep
    TreeSearch(view(), MctsSettings(**SMALL), 1, Functions(generator=ASKING_GENERATOR)).run(3)
    assert kept and all(array.base is None and array.flags.owndata for array in kept)


def test_unhashable_functions_that_compare_equal_are_not_confused():
    class Even:
        __hash__ = None
        asked = 0

        def __eq__(self, other):
            return True

        def __call__(self, *arguments):
            self.asked += 1
            arguments[2][:] = 0.5

    for function in (Even(), Even()):
        TreeSearch(view(), MctsSettings(**SMALL), 1, Functions(evaluation=function))
        assert function.asked


@pytest.mark.parametrize("given", [lambda a, b: a, numba.njit(lambda a, b: a), len, 5, "mcts"])
def test_invalid_functions_raise_an_error_at_construction(given):
    with pytest.raises(PlugInError, match=r"evaluation .*(parameters must be|must be a function)"):
        MctsAgent(evaluation=given)
    with pytest.raises(PlugInError, match="evaluation"):
        TreeSearch(view(), MctsSettings(), 1, Functions(evaluation=given))


def test_the_generator_is_not_called_for_eliminated_players():
    game = Game("small", players=3, picks="random", seed=1)
    held = [0] * (REGIONS // 2) + [1] * (REGIONS - REGIONS // 2)
    seen = position(game, held, [3] * REGIONS).view(0)
    asked = set()

    def noting(context, position, player, rng, work, turns):
        asked.add(player)
        turns.deploy[0] = 0
        turns.counts[0] = 0
        return 1

    ASKING_GENERATOR.function = noting
    TreeSearch(seen, MctsSettings(samples=1, rounds=2, local_search=0.0), 1, Functions(generator=ASKING_GENERATOR)).run(
        5
    )
    assert asked == {0, 1}


def rounds_seen(kind, settings, simulations=40, trials=0):
    """Return the rounds of the positions that a search passes to a function, relative to the round of the game."""
    played, asked = 3, set()
    seen = replace(view(), round=played)
    told = ASKING_EVALUATION if kind == "evaluation" else ASKING_GENERATOR

    def noting(context, position, *others):
        asked.add(int(position.round[0]) - played)
        return FUNCTIONS[True][kind].py_func(context, position, *others)

    told.function = noting
    flat = settings.pop("flat", False)
    chosen = SMALL | {"weights": Case(kind, True, "none", 0).weights} | settings
    functions = Functions(**{kind: told})
    if flat:
        search = FlatSearch(seen, FlatSettings(**chosen), 1, functions)
    else:
        search = TreeSearch(seen, MctsSettings(**chosen), 1, functions)
    asked.clear()  # discards the calls of the check at construction
    search.run(simulations)
    if trials:
        asked.clear()
        search.best()
        search.improve_by_local_search(trials)
    return asked


def test_positions_have_the_round_of_the_simulation():
    flat = {"flat": True, "samples": 1}
    for rounds in (1, 2, 3):
        assert rounds_seen("evaluation", {"rounds": rounds, "outcome": "single"} | flat) == {rounds}
        assert rounds_seen("policy", {"rounds": rounds} | flat) == set(range(rounds))
        scenarios = {"scenarios": 12, "horizon": rounds, "local_search": 0.5}
        assert rounds_seen("evaluation", scenarios, 1, trials=3) == {rounds}
    tree = {"rounds": 2, "outcome": "single", "exploration": 0.0}
    expanded, valued = rounds_seen("generator", tree), rounds_seen("evaluation", tree)
    assert expanded == set(range(max(expanded) + 1)) and max(expanded) > 2, "round by round down the tree"
    assert valued == set(range(1 + 2, max(valued) + 1)) and max(valued) > 4, "and two of a playout"


SEARCHER = """
import os
import numba, numpy as np
from helper import part
from warlight_env import Game
from warlight_env.agents.context import bare_context
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.agents.weights import THESIS

SHARE = float(os.environ["SHARE"])

@numba.njit
def evaluation(context, position, shares):
    shares[0] = SHARE + part()
    shares[1] = 1 - shares[0]

@numba.njit
def ask(evaluation, context, position, shares):
    evaluation(context, position, shares)

view = Game("small", seed=1, picks="random").view(0)
context = bare_context(view.board, view.params, view.players, THESIS)
shares = np.zeros(2)
ask(plug_in("evaluation", evaluation), context, view.position, shares)
print(shares[0])
"""


def test_each_process_compiles_functions_with_current_dependencies(tmp_path, monkeypatch):
    """The function's source and location do not change, but the value of a global and a function in another file do."""
    (tmp_path / "searcher.py").write_text(SEARCHER)
    told = []
    for share, part in ((0.25, 0.0), (0.5, 0.0), (0.5, 0.125)):
        (tmp_path / "helper.py").write_text(f"import numba\n\n@numba.njit\ndef part():\n    return {part}\n")
        monkeypatch.setenv("SHARE", str(share))
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        done = run_in_copy(tmp_path / "searcher.py", folder=tmp_path)
        assert done.returncode == 0, done.stdout
        told.append(float(done.stdout))
    assert told == [0.25, 0.5, 0.625]


def test_an_environment_raises_a_policy_s_error_without_moves():
    core = EnvCore("small", "thesis", 2, batch=2, picking="random", action="orders")
    core.reset([1, 2])
    failing = plug_in("policy", Case("policy", True, "deploy", -3).function)
    chosen, after = np.array([[0, 1]] * 2, np.int16), np.zeros(2, np.int8)
    rngs, rows = np.ones((2, 2, 2), np.uint64), np.zeros((2, core.slots, core.row_size), np.int64)
    core.submit_actions(rows, acting=np.array([[1, 0]] * 2, np.int8))
    before = core.turns.status.copy()
    context = bare_context(core.board, core.params, core.players, Case("policy", True, "deploy", -3).weights)
    with pytest.raises(AnswerError, match="deploys -3 armies"):
        core.submit_policy(failing, plug_in("picker"), chosen, 1, after, rngs, context)
    assert (core.turns.status == before).all()


def test_random_faults_raise_exactly_their_error():
    rng = random.Random(1)
    for _ in range(200):
        drawn = case(rng, compiled=True)
        try:
            assert isinstance(drawn.run(), Orders | list)
            failed = None
        except (AnswerError, FaultyError, IndexError) as error:
            failed = error
        if drawn.fault == "none":
            assert failed is None
        elif drawn.fault == "raise":
            assert isinstance(failed, FaultyError)
        elif drawn.kind == "evaluation" and drawn.fault == "answer":
            assert (failed is None) == (0.0 <= drawn.number <= 1.0)
        elif drawn.kind == "generator" and drawn.fault == "answer":
            assert (failed is None) == (1 <= drawn.number <= 9)
        elif drawn.fault == "armies":
            standing = view().army[HOME] + view().income
            assert (failed is None) == (1 <= drawn.number <= standing)
