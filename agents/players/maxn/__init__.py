"""Max^N over turns made of valued battles (Chaloupka, Krůl, Láncoš, Brno 2020, for Dice Wars)."""

from warlight_env.agents.players.maxn.agent import PARAMETERS, MaxnAgent

__all__ = ["PARAMETERS", "MaxnAgent"]
