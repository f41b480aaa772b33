"""Bots that consist only of kernels: compiled code can play batches of games with these bots without calling Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.players.aggressive import aggressive_policy
from warlight_env.agents.players.one_big_army import one_big_army_policy
from warlight_env.agents.players.random import random_picks, random_policy
from warlight_env.agents.players.smart_random import smart_random_policy


class CompiledBot(NamedTuple):
    """The kernels of a bot.

    With equal seeds, the kernels and the agent with the same specification make the same picks and turns.
    """

    policy: Callable[..., Any]  #: see `plug_ins.policy_signature`
    pick: Callable[..., Any]  #: see `plug_ins.picker_signature`


#: The kernels of each bot that consists only of kernels. The keys are specifications without parameters.
COMPILED: Final[dict[str, CompiledBot]] = {
    "random": CompiledBot(random_policy, random_picks),
    "smart_random": CompiledBot(smart_random_policy, write_best_picks),
    "aggressive": CompiledBot(aggressive_policy, write_best_picks),
    "one_big_army": CompiledBot(one_big_army_policy, write_best_picks),
}
