"""Named features: each number of an observation has the value that its name describes, in all environments."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import numpy as np
import pytest

import warlight_env.envs  # noqa: F401  registers the environments
from warlight_env.engine.view import View
from warlight_env.envs import Features, WarlightParallelEnv

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def sides(view: View) -> list[str]:
    """The owner of each region, as a feature name."""
    names = ["mine", *(f"opponent_{k}" for k in range(1, view.players))]
    names = {-2: "unknown", -1: "neutral"} | {q: names[(q - view.player) % view.players] for q in range(view.players)}
    return [names[int(q)] for q in view.owner]


def expected(view: View, cycles: int, max_cycles: int) -> dict[tuple[str, str, int | None], float]:
    """The expected features, computed from a player's view alone; the keys are part, name and region."""
    owners, armies, n = sides(view), view.army.tolist(), len(view.owner)
    all_sides = ["mine", "neutral", *(f"opponent_{k}" for k in range(1, view.players))]
    bonus = [view.map.super_regions[s].bonus for s in view.board.super_region]
    values: dict[tuple[str, str, int | None], float] = {}
    for r in range(n):
        for side in ("unknown", *all_sides):
            values["nodes", side, r] = owners[r] == side
        members = [owners[q] for q in range(n) if view.board.super_region[q] == view.board.super_region[r]]
        values |= {
            ("nodes", "army_soft", r): armies[r] / (armies[r] + 10),
            ("nodes", "army_linear", r): min(armies[r] / 100, 1),
            ("nodes", "offered", r): r in view.offers,
            ("nodes", "border", r): owners[r] == "mine" and any(owners[q] != "mine" for q in view.map.neighbors[r]),
            ("nodes", "bonus", r): bonus[r] / max(bonus),
            ("nodes", "my_share", r): members.count("mine") / len(members),
            ("nodes", "opponent_share", r): max(members.count(side) for side in all_sides[2:]) / len(members),
        }
    global_values = {
        "picking": view.phase == "pick",
        "my_pick": view.phase == "pick",
        "time": cycles / max_cycles,
        "round": view.round / view.rules.max_rounds,
        "income": view.income / (view.rules.base_income + sum(s.bonus for s in view.map.super_regions)),
        "regions_unknown": owners.count("unknown") / n,
    }
    for side in all_sides:
        global_values[f"regions_{side}"] = owners.count(side) / n
        global_values[f"armies_{side}"] = sum(itertools.compress(armies, [o == side for o in owners])) / max(
            sum(armies), 1
        )
    return values | {("globals", name, None): value for name, value in global_values.items()}


def check(features: Features, vector: np.ndarray, wanted: dict[tuple[str, str, int | None], float]) -> None:
    """Check that each named feature has its index, value and bounds, and that there are no other numbers."""
    places = {features.index(*where): value for where, value in wanted.items()}
    assert sorted(places) == list(range(features.size)) == list(range(len(vector)))
    assert vector == pytest.approx([float(places[i]) for i in range(len(vector))], abs=1e-6)
    for part in features.parts:
        numbers = part.cut(vector).reshape(-1, len(part.features))
        for feature, column in zip(part.features, numbers.T, strict=True):
            assert feature.unit
            assert (feature.low <= column).all() and (column <= feature.high).all(), feature.name


@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_observation_feature_has_the_value_that_its_name_describes(players):
    rules = {"fog": players != 3, "max_rounds": 30}
    env = WarlightParallelEnv("world", rules, players, observation="flat", max_cycles=12)
    twins = {
        kind: WarlightParallelEnv("world", rules, players, observation=kind, max_cycles=12) for kind in ("graph", "raw")
    }
    observed, _ = env.reset(seed=players)
    others = {kind: twin.reset(seed=players)[0] for kind, twin in twins.items()}
    for agent in env.agents:
        env.action_space(agent).seed(players)
    for cycles in itertools.count():
        for agent in env.agents:
            flat = observed[agent]["observation"]
            view = env.core.view(int(agent[-1]))
            check(env.features, flat, expected(view, cycles, 12))
            graph, raw = (others[kind][agent]["observation"] for kind in ("graph", "raw"))
            for part in twins["graph"].features.parts:
                assert np.array_equal(graph[part.name], part.cut(flat)), part.name
            assert set(raw) == {part.name for part in twins["raw"].features.parts}
            assert all(np.shape(raw[part.name]) == part.shape for part in twins["raw"].features.parts)
            codes = {"unknown": -1, "neutral": 0, "mine": 1} | {f"opponent_{k}": k + 1 for k in range(1, players)}
            assert raw["owner"].tolist() == [codes[side] for side in sides(view)]
        if not env.agents or cycles == 5:
            break
        actions = {a: env.action_space(a).sample(observed[a]["action_mask"]) for a in env.agents}
        observed = env.step(actions)[0]
        others = {kind: twin.step(actions)[0] for kind, twin in twins.items()}


