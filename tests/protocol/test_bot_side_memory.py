"""The memory of a network under fog has the same content with the messages of a game engine as in a `Game`."""

from __future__ import annotations

import numpy as np
import pytest

from warlight_env.agents import Agent, make_agent
from warlight_env.agents.records.turn_record import N_MEMORY
from warlight_env.agents.turn_net.game_memory import GameMemory
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.features.definitions import MEMORY
from warlight_env.game import Game
from warlight_env.protocol.precompile import MessageDrivenAgent


class MemoryRecordingAgent(Agent):
    """Store the input of the network of `policy:fog` in each round, and play the answers of another agent."""

    name = "remembering"

    def __init__(self, answers):
        self.memory, self.rows, self.answers = GameMemory(load_turn_network("fog")), [], answers

    def pick(self, view):
        picks = self.answers.pick(view)
        self.memory.picked(view, picks)
        return picks

    def act(self, view, budget=None):
        features = np.zeros((view.board.n_regions, N_MEMORY), np.float32)
        position = self.memory.position(view, features)
        self.rows.append((position.owner, position.army, features))
        return self.answers.act(view)


class AnswerTwiceAgent(Agent):
    """Return each answer of another agent twice."""

    name = "repeating"

    def __init__(self, agent):
        self.agent, self.answer = agent, None

    def pick(self, view):
        return self._repeated(lambda: self.agent.pick(view))

    def act(self, view, budget=None):
        return self._repeated(lambda: self.agent.act(view))

    def _repeated(self, ask):
        if self.answer is None:
            self.answer = ask()
            return self.answer
        answer, self.answer = self.answer, None
        return answer


@pytest.mark.parametrize("challenge", [1, 2])
def test_the_memory_is_equal_with_messages_and_in_a_game(challenge):
    rounds = owners = armies = moved = moves = 0
    for seed in range(6):
        answers, other = AnswerTwiceAgent(make_agent("policy:world", 1)), make_agent("policy:world", 7)
        direct, by_messages = MemoryRecordingAgent(answers), MemoryRecordingAgent(answers)
        side = MessageDrivenAgent(lambda by_messages=by_messages: by_messages, challenge)
        game = Game("world", f"challenge{challenge}", seed=seed)
        while game.phase == "pick":
            picks = {seat: (other if seat else direct).pick(game.view(seat)) for seat in game.pickers()}
            if 0 in picks:
                side.pick(game.view(0))
            game.pick(picks)
        while not game.done and game.round < 25:
            orders = direct.act(game.view(0))
            assert side.act(game.view(0)) == orders
            game.play_round([orders, other.act(game.view(1))])
        for ours, theirs in zip(direct.rows, by_messages.rows, strict=True):
            for column in ("hidden", "age", "lost_pick"):
                at = getattr(MEMORY.columns, column)
                np.testing.assert_array_equal(ours[2][:, at], theirs[2][:, at])
            seen = ours[2][:, MEMORY.columns.hidden] == 0
            np.testing.assert_array_equal(ours[1][seen], theirs[1][seen])
            at = MEMORY.columns.moved
            rounds += 1
            owners += np.array_equal(ours[0], theirs[0])
            armies += np.array_equal(ours[1], theirs[1])
            moves += ours[2][:, at].any()
            moved += ours[2][:, at].any() and np.array_equal(ours[2][:, at], theirs[2][:, at])
    # The protocol reports no losses, and its engines show slightly different orders than a `Game`.
    assert owners > 0.9 * rounds and armies > 0.55 * rounds and moved > 0.85 * moves > 0
