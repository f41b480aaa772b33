"""Behaviour cloning from a tree search, on the small map with nine strategies: python examples/clone_search.py

A tree search plays games in the environment. For each position, the program stores the observation and the target.
The target is the distribution of the search's visits over its candidate turns. Each turn is encoded as the nearest
strategy. A network learns to predict this distribution. Matches in the arena then measure the strength of the network.
Arguments: the number of games to learn from, the number of games of each match.
"""

import functools
import sys

import gymnasium
import numpy as np
import torch
from torch import nn

import warlight_env.envs
from warlight_env.agents import make_agent
from warlight_env.arena import Match
from warlight_env.arena.policies import PolicyAgent

gymnasium.register_envs(warlight_env.envs)

EXPERT, OTHER = "mcts:sims=100", "aggressive"
EPOCHS, BATCH, RATE = 30, 128, 1e-3


def search_games(games):
    """Return observations float32[M, D], masks bool[M, 9] and the search's strategy probabilities float32[M, 9]."""
    env = gymnasium.make("warlight/WarlightSmallStrategies-v0", opponent=OTHER)
    encoding, observations, targets, masks, inexact, won = env.unwrapped.encoding, [], [], [], 0, 0
    for game in range(games):
        expert = make_agent(EXPERT, game)
        observation, info = env.reset(seed=game)
        done = False
        while not done:
            view = env.unwrapped.view()
            answer = expert.act(view)
            policy, target = expert.search_policy(), np.zeros(encoding.size, np.float32)
            for turn, probability in zip(policy.turns, policy.probabilities, strict=True):
                if probability > 0:
                    target[encoding.encode(view, turn, nearest=True)] += probability
            action = encoding.encode(view, answer, nearest=True)
            inexact += not encoding.loss(view, answer, action).exact
            observations.append(observation)
            targets.append(target)
            masks.append(info["action_mask"])
            observation, _, terminated, truncated, info = env.step(action)
            done = terminated or truncated
        won += info["is_success"]
        if game % 10 == 9:
            print(f"{game + 1} of {games} games")
    print(f"{len(observations)} turns of {games} games, {won} of them won; {inexact} turns have no exact encoding")
    return np.array(observations), np.array(masks, dtype=bool), np.array(targets)


def log_chances(network, observations, masks):
    """Return the log probabilities of the strategies, float32[M, 9]; masked strategies have probability 0."""
    return network(observations).masked_fill(~masks, -1e8).log_softmax(dim=-1)


def play(network, observations, masks):
    """Return the most likely strategy for each observation of a batch, int64[B]."""
    with torch.no_grad():
        return log_chances(network, torch.as_tensor(observations), torch.as_tensor(masks).bool()).argmax(dim=-1).numpy()


if __name__ == "__main__":
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    matches = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    torch.manual_seed(1)
    torch.set_num_threads(1)  # more threads do not help, because the network is small
    observations, masks, targets = map(torch.as_tensor, search_games(games))
    network = nn.Sequential(nn.Linear(observations.shape[1], 256), nn.ReLU(), nn.Linear(256, targets.shape[1]))
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    for epoch in range(EPOCHS):
        losses = []
        for part in torch.randperm(len(observations)).split(BATCH):
            loss = -(targets[part] * log_chances(network, observations[part], masks[part])).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: cross entropy {np.mean(losses):.2f}")
    cloned = functools.partial(PolicyAgent, functools.partial(play, network), action="strategies", name="cloned")
    print(Match([cloned, "random"], map="small", games=matches, max_rounds=100).run())
    print(Match([cloned, OTHER], map="small", games=matches, max_rounds=100).run())
