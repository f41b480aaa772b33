"""The games that give training positions of the value network. The network plays against itself and other agents."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from warlight_env.arena.games.game_loop import ask_orders, pick_regions, play_orders
from warlight_env.engine.position import Position, copied
from warlight_env.engine.rng import derive_seed
from warlight_env.game import Game
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.threads import in_threads
from warlight_env.train.value.players import NetworkPlayer
from warlight_env.train.value.positions import ValuedPosition, ValuedPositions
from warlight_env.train.value.settings import ValueSettings


def play_games(
    settings: ValueSettings, configs: GameConfigs, network: bytes, seed: int, numbers: Iterable[int], jobs: int
) -> ValuedPositions:
    """Play games, and return the position before each round of each game.

    The value of a position is 1 for the winner of the game and 0 for the other players. In a game without a winner, all
    values are 0.

    Args:
        settings: settings of the run.
        configs: game configs of the run.
        network: the content of the network file that the players use.
        seed: the seed of all games; the seed and the number of a game determine the whole game.
        numbers: the numbers of the games.
        jobs: number of threads.
    """

    def play(number: int) -> list[ValuedPosition]:
        return _play(settings, configs, network, number, derive_seed(seed, number))

    return ValuedPositions.from_positions([sample for game in in_threads(play, numbers, jobs) for sample in game])


def _play(
    settings: ValueSettings, configs: GameConfigs, network: bytes, number: int, seed: int
) -> list[ValuedPosition]:
    rng = np.random.default_rng(seed)
    config_index = configs.draw(rng)
    config = configs[config_index]
    if settings.actors:
        specs = rng.choice(settings.actors, config.players).tolist()
    else:
        specs = [settings.player, *rng.choice(settings.opponents, config.players - 1).tolist()]
    picks = "random" if rng.random() < settings.random_start_share else "play"
    seats = rng.permutation(config.players)
    players = [NetworkPlayer(specs[a], network, tuple(settings.weights)) for a in seats]
    agents = [player(derive_seed(seed, seat)) for seat, player in enumerate(players)]
    game = Game(config.map, config.rules, config.players, seed, picks=picks)  # type: ignore[arg-type]
    pick_regions(game, agents)
    positions = []
    while not game.done and game.round < settings.max_rounds:
        positions.append(copied(Position(game.owner, game.army, np.array([game.round], dtype=np.int32))))
        play_orders(game, agents, ask_orders(game, agents))
    value = np.zeros(config.players)
    if game.winner is not None:
        value[game.winner] = 1.0
    return [ValuedPosition(config_index, number, position, value) for position in positions]
