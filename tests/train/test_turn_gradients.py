"""The compiled gradient of the turn network equals PyTorch's gradient, for every parameter and on any map."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.agents.records.turn_record import LAYERS, N_MEMORY
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.rules import Rules
from warlight_env.train.common.game_configs import GameConfig, read_map
from warlight_env.train.turn_net.batches import CHOSEN, OFFERED, plain_turns
from warlight_env.train.turn_net.evaluators import CompiledEvaluator, TensorEvaluator
from warlight_env.train.turn_net.module import TurnModule

#: More than one block of `evaluators`, and a block that is not full.
TURNS = 150
KINDS = ("weights", "shares", "priorities", "entropy", "scores")


def config_of(map_name, players):
    return GameConfig(read_map(map_name), Rules.of("thesis"), players)


def evaluators(config, threads=1):
    context = make_context(config.board, config.params, config.players, PLANNING)
    return TensorEvaluator(context, TURNS, "cpu"), CompiledEvaluator(context, threads)


def module_of(seed, layers=LAYERS):
    """Return a network with larger parameters than initial ones, from a seed; without a seed, the bundled network."""
    module = TurnModule(torch.Generator().manual_seed(2), layers)
    if seed is None:
        module.copy_network(load_turn_network("learned"))
        return module
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.15 * torch.randn(parameter.shape, generator=generator)
    return module


def rows_of(config, count=TURNS, seed=1):
    """Return positions of all kinds: the acting player has at least one region, other players may be eliminated.
    Some players cannot send armies, deploy nothing, or give all regions the same weight.
    """
    board, draw = config.board, np.random.default_rng(seed)
    n, e, players = board.n_regions, board.n_edges, config.players
    owner = draw.integers(-1, players, (count, n)).astype(np.int8)
    player = draw.integers(players, size=count)
    owner[::7] = -1
    owner[np.arange(count), draw.integers(n, size=count)] = player
    army, row = draw.integers(1, 20, (count, n)).astype(np.int32), draw.integers(0, VALUES, (count, n + 2 * e))
    army[::5] = 1
    row[::3, :n], row[1::11, :n], row[2::13, n : n + e] = 0, 2, 0
    row[3, :n] = 4 * (np.arange(n) == np.flatnonzero(owner[3] == player[3])[0])
    value = np.eye(players, dtype=np.float32)[draw.integers(players, size=count)]
    rounds = draw.integers(0, 50, count).astype(np.int32)
    rows = plain_turns(owner, army, rounds, player.astype(np.int64), row.astype(np.int8), value)
    rows.picking[8::17] = True
    for m in np.flatnonzero(rows.picking):
        rows.row[m] = 0
        rows.row[m, draw.integers(n, size=4)] = OFFERED
        rows.row[m, draw.integers(n)] = CHOSEN
    return rows._replace(memory=draw.random((count, n, N_MEMORY), dtype=np.float32))


def loss_of(terms, kinds, players):
    """Return a sum of all terms, each with its own random weights."""
    draw, total = torch.Generator().manual_seed(5), torch.zeros(())
    for kind in KINDS:
        part = getattr(terms, kind)
        weight = torch.randn(part.shape, generator=draw)
        if kind in kinds:
            total = total + (weight * (torch.softmax(part, 1) if kind == "scores" else part)).mean()
    return total


def gradients(turns, module, rows, kinds=KINDS):
    module.zero_grad()
    terms = turns.log_probs(module, rows.tensors() if isinstance(turns, TensorEvaluator) else rows)
    loss_of(terms, kinds, turns.players).backward()
    return terms, {
        name: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.clone()
        for name, parameter in module.named_parameters()
    }


def assert_close(one, other):
    for name, expected in one.items():
        largest = float(expected.abs().max())
        assert other[name].numpy() == pytest.approx(expected.numpy(), rel=1e-3, abs=2e-5 * largest + 1e-7), name


@pytest.mark.parametrize(("map_name", "players", "seed", "layers"), [
    ("small", 3, 3, LAYERS), ("small", 2, None, LAYERS), ("world", 4, 4, LAYERS), ("world", 2, None, LAYERS),
    ("generated:24:5", 3, None, LAYERS), ("small", 2, 3, 1), ("small", 3, 4, 4),
])  # fmt: skip
def test_outputs_and_gradients_equal_those_of_pytorch(map_name, players, seed, layers):
    config, module = config_of(map_name, players), module_of(seed, layers)
    rows = rows_of(config)
    by_torch, compiled = evaluators(config)
    torch_terms, expected = gradients(by_torch, module, rows)
    terms, gradient = gradients(compiled, module, rows)
    for kind in KINDS:
        left, right = getattr(torch_terms, kind).detach().numpy(), getattr(terms, kind).detach().numpy()
        assert right == pytest.approx(left, rel=2e-4, abs=2e-4), kind
    mine = (rows.owner == rows.player[:, None]) & ~rows.picking[:, None]
    assert (terms.scores[rows.picking] == 0).all() and (terms.weights[rows.picking] < 0).any(), "some pick"
    no_deploy = np.where(mine, rows.row[:, : config.board.n_regions], 0).max(axis=1) == 0
    no_deploy &= ~rows.picking
    assert no_deploy.any() and (terms.weights.detach().numpy()[no_deploy] == 0).all(), "some deploy nothing"
    assert (terms.shares.detach().numpy() == 0).any(), "some have nothing to send"
    assert torch.isneginf(terms.scores).any(), "some players are out"
    assert all(values.abs().max() > 0 for values in expected.values()), "each parameter has a part in it"
    assert_close(expected, gradient)


@pytest.mark.parametrize("kind", KINDS)
def test_each_term_has_the_gradient_of_pytorch(kind):
    config, module = config_of("small", 3), module_of(6)
    rows = rows_of(config, 40, seed=2)
    by_torch, compiled = evaluators(config)
    assert_close(gradients(by_torch, module, rows, [kind])[1], gradients(compiled, module, rows, [kind])[1])


def test_results_do_not_depend_on_threads_or_earlier_calls():
    config, module = config_of("small", 2), module_of(None)
    rows = rows_of(config, 600)
    one, two = (evaluators(config, threads)[1] for threads in (1, 2))
    first = gradients(one, module, rows)
    one.log_probs(module, rows_of(config, 30, seed=9))  # no gradient is computed for these rows
    gradients(one, module, rows_of(config, 700, seed=8))
    gradients(one, module_of(None, 3), rows_of(config, 20))  # a network with more layers
    for again in (gradients(one, module, rows), gradients(two, module, rows)):
        assert all(map(torch.equal, first[0], again[0]))
        assert all(torch.equal(first[1][name], again[1][name]) for name in first[1])


def test_later_evaluations_do_not_change_a_gradient():
    config, module = config_of("small", 2), module_of(None)
    rows, others = rows_of(config), rows_of(config, seed=4)
    by_torch, compiled = evaluators(config)
    expected = gradients(by_torch, module, rows)[1]
    module.zero_grad()
    terms = compiled.log_probs(module, rows)
    compiled.log_probs(module, others)
    with torch.no_grad():
        compiled.log_probs(module, others)
        compiled.log_probs(module_of(3, 5), others)  # another network, with more layers
    loss = loss_of(terms, KINDS, 2)
    loss.backward(retain_graph=True)
    assert_close(expected, {name: parameter.grad for name, parameter in module.named_parameters()})
    with pytest.raises(RuntimeError, match="was already computed"):
        loss.backward()


def test_a_parameter_change_before_the_backward_pass_is_an_error():
    config, module = config_of("small", 2), module_of(None)
    terms = evaluators(config)[1].log_probs(module, rows_of(config, 10))
    with torch.no_grad():
        module.own *= 2.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        terms.turn.sum().backward()
