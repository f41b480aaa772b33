"""Games of expert iteration: who sits there is drawn, and the expert says what is to be done."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from warlight_env.agents import Agent, make_agent
from warlight_env.arena.playing.play import ask_orders, pick_regions, play_orders
from warlight_env.engine.rng import derive_seed
from warlight_env.game import Game
from warlight_env.train.exit_players import Expert, Pupil, read_network
from warlight_env.train.exit_settings import EXPERT, NETWORK, ExitSettings
from warlight_env.train.places import Places
from warlight_env.train.taught_turns import TaughtTurn, TaughtTurns
from warlight_env.train.threads import in_threads


def play_taught_games(
    settings: ExitSettings, places: Places, network: bytes, seed: int, numbers: Iterable[int], jobs: int
) -> TaughtTurns:
    """The turns that the expert takes for good in all rounds of these games, for the seats that it or the network has.

    Args:
        network: as it is, see `turn_file`; empty: there is none.
        seed: with a game's number decides all of it.
        numbers: of the games. jobs: threads.
    """

    def play(number: int) -> list[TaughtTurn]:
        return _play(settings, places, network, number, derive_seed(seed, number))

    return TaughtTurns.of([turn for game in in_threads(play, numbers, jobs) for turn in game])


def _play(settings: ExitSettings, places: Places, network: bytes, number: int, seed: int) -> list[TaughtTurn]:
    rng = np.random.default_rng(seed)
    at = places.draw(rng)
    place = places[at]
    taught = [seat for seat in settings.seats if seat in (EXPERT, NETWORK)]
    kinds = [str(rng.choice(taught)), *rng.choice(settings.seats, place.players - 1).tolist()]
    order = rng.permutation(place.players)
    agents = [_agent(settings, kinds[k], network, derive_seed(seed, seat)) for seat, k in enumerate(order)]
    picks = "random" if rng.random() < settings.dealt else "play"
    game = Game(place.map, place.rules, place.players, seed, picks=picks)  # type: ignore[arg-type]
    pick_regions(game, agents)
    turns: list[TaughtTurn] = []
    value = np.zeros(place.players, dtype=np.float32)  # written at the end
    while not game.done and game.round < settings.max_rounds:
        owner, army, round_ = game.owner.copy(), game.army.copy(), game.round
        orders = ask_orders(game, agents)
        for seat in orders:
            agent = agents[seat]
            expert = agent.expert if isinstance(agent, Pupil) else agent
            if isinstance(expert, Expert):
                turns.append(TaughtTurn(at, number, round_, seat, owner, army, expert.row.copy(), value))
        play_orders(game, agents, orders)
    if game.winner is not None:
        value[game.winner] = 1.0
    return turns


def _agent(settings: ExitSettings, kind: str, network: bytes, seed: int) -> Agent:
    if kind not in (EXPERT, NETWORK):
        return make_agent(kind, seed)
    read = read_network(network)
    return Expert(settings, read, seed) if kind == EXPERT or read is None else Pupil(settings, read, seed)
