"""The built-in agents: their modules, descriptions and profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from warlight_env.agents.agent_info import AgentInfo, loader_of
from warlight_env.agents.bot_profile import BotProfile, Face


def _built_in(
    name: str,
    module: str,
    factory: str,
    summary: str,
    parameters: str = "",
    *,
    profile: BotProfile,
    presets: Mapping[str, BotProfile] | None = None,
) -> AgentInfo:
    """Return the registry entry of a built-in agent; `factory` and `parameters` are names in the agent's module."""
    load = loader_of(f"{module}:{factory}")
    declared = loader_of(f"{module}:{parameters}") if parameters else dict
    return AgentInfo(name, summary, load, declared, profile=profile, presets=presets or {})


BUILT_IN: Final = (
    _built_in(
        "random",
        "warlight_env.agents.players.random",
        "RandomAgent",
        "Plays random orders.",
        "PARAMETERS",
        profile=BotProfile("Pip", "easy", Face("violet", "yellow", "round", "tuft", "apart", "oh")),
    ),
    _built_in(
        "aggressive",
        "warlight_env.agents.players.aggressive",
        "AggressiveAgent",
        "Attacks every weaker neighbour in every round.",
        profile=BotProfile("Attila", "easy", Face("slate", "orange", "wide", "horns", "angry", "fangs")),
    ),
    _built_in(
        "smart_random",
        "warlight_env.agents.players.smart_random",
        "SmartRandomAgent",
        "Plays a random one of a few sensible turns.",
        profile=BotProfile("Momo", "easy", Face("green", "pink", "round", "cap", "open", "smile")),
    ),
    _built_in(
        "one_big_army",
        "warlight_env.agents.players.one_big_army",
        "OneBigArmyAgent",
        "Gathers one big army and attacks with it.",
        profile=BotProfile("Bruno", "easy", Face("brown", "orange", "block", "helmet", "dots", "flat")),
    ),
    _built_in(
        "one_ply",
        "warlight_env.agents.players.one_ply",
        "OnePlyAgent",
        "Looks one round ahead and plays the best turn.",
        "PARAMETERS",
        profile=BotProfile("Vera", "medium", Face("brown", "blue", "tall", "bun", "open", "smirk")),
    ),
    _built_in(
        "plan",
        "warlight_env.agents.players.plan",
        "PlanAgent",
        "Plans its goals without search: bonuses, captures, borders.",
        "PARAMETERS",
        profile=BotProfile("Petra", "hard", Face("green", "tan", "round", "bun", "glasses", "smile")),
    ),
    _built_in(
        "nash",
        "warlight_env.agents.players.nash.agent",
        "NashAgent",
        "Searches for an equilibrium of turns.",
        "PARAMETERS",
        profile=BotProfile("Ada", "hard", Face("navy", "grey", "tall", "crown", "sleepy", "smirk")),
        presets={
            "secs=5": BotProfile("Athena", "hard", Face("violet", "yellow", "tall", "crown", "angry", "flat")),
        },
    ),
    _built_in(
        "mcts",
        "warlight_env.agents.players.mcts",
        "MctsAgent",
        "Tries turns in many simulated games, and good turns more often.",
        "PARAMETERS",
        profile=BotProfile("Linden", "hard", Face("green", "lime", "drop", "leaf", "open", "smile")),
        presets={
            "secs=1": BotProfile("Willow", "hard", Face("green", "mint", "drop", "leaf", "dots", "smile")),
            "secs=5": BotProfile("Sequoia", "hard", Face("slate", "lime", "tall", "leaf", "sleepy", "beard")),
        },
    ),
    _built_in(
        "mcts_thesis",
        "warlight_env.agents.players.mcts",
        "thesis_mcts",
        "Tries turns in many simulated games, as in a thesis about this game.",
        "THESIS_PARAMETERS",
        profile=BotProfile("Theo", "medium", Face("slate", "tan", "tall", "none", "glasses", "beard")),
    ),
    _built_in(
        "mcts_no_defense",
        "warlight_env.agents.players.mcts",
        "no_defense",
        "Tries turns in many simulated games, without defensive deploys.",
        "PARAMETERS",
        profile=BotProfile("Rex", "medium", Face("navy", "orange", "drop", "ears", "angry", "grin")),
    ),
    _built_in(
        "pmcts",
        "warlight_env.agents.players.mcts",
        "parallel_mcts",
        "Searches two trees in parallel and combines the results.",
        "PARALLEL_PARAMETERS",
        profile=BotProfile("Gemini", "hard", Face("violet", "mint", "wide", "leaf", "one", "smile")),
    ),
    _built_in(
        "flat_mc",
        "warlight_env.agents.players.flat",
        "FlatAgent",
        "Tries random turns and plays the best one.",
        "PARAMETERS",
        profile=BotProfile("Monty", "medium", Face("navy", "tan", "wide", "hat", "sleepy", "smirk")),
    ),
    _built_in(
        "minimax2",
        "warlight_env.agents.players.minimax2",
        "Minimax2Agent",
        "Expects the best answer to each of its turns.",
        "PARAMETERS",
        profile=BotProfile("Minna", "medium", Face("green", "purple", "gem", "none", "glasses", "flat")),
    ),
    _built_in(
        "maxn",
        "warlight_env.agents.players.maxn",
        "MaxnAgent",
        "Looks ahead, and assumes that each player wants the best for itself.",
        "PARAMETERS",
        profile=BotProfile("Max", "medium", Face("violet", "lime", "gem", "crown", "dots", "smirk")),
    ),
)
