"""Registration of the agents ``policy`` and ``sb3``, which play trained policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from warlight_env.agents.agent_info import TextForm, loader_of
from warlight_env.agents.bot_profile import BotProfile, Face
from warlight_env.agents.parameters import Param
from warlight_env.agents.registry import register


@dataclass(frozen=True)
class _SavedModelSettings:
    """The parameters of the agent ``sb3``.

    This module does not import PyTorch, so that the program can list the parameters of all agents quickly.
    """

    file: Annotated[
        str, Param("path of a model (.zip); the settings file of SavePolicyCallback must be in the same folder")
    ] = ""
    trust: Annotated[str, Param("yes: you trust the source of the file, which can run any program when it is read")] = (
        "no"
    )
    play: Annotated[
        str, Param("sampled: sample actions from their probabilities; likeliest: take the most likely action")
    ] = "sampled"


_PRESETS: Final = {
    "any": BotProfile(
        "Nova",
        "hard",
        Face("slate", "purple", "block", "antenna", "visor", "smirk"),
        "A neural network for every map, without search.",
    ),
    "world": BotProfile(
        "Atlas",
        "hard",
        Face("slate", "blue", "round", "antenna", "visor", "grid"),
        "A neural network that was trained on the world map only.",
    ),
    "fog": BotProfile(
        "Misty",
        "hard",
        Face("slate", "mint", "gem", "antenna", "visor", "oh"),
        "A neural network that was trained under fog on the world map.",
    ),
    "any_fog": BotProfile(
        "Haze",
        "hard",
        Face("slate", "mint", "block", "antenna", "visor", "smirk"),
        "A neural network for every map that was trained under fog.",
    ),
    "small": BotProfile(
        "Nano",
        "medium",
        Face("slate", "yellow", "block", "antenna", "one", "oh"),
        "A neural network that was trained on the small map.",
    ),
}


def _digest(text: str) -> str:
    from warlight_env.arena.policies.policy_agent import policy_digest

    return policy_digest(text)


def register_agents() -> None:
    """Register the agents ``policy`` and ``sb3``.

    The code of an agent is imported only when the first agent of this type is made.
    """
    register(
        "policy",
        loader_of("warlight_env.arena.policies.policy_agent:trained_policy"),
        "A trained policy.",
        text=TextForm("policy:FILE or policy:NAME (any, world, fog, any_fog, strategies, small)", digest_of=_digest),
        presets=_PRESETS,
    )
    register(
        "sb3",
        loader_of("warlight_env.arena.policies.saved_model:SavedModelAgent"),
        "A trained model of Stable-Baselines3.",
        _SavedModelSettings,
    )
