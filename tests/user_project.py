"""A project that uses the package: `.ci/types` checks it with strict mypy and pyright against the installed wheel."""

from __future__ import annotations

import gymnasium
import numpy as np
import numpy.typing as npt

import warlight_env.envs
from warlight_env import Game, Orders, battle_odds, warlight_v0
from warlight_env.agents import Agent, Budget, make_agent, register
from warlight_env.arena import Match
from warlight_env.engine.view import View
from warlight_env.envs import Games, GeneratedMaps, WarlightEnv, WarlightMapsVectorEnv, WarlightVectorEnv

gymnasium.register_envs(warlight_env.envs)


class Idle(Agent):
    """A bot that deploys its income on its first region."""

    name = "idle"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def pick(self, view: View) -> list[int]:
        return list(view.offers)

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        home = int(np.flatnonzero(view.owner == view.player)[0])
        return Orders(deploys=[(home, view.income)])


def more_regions(before: Games, after: Games, paid: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Add 0.01 for each owned region to the paid reward."""
    rewards = paid.copy()
    for player in range(paid.shape[1]):
        rewards[:, player] += 0.01 * np.count_nonzero(after.owner == player, axis=1)
    return rewards


def play() -> float:
    """Run a match, a game, and environments of all kinds."""
    register("idle", lambda: Idle, "deploys on its first region")
    match = Match(["idle", "random"], games=2, map="small", seed=1).run()
    game = Game("small", players=2, seed=3, picks="random")
    bots = [make_agent("random", seat) for seat in range(2)]
    game.play_round([bot.act(game.view(seat)) for seat, bot in enumerate(bots)])
    chance: float = battle_odds(4, 2).capture
    env = WarlightEnv(map="small", action="strategies", opponent="aggressive", reward=more_regions)
    env.reset(seed=1)
    _, reward, *_ = env.step(0)
    batch = WarlightVectorEnv(4, map="small", action="strategies")
    batch.reset(seed=1)
    _, rewards, *_ = batch.step(np.zeros(4, dtype=np.int64))
    several = WarlightMapsVectorEnv(4, map=GeneratedMaps(10, 12, count=2), action="strategies")
    several.reset(seed=1)
    players = warlight_v0.parallel_env(map="small", players=2)
    players.reset(seed=1)
    won: float = match.agents[0].score
    return won + chance + reward + float(rewards.sum())


if __name__ == "__main__":
    print(play())
