"""The opponents in the compiled games of a network that plays complete turns.

In this module, the opponent ``plan`` plays heuristic turns (plans) from the weights `planning`, without lookahead. The
registered agent `plan` is different, because it uses a lookahead. The opponents `players.styles.STYLES` play plans from
the weights of their styles.
"""

from __future__ import annotations

from typing import Final

from warlight_env.agents.context import Context
from warlight_env.agents.planning.plans import planned_turn
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.players.random import random_picks
from warlight_env.agents.players.styles import STYLES
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.turn_network_file import read_turn_network
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.weights import PLANNING, THESIS, Weights
from warlight_env.arena.policies.policy_agent import turn_network_of
from warlight_env.errors import InputError, did_you_mean
from warlight_env.tensor_env.games import Bot
from warlight_env.train.common.game_configs import GameConfig

#: The weights of opponents that play plans.
_PLANS: Final[dict[str, Weights]] = {"plan": PLANNING, **STYLES}
_POLICY: Final = "policy:"


def check_opponent(spec: str) -> None:
    """Raise InputError if compiled games do not support the opponent."""
    if spec in COMPILED or spec in _PLANS or (spec.startswith(_POLICY) and _network(spec) is not None):
        return
    names = (*COMPILED, *_PLANS)
    raise InputError(
        f"opponent {spec!r}{did_you_mean(spec, names)}: compiled games support {', '.join(names)}, and policy:NAME or "
        f"policy:FILE of a network that plays complete turns"
    )


def _network(spec: str) -> TurnNetwork | None:
    policy = turn_network_of(spec.removeprefix(_POLICY))
    return None if policy is None else policy.network


def opponent_context(config: GameConfig, spec: str) -> Context:
    """Return a context of a game config in which the function `policy` plays like an opponent.

    spec: a name that `check_opponent` accepts.
    """
    if spec in COMPILED:
        return _context(config, Functions(policy=COMPILED[spec].policy), weights=THESIS)
    if spec in _PLANS:
        return _context(config, Functions(policy=planned_turn), weights=_PLANS[spec])
    return _context(config, Functions(policy=sampled_turn), _network(spec))


def is_network(spec: str) -> bool:
    """Whether an opponent is a network that plays complete turns."""
    return spec.startswith(_POLICY)


def network_of(spec: str) -> TurnNetwork:
    """Return the network of an opponent; see `is_network`."""
    network = _network(spec)
    assert network is not None
    return network


def opponent_bot(config: GameConfig, spec: str) -> Bot:
    """Return the compiled functions of an opponent that is not a network, for games that are stored as tensors."""
    policy = planned_turn if spec in _PLANS else COMPILED[spec].policy
    return Bot(policy, random_picks, opponent_context(config, spec))


def snapshot_context(config: GameConfig, content: bytes) -> Context:
    """Return a context of a game config in which a snapshot of the learner plays. content: the snapshot's file."""
    return _context(config, Functions(policy=sampled_turn), read_turn_network(content, "policy of this run").network)


def _context(
    config: GameConfig, functions: Functions, network: TurnNetwork | None = None, weights: Weights = PLANNING
) -> Context:  # fmt: skip
    return make_context(config.board, config.params, config.players, weights, functions=functions, turns=network)
