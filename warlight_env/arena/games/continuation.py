"""Continue a logged game from one of its positions, with the same agents or with other agents."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from warlight_env.agents import Budget
from warlight_env.arena.games.game_loop import AgentCrashError, check_rounds, play_rounds, round_limit
from warlight_env.arena.games.game_record import GameRecord  # fmt: skip
from warlight_env.arena.games.game_setup import AgentSource, MatchError, agent_from_source
from warlight_env.arena.games.play_options import check_budget
from warlight_env.arguments import check_flag, seed_of, short_repr
from warlight_env.engine.rng import derive_seed
from warlight_env.record.model import Player
from warlight_env.record.reader import GameLog
from warlight_env.record.recorder import MemoryRecorder, Recorder, describe
from warlight_env.record.replay import game_at
from warlight_env.record.writer import LogWriter


def continue_game(
    log: GameLog,
    round: int | None = None,
    agents: Sequence[AgentSource] | None = None,
    *,
    seed: int = 1,
    max_rounds: int | None = None,
    budget: Budget | None = None,
    path: str | Path | None = None,
    insight: bool = False,
) -> GameLog:
    """Continue a logged game from the position after `round` rounds, with the random generator of the original game.

    Args:
        log: the log of the game. The first `round` rounds are played again and compared with the log.
        round: the number of rounds that are kept; None: all rounds of the log.
        agents: the agents, in the order of their seats. If `agents` is None, the agents are made from the
            specifications in the log. The agents have no memory of the earlier rounds.
        seed: the seed of the agents' random choices.
        max_rounds: the game stops after this total number of rounds. If `max_rounds` is None, the limit in the log is
            used or, if the game has already reached that limit, the limit of the rules.
        budget: the argument `budget` of every call of `act`.
        path: the file for a log of the whole game, including the kept rounds; None: no file.
        insight: whether the new log contains data that explain the agents' decisions (see `decision_info`).

    Returns:
        The log of the whole game.

    Raises:
        LogError: the log does not have `round` rounds.
        ReplayError: the replayed rounds differ from the rounds in the log.
        MatchError: the game is over after `round` rounds, or the number of agents is not the number of players.
        GameError: max_rounds or budget has a wrong type.
        AgentCrashError: an agent failed.
        LogWriteError: the new log cannot be written.
    """
    seed_of(seed, MatchError)
    if not isinstance(agents, Sequence | None) or isinstance(agents, str):
        raise MatchError(f"agents = {short_repr(agents)}: must be a list with one agent for each player")
    check_rounds(max_rounds)
    check_budget(budget)
    check_flag(insight, "insight", MatchError)
    game = game_at(log, round)
    if game.done:
        raise MatchError(f"the game is over after round {game.round}: continue from an earlier round")
    sources: list[AgentSource] = list(agents) if agents is not None else _agents_of_log(log)
    if len(sources) != game.players:
        raise MatchError(f"{len(sources)} agents for a game of {game.players} players")
    seeds = [derive_seed(seed, game.seed, game.round, seat) for seat in range(game.players)]
    playing = [agent_from_source(source, agent_seed) for source, agent_seed in zip(sources, seeds, strict=True)]
    players = [
        describe(agent.name, agent_seed) if isinstance(source, str) else Player(agent.name, seed=agent_seed)
        for source, agent, agent_seed in zip(sources, playing, seeds, strict=True)
    ]
    limit = log.header.round_limit if max_rounds is None else max_rounds
    if limit <= game.round:
        if max_rounds is not None:
            raise MatchError(f"max_rounds = {max_rounds}: the game already has {game.round} rounds")
        limit = max(game.round + 1, round_limit(game.rules, game.map.n_regions, None))
    memory = MemoryRecorder(players, insight=insight)
    with contextlib.nullcontext() if path is None else LogWriter(path, players, insight=insight) as writer:
        observers: list[Recorder] = [memory, *([] if writer is None else [writer])]
        for observer in observers:
            observer.continued(log, game.round, playing, limit)
        dropped = [0] * game.players
        try:
            try:
                for orders, result in play_rounds(game, playing, limit, budget):
                    for observer in observers:
                        observer.played(orders, result, game)
                    for illegal in result.dropped:
                        dropped[illegal.player] += 1
            finally:
                for agent in playing:  # an agent may report faults in `close`, so call it before `observer.ended`
                    agent.close()
        except AgentCrashError as error:
            for observer in observers:
                observer.failed(error)
            raise
        record = GameRecord(
            0, 0, game.seed, tuple(range(game.players)), game.winner, game.round, game.placements, not game.done,
            tuple(dropped),
        )  # fmt: skip
        for observer in observers:
            observer.ended(record)
    return memory.log


def _agents_of_log(log: GameLog) -> list[AgentSource]:
    sources: list[AgentSource] = []
    for seat, player in enumerate(log.header.players):
        if player.spec is None:
            raise MatchError(
                f"the log has no specification of player {seat + 1}, {player.name!r}: give the agents of all players"
            )
        sources.append(player.spec)
    return sources
