"""Max^N search over turns that consist of battles; each battle has a value.

Chaloupka, Krůl and Láncoš (Brno, 2020) used Max^N search over battles for the game Dice Wars. The registry and
experiments import this package. To add a term of a battle's value, extend `value`.
"""

from warlight_env.agents.players.maxn.agent import PARAMETERS, MaxnAgent, MaxnSettings

__all__ = ["PARAMETERS", "MaxnAgent", "MaxnSettings"]
