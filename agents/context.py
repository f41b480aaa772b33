"""The constant inputs of an agent's kernels: board, rules, evaluation and plug-in functions.

A `Context` stores each plug-in function as an address; `evaluate`, `generate` and `draw_turn` call these addresses.
An address is a number, so kernels need no new compilation when another plug-in function is used. A call through an
address costs about 40 ns.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numba
from numba import types

from warlight_env.agents.records.army_requirements import ArmyRequirements, make_army_requirements
from warlight_env.agents.records.generator_work import (
    ALL_GENERATORS,
    GeneratorWork,
    TurnSet,
    make_generator_work,
    make_turn_set,
)
from warlight_env.agents.records.turn_record import TurnNetwork, no_turn_network
from warlight_env.agents.records.value_record import ValueNetwork, no_network
from warlight_env.agents.weights import THESIS, Evaluation, Weights, make_evaluation
from warlight_env.engine.board import Board, make_board
from warlight_env.engine.jit import function_at, inline_kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState, Shares
from warlight_env.engine.position import Position, make_position, make_positions
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.maps import load


class Context(NamedTuple):
    """Constant data for kernels, passed by reference; see `plug_ins.make_context`.

    If the address of a plug-in function is 0, the context does not have the function.
    """

    board: Board
    params: RuleParams
    evaluation: Evaluation
    army_requirements: ArmyRequirements
    value: ValueNetwork
    turns: TurnNetwork
    players: int
    #: Bit mask of the methods that propose turns, see `generate_turns`; the policy uses the same mask.
    generators: int = ALL_GENERATORS
    evaluate: int = 0  #: the address of a function with the signature `evaluation_signature`
    generate: int = 0  #: the address of a function with the signature `generator_signature`
    policy: int = 0  #: the address of a function with the signature `policy_signature`


def bare_context(
    board: Board, params: RuleParams, players: int, weights: Weights, generators: int = ALL_GENERATORS
) -> Context:
    """Return a context without plug-in functions, for kernels that call no plug-in function.

    `plug_ins.make_context` returns a context with plug-in functions.
    """
    evaluation, requirements = make_evaluation(board, weights), make_army_requirements(params.dice)
    return reference(
        Context(board, params, evaluation, requirements, no_network(), no_turn_network(), players, generators)
    )


@functools.cache
def record_types() -> dict[str, Any]:
    """Return the Numba types of plug-in functions' arguments. The Numba types do not depend on map or rules."""
    board = make_board(load("small"))
    n, e = board.n_regions, board.n_edges
    params = Rules.of("thesis").params(n, board.n_super_regions)
    return {
        "context": numba.typeof(bare_context(board, params, 2, THESIS)),
        "position": numba.typeof(make_position(n)),
        "work": numba.typeof(make_generator_work(n, e, 2)),
        "turns": numba.typeof(make_turn_set(n, e)),
        "owners": types.Array(types.int8, 1, "C"),
        "armies": types.Array(types.int32, 1, "C"),
        "attacks": types.Array(types.int32, 2, "C"),
        "rng": types.Array(types.uint64, 1, "C"),
        "positions": numba.typeof(make_positions(1, n)),
        "shares": types.Array(types.float64, 1, "C"),
        "leaf shares": types.Array(types.float64, 2, "C"),
        "likely": types.Array(types.float64, 1, "C"),
    }


@functools.cache
def evaluation_signature() -> Any:
    """``evaluate(context, position, shares) -> int``.

    Writes each player's share of the value of a `Position`, in [0, 1], to shares, float64[P] or longer. The shares add
    up to 1. Returns 0.
    """
    t = record_types()
    return types.int64(t["context"], t["position"], t["shares"])


@functools.cache
def generator_signature() -> Any:
    """``generate(context, position, player, rng, work, turns) -> int``.

    Writes candidate turns to `turns`, a `TurnSet`: at least one turn, and at most as many as the set has room for.
    Returns the number of turns; see `generate_turns`.
    """
    t = record_types()
    return types.int64(t["context"], t["position"], types.int64, t["rng"], t["work"], t["turns"])


@functools.cache
def policy_signature() -> Any:
    """``policy(context, position, player, rng, work, deploy, attacks) -> int``.

    Writes one turn, deploy int32[N] and attacks int32[E, 3]. Returns the number of attacks; see `random_turn`.
    """
    t = record_types()
    return types.int64(t["context"], t["position"], types.int64, t["rng"], t["work"], t["armies"], t["attacks"])


@functools.cache
def picker_signature() -> Any:
    """``pick(context, position, free, player, rng, preferences) -> int``.

    Writes the starting regions that the player prefers to preferences int32[N], best first. Only regions r with
    free[r] != 0 are allowed (free: int8[N]). Returns the number of written regions; see `best_picks`.
    """
    t = record_types()
    return types.int64(t["context"], t["position"], t["owners"], types.int64, t["rng"], t["armies"])


@functools.cache
def leaf_signature() -> Any:
    """``leaf(context, positions, count, shares) -> int``.

    positions: `Positions` of unfinished games. For each of the first `count` positions, writes each player's share of
    the position's value, in [0, 1], to shares float64[L, P]. The shares of a position add up to 1. Returns 0.
    """
    t = record_types()
    return types.int64(t["context"], t["positions"], types.int64, t["leaf shares"])


@functools.cache
def prior_signature() -> Any:
    """``prior(context, position, player, turns, count, likely) -> int``.

    Writes a weight of at least 0 for each of the first `count` turns of a `TurnSet` to likely float64[K]. The weight
    says how likely the player is to choose the turn. The search divides the weights of the turns by the sum of the
    weights. Returns 0.
    """
    t = record_types()
    return types.int64(t["context"], t["position"], types.int64, t["turns"], types.int64, t["likely"])


evaluation_at = function_at(evaluation_signature)
generator_at = function_at(generator_signature)
policy_at = function_at(policy_signature)
picker_at = function_at(picker_signature)
leaf_at = function_at(leaf_signature)
prior_at = function_at(prior_signature)


@inline_kernel
def evaluate(context: Context, position: Position, shares: Shares) -> None:
    """Evaluate a position: write each player's share of its value to shares, float64[P] or longer."""
    evaluation_at(context.evaluate)(context, position, shares)


@inline_kernel
def generate(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet
) -> Int:
    """Write candidate turns of the context's generator to a `TurnSet`, and return the number of turns."""
    return generator_at(context.generate)(context, position, player, rng, work, turns)


@inline_kernel
def draw_turn(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write a turn of the context's policy to deploy int32[N] and attacks int32[E, 3]; return the number of attacks."""
    return policy_at(context.policy)(context, position, player, rng, work, deploy, attacks)