@pytest.mark.parametrize("players", [2, 4])
def test_every_state_feature_has_the_value_that_its_name_describes(players):
    env = WarlightParallelEnv("small", {"max_rounds": 30}, players, max_cycles=12)
    observed, _ = env.reset(seed=1)
    for agent in env.agents:
        env.action_space(agent).seed(1)
    for cycles in range(5):
        state, n = env.core.state, env.core.board.n_regions
        wanted: dict[tuple[str, str, int | None], float] = {}
        for r in range(n):
            owner, army = int(state.owner[0, r]), int(state.army[0, r])
            wanted |= {("regions", "neutral", r): owner == -1}
            wanted |= {("regions", f"player_{p}", r): owner == p for p in range(players)}
            wanted |= {("regions", "army_soft", r): army / (army + 10), ("regions", "army_linear", r): army / 100}
            for p in range(players):
                wanted["regions", f"offered_player_{p}", r] = r in env.core.view(p).offers
        for p in range(players):
            wanted["overall", f"in_game_player_{p}", None] = env.core.view(p).phase == "pick" or p in state.owner
        overall_values = {
            "picking": cycles == 0,
            "over": not env.agents,
            "time": cycles / 12,
            "round": int(state.round[0]) / 30,
        }
        wanted |= {("overall", name, None): value for name, value in overall_values.items()}
        check(env.state_features, env.state(), wanted)
        if not env.agents:
            break
        observed = env.step({a: env.action_space(a).sample(observed[a]["action_mask"]) for a in env.agents})[0]


def test_features_describe_the_unfinished_turn():
    env: Any = gymnasium.make("warlight/Warlight-v0", map="small", seat=0).unwrapped
    vector, _ = env.reset(seed=3)
    features, region = env.features, int(np.flatnonzero(env.view().owner == 0)[0])
    assert vector.shape == (features.size,) and features["turn"].names == ("deployed", "leaving", "arriving")
    assert vector[features.index("income_left", "income_left")] == 1
    income, at = env.view().income, features.index("turn", "deployed", region)
    for action in np.flatnonzero(env.action_masks()):
        vector = env.step(action)[0]
        if vector[at] > 0:
            break
    armies = 10 * vector[at] / (1 - vector[at])
    left = vector[features.index("income_left", "income_left")]
    assert 0 < armies <= income
    assert features["turn"].cut(vector)[:, 0].sum() == pytest.approx(vector[at])
    assert left == pytest.approx(1 - armies / income)


@pytest.mark.parametrize("observation", ["flat", "graph", "raw"])
def test_all_environments_have_the_same_features(observation):
    arguments: dict[str, Any] = {"map": "small", "players": 3, "action": "factored", "observation": observation}
    parallel = WarlightParallelEnv(**arguments)
    single = gymnasium.make("warlight/Warlight-v0", **arguments)
    many = gymnasium.make_vec("warlight/Warlight-v0", 2, vectorization_mode="vector_entry_point", **arguments)
    all_features = [parallel.features, single.unwrapped.features, many.unwrapped.features]
    assert all_features == [parallel.core.features] * 3
    space = single.observation_space
    if observation == "flat":
        assert space.shape == (parallel.features.size,)
    else:
        assert set(space.keys()) == {part.name for part in parallel.features.parts}
    sb3 = pytest.importorskip("warlight_env.envs.sb3")
    assert sb3.make_vec_env(2, **arguments).get_attr("features") == [parallel.features] * 2


def test_feature_index_rejects_unknown_names_and_regions():
    features = WarlightParallelEnv("small", players=2).features
    with pytest.raises(KeyError, match="'nodes' has no feature 'opponent_2': it has unknown, neutral, "):
        features.index("nodes", "opponent_2", 0)
    with pytest.raises(KeyError, match="no part 'turn': the parts are nodes, globals"):
        features.index("turn", "deployed", 0)
    with pytest.raises(IndexError, match=r"'mine': region = .*: must be an integer in 0 \.\. "):
        features.index("nodes", "mine")
    with pytest.raises(IndexError, match="'time': region = 3: must be None"):
        features.index("globals", "time", 3)
    raw = WarlightParallelEnv("small", players=2, observation="raw").features
    with pytest.raises(KeyError, match="'army' is a separate array"):
        raw.index("army", "army", 0)
