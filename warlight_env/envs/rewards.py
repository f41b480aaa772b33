"""Rewards for a win and a loss, with optional potential-based shaping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from warlight_env.arguments import check_choice, is_number, short_repr
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, Owners, Real
from warlight_env.errors import InputError

#: The possible values of `Reward.shaping`. Kernels use the index of a value in this tuple.
SHAPINGS: Final = ("none", "regions", "income")
_REGIONS: Final = 1
_INCOME: Final = 2


@dataclass(frozen=True)
class Reward:
    """A player's reward: +1 for a win, -1 for a loss, 0 for a draw, and optional shaping during the game.

    The reward -1 comes in the step in which the player loses its last region, or in which another player wins.

    Shaping adds ``scale * (gamma * potential(s') - potential(s))`` (Ng, Harada & Russell 1999). The potential of a
    terminal state is 0, so that shaping does not change which policies are optimal. Set `gamma` to the learner's
    discount factor. A player's potential depends only on its own regions and income:

    | shaping | potential |
    |---|---|
    | "none" | 0 |
    | "regions" | number of own regions / number of all regions |
    | "income" | income / the income of a player who owns every region |
    """

    shaping: Literal["none", "regions", "income"] = "none"
    scale: float = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_choice(self.shaping, "reward shaping", SHAPINGS)
        for name, value in (("scale", self.scale), ("gamma", self.gamma)):
            if not is_number(value):
                raise InputError(f"reward {name} = {short_repr(value)}: must be a finite number")
        if not 0 <= self.gamma <= 1:
            raise InputError(f"reward gamma = {short_repr(self.gamma)}: must lie in 0 .. 1")

    @classmethod
    def of(cls, reward: object) -> Reward:
        """Return the `Reward` for "win" (no shaping), "regions" or "income"; return a `Reward` unchanged."""
        if isinstance(reward, Reward):
            return reward
        if isinstance(reward, str) and reward in ("win", "regions", "income"):
            return cls("none" if reward == "win" else reward)  # type: ignore[arg-type]
        raise InputError(f"reward = {short_repr(reward)}: must be 'win', 'regions', 'income', a Reward or a function")


@kernel
def potential(shaping: Int, owner: Owners, player: Int, income: Int, max_income: Int) -> Real:
    """Return the potential of a position for a player; see `Reward`. owner: int8[N], the owner of each region."""
    if shaping == _REGIONS:
        count = 0
        for r in range(owner.shape[0]):
            if owner[r] == player:
                count += 1
        return count / owner.shape[0]
    if shaping == _INCOME:
        return income / max(1, max_income)
    return 0.0
