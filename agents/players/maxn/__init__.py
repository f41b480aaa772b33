"""Max^N over turns made of valued battles (Chaloupka, Krůl, Láncoš, Brno 2020, for Dice Wars).

Imported by the registry and by experiments. To add a term of a battle's value, extend `value`.
"""

from warlight_env.agents.players.maxn.agent import PARAMETERS, MaxnAgent

__all__ = ["PARAMETERS", "MaxnAgent"]
