"""The turn network in PyTorch: its outputs equal the kernels' outputs, and it learns to play its training turns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.turn_record import (
    UNITS,
    TurnNetworkError,
    make_turn_network,
    make_turn_network_buffers,
)
from warlight_env.agents.turn_net.forward import (
    edge_logits,
    embed_ends,
    embed_main,
    embed_regions,
    player_scores,
    weight_logits,
    write_scores,
)
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.board import make_board
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import Rules
from warlight_env.maps import load
from warlight_env.train.turn_net.batches import make_batch, plain_turns
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.evaluators import CompiledEvaluator
from warlight_env.train.turn_net.loss import turn_loss
from warlight_env.train.turn_net.module import TurnModule, board_tensors

PLAYERS = 3


def random_rows(board, count, seed=1):
    draw = np.random.default_rng(seed)
    n, e = board.n_regions, board.n_edges
    owner = draw.integers(-1, PLAYERS, (count, n)).astype(np.int8)
    owner[:, 0] = draw.integers(PLAYERS, size=count)
    row = draw.integers(0, VALUES, (count, n + 2 * e)).astype(np.int8)
    player = owner[:, 0].astype(np.int64)
    value = np.eye(PLAYERS, dtype=np.float32)[draw.integers(PLAYERS, size=count)]
    army = draw.integers(1, 20, (count, n)).astype(np.int32)
    return plain_turns(owner, army, draw.integers(0, 50, count).astype(np.int32), player, row, value)


@pytest.fixture(scope="module")
def setting():
    board = make_board(load("small"))
    params = Rules.of("thesis").params(board.n_regions, board.n_super_regions)
    module = TurnModule(torch.Generator().manual_seed(2))
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3))
    context = make_context(board, params, PLAYERS, PLANNING, turns=make_turn_network(module.arrays()))
    return board, context, module, make_turn_network_buffers(board.n_regions, board.n_edges, PLAYERS)


def test_outputs_equal_the_outputs_of_the_kernels(setting):
    board, context, module, work = setting
    rows, tensors = random_rows(board, 12), board_tensors(board)
    batch = make_batch(TurnInputs(context, len(rows.player), "cpu"), rows.tensors())
    with torch.no_grad():
        embeddings = module.embed_regions(tensors, batch.nodes, batch.overall)
        mains = module.mains(embeddings, batch.owner == batch.player[:, None]).numpy()
        main = torch.from_numpy(mains.argmax(axis=1))
        everywhere = torch.ones_like(batch.owner).nonzero(as_tuple=True)
        weights = module.weights(tensors, embeddings, main, *everywhere).reshape(*batch.owner.shape, VALUES).numpy()
        edges = module.edges(tensors, embeddings, batch.batch_index, batch.edge, batch.numbers).numpy()
        scores = module.scores(embeddings, batch.owner, batch.player, PLAYERS).numpy()
    close = {"rel": 1e-4, "abs": 1e-4}
    logits, shares, priorities = (np.zeros(VALUES, np.float32) for _ in range(3))
    kernel_scores, compared, of_main = np.zeros(PLAYERS), 0, np.zeros(UNITS, np.float32)
    for m in range(len(rows.player)):
        position, player = Position(rows.owner[m], rows.army[m], rows.round[m : m + 1]), int(rows.player[m])
        embed_regions(context, position, player, work)
        write_scores(context, position, player, work)
        assert mains[m] == pytest.approx(work.score, **close)
        embed_main(context, work, int(main[m]), of_main)
        for r in range(board.n_regions):
            weight_logits(context, work, r, int(main[m]), of_main, logits)
            assert weights[m, r] == pytest.approx(logits, **close)
        player_scores(context, position, player, work, kernel_scores)
        assert scores[m] == pytest.approx(kernel_scores, **close)
        embed_ends(context, position, player, work)
        deploy = share_of_income(board, context, rows, m, work)
        for k in np.flatnonzero(batch.batch_index.numpy() == m):
            edge = int(batch.edge[k])
            source, target = int(board.edge_source[edge]), int(board.edge_target[edge])
            edge_logits(context, position, player, source, target, deploy[source], work, shares, priorities)
            assert edges[k] == pytest.approx(np.array([shares, priorities]), **close)
            compared += 1
    assert compared > 20


def share_of_income(board, context, rows, m, work):
    """Compute the deploys of a row from the definition: by largest remainder, with ties for the lower region."""
    player, owner = rows.player[m], rows.owner[m]
    held = [all(owner[r] == player for r in members) for members in load("small").members]
    income = context.params.base_income + sum(np.asarray(board.bonus)[held])
    weights = np.where(owner == player, rows.row[m, : board.n_regions].astype(int), 0)
    quotas = income * weights / max(1, weights.sum())
    deploy = np.floor(quotas + 1e-9).astype(int)
    for r in sorted(range(len(deploy)), key=lambda r: (-(round(quotas[r] - deploy[r], 9)), r))[: income - deploy.sum()]:
        deploy[r] += 1 if weights.sum() else 0
    return deploy


def test_a_fitted_network_plays_its_training_turns():
    """The network learns one turn for each of a few positions."""
    board = make_board(load("small"))
    params = Rules.of("thesis").params(board.n_regions, board.n_super_regions)
    teacher = make_turn_network(TurnModule(torch.Generator().manual_seed(5)).arrays())
    context = make_context(board, params, PLAYERS, PLANNING, turns=teacher)
    work = make_generator_work(board.n_regions, board.n_edges, PLAYERS)
    rows, rng = random_rows(board, 6, seed=4), make_rng(3)
    deploy, attacks = np.zeros(board.n_regions, np.int32), np.zeros((board.n_edges, 3), np.int32)

    def turn(context, m, heat):
        position = Position(rows.owner[m], rows.army[m], rows.round[m : m + 1])
        network_turn(context, position, int(rows.player[m]), heat, rng, work, deploy, attacks)
        return work.net.row.copy()

    for m in range(6):
        rows.row[m] = turn(context, m, 1.0)
    module, turns = TurnModule(torch.Generator().manual_seed(6)), CompiledEvaluator(context, 1)
    adam, value = torch.optim.Adam(module.parameters(), lr=0.01), torch.from_numpy(rows.value)
    begin = sum(turn_loss(turns.log_probs(module, rows), value)).item()
    for _ in range(300):
        loss = sum(turn_loss(turns.log_probs(module, rows), value))
        adam.zero_grad()
        loss.backward()
        adam.step()
    assert loss.item() < 0.05 * begin
    learned = make_context(board, params, PLAYERS, PLANNING, turns=make_turn_network(module.arrays()))
    for m in range(6):
        assert turn(learned, m, 0.0).tolist() == rows.row[m].tolist()


def test_added_layers_change_the_output_only_slightly():
    board = make_board(load("small"))
    params = Rules.of("thesis").params(board.n_regions, board.n_super_regions)
    network = load_turn_network("any")
    deeper = TurnModule(torch.Generator().manual_seed(2), layers=4)
    deeper.copy_network(network)
    work, outputs = make_turn_network_buffers(board.n_regions, board.n_edges, PLAYERS), []
    for one in (network, make_turn_network(deeper.arrays())):
        context = make_context(board, params, PLAYERS, PLANNING, turns=one)
        rows = random_rows(board, 1)
        embed_regions(context, Position(rows.owner[0], rows.army[0], rows.round), int(rows.player[0]), work)
        outputs.append(work.embeddings.copy())
    change = np.abs(outputs[1] - outputs[0]).mean() / np.abs(outputs[0]).mean()
    assert 0.001 < change < 0.2
    with pytest.raises(TurnNetworkError, match=r"a network with 4 layers cannot become one with layers = 2"):
        TurnModule(torch.Generator()).copy_network(make_turn_network(deeper.arrays()))
