"""PyTorch Geometric: a step of REINFORCE with a graph network on the graph observations of a vector environment."""

import numpy as np
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, global_mean_pool

from warlight_env import warlight_v0

GAMES = 16
torch.manual_seed(1)
env = warlight_v0.vector_env(GAMES, map="small", action="strategies", picking="random")
observations, infos = env.reset(seed=1)
edges = torch.from_numpy(env.edge_index)
features = observations["player_0"]["nodes"].shape[-1]
first, second = GCNConv(features, 32), GCNConv(32, 32)
head = torch.nn.Linear(32, 9)
parameters = [*first.parameters(), *second.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, 1e-3)


def logits(observation):
    """Return the scores of the actions in all games, float32[B, 9]."""
    graphs = Batch.from_data_list([Data(x=torch.from_numpy(nodes), edge_index=edges) for nodes in observation["nodes"]])
    hidden = second(first(graphs.x, graphs.edge_index).relu(), graphs.edge_index).relu()
    return head(global_mean_pool(hidden, graphs.batch))


before = [parameter.clone() for parameter in parameters]
chances, paid = [], np.zeros(GAMES)
for _ in range(20):
    actions = {}
    for agent in env.agents:
        mask = torch.from_numpy(infos[agent]["action_mask"]).bool()
        policy = torch.distributions.Categorical(logits=logits(observations[agent]).masked_fill(~mask, -1e9))
        drawn = policy.sample()
        actions[agent] = drawn.numpy()
        if agent == "player_0":
            chances.append(policy.log_prob(drawn))
    observations, rewards, _, _, infos = env.step(actions)
    paid += rewards["player_0"]
loss = -(torch.stack(chances).sum(0) * torch.from_numpy(paid - paid.mean()).float()).mean()
loss.backward()
optimizer.step()
assert any(not torch.equal(old, new) for old, new in zip(before, parameters, strict=True))
print("passed")
