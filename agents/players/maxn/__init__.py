"""Max^N over turns made of battles with values (Chaloupka, Krůl, Láncoš, Brno 2020, for Dice Wars).

The registry and experiments import it. To add a term of a battle's value, extend `value`.
"""

from warlight_env.agents.players.maxn.agent import PARAMETERS, MaxnAgent, MaxnSettings

__all__ = ["PARAMETERS", "MaxnAgent", "MaxnSettings"]
