"""The action encoding `steps`: the meaning of its actions, its mask, and the unfinished turn in the observation."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoding_helpers import make, put, ring, sample, short_steps
from env_helpers import SMALL, as_game, equal
from helpers import PRESETS, RING
from warlight_env.agents import make_agent
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.envs import InexpressibleError, WarlightParallelEnv
from warlight_env.envs.actions import StepActions

# On the ring, the owners are [0, 0, -1, 1, 1, -1]; player 0 owns a super region with a bonus of 2.


def deploy(region: int, size: int) -> int:
    """The action that deploys one army (size 0), a quarter of the income (1) or the rest of it (2)."""
    return 3 * region + size


def attack(source: int, target: int, share: int) -> int:
    """The action that attacks with `share` / 4 of the armies, on the ring."""
    return 18 + 4 * int(make_edges()[source, target]) + share - 1


@functools.cache
def make_edges() -> np.ndarray:
    return WarlightParallelEnv(RING, action="steps").core.board.edge_index


END = 18 + 4 * 14


def submit(env: WarlightParallelEnv, *actions: int, agent: str = "player_0") -> list[int]:
    """Submit actions of one player while the others end their turns; return the counts of illegal actions."""
    return [
        env.step({a: action if a == agent else END for a in env.agents})[-1][agent]["illegal"] for action in actions
    ]


def decode(env: WarlightParallelEnv, *actions: int) -> Orders:
    turn = env.core.encoding.decode(env.view("player_0"), list(actions))
    assert isinstance(turn, Orders)
    return turn


@pytest.mark.parametrize(
    "base, quarter", [(1, 1), (2, 1), (3, 2), (6, 2), (7, 3), (98, 25)], ids=lambda value: str(value)
)
def test_a_quarter_of_the_income_rounds_up(base, quarter):
    env = ring(rules={"base_income": base})
    assert env.view("player_0").income == base + 2
    assert decode(env, deploy(1, 1)).deploys == [(1, quarter)]


def test_deploy_actions_match_hand_computed_orders():
    env = ring()
    assert env.view("player_0").income == 7
    assert decode(env, deploy(0, 0), deploy(1, 0), deploy(0, 0)).deploys == [(0, 2), (1, 1)]
    assert decode(env, deploy(0, 1), deploy(1, 2)).deploys == [(0, 2), (1, 5)]
    assert decode(env, *[deploy(0, 1)] * 4).deploys == [(0, 7)], "of the last quarter only 1 is left"
    assert decode(env, deploy(0, 2), deploy(1, 0), deploy(1, 1), deploy(1, 2)).deploys == [(0, 7)]
    assert decode(env, deploy(2, 0), deploy(3, 1), deploy(3, 2)).deploys == [], "not the player's"


def test_attack_shares_apply_to_the_remaining_armies():
    env = ring()  # 8 of the 9 armies on region 0 may leave
    assert [decode(env, attack(0, 5, k)).attacks[0][2] for k in (1, 2, 3, 4)] == [2, 4, 6, 8]
    assert [decode(env, attack(1, 2, k)).attacks[0][2] for k in (1, 2, 3, 4)] == [1, 1, 1, 2], "2 may: at least 1"
    turn = decode(env, attack(0, 5, 1), attack(0, 3, 2), attack(1, 2, 4), attack(0, 1, 4))
    assert turn.attacks == [(0, 5, 2), (0, 3, 3), (1, 2, 2), (0, 1, 3)]
    assert decode(env, deploy(0, 1), attack(0, 5, 2)).attacks == [(0, 5, 5)], "armies deployed may leave too"
    turn = decode(env, attack(0, 5, 4), attack(0, 3, 4), deploy(0, 0), attack(0, 3, 1))
    assert (turn.deploys, turn.attacks) == ([(0, 1)], [(0, 5, 8), (0, 3, 1)]), "nothing is left for the second"


def test_each_edge_can_be_used_once_per_turn():
    env = ring()
    submit(env, attack(0, 5, 1))
    closed = [attack(0, 5, k) for k in (1, 2, 3, 4)]
    assert not env.action_masks("player_0")[closed].any()
    assert env.action_masks("player_0")[[attack(0, t, k) for t in (1, 3) for k in (1, 2, 3, 4)]].all()
    assert submit(env, deploy(0, 2), *closed) == [0, 1, 1, 1, 1]
    assert not env.action_masks("player_0")[closed].any()
    assert decode(env, attack(0, 5, 1), *closed).attacks == [(0, 5, 2)]


def test_mask_allows_only_the_end_after_the_maximum_of_orders():
    env = ring(short_steps(2, 1))
    assert submit(env, deploy(0, 0), deploy(0, 0), attack(0, 5, 1)) == [0, 0, 0]
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
    assert submit(env, deploy(0, 0), attack(0, 3, 1), attack(1, 2, 1)) == [1, 1, 1]
    only_deploys = ring(short_steps(1, 16))
    submit(only_deploys, deploy(0, 0))
    mask = only_deploys.action_masks("player_0")
    assert not mask[:18].any() and mask[18:].any()


def test_order_limit_of_the_rules_limits_deploys_and_attacks():
    env = ring(rules={"max_orders": 1})
    assert (env.core.encoding.max_deploys, env.core.encoding.max_attacks) == (1, 1)
    submit(env, deploy(0, 0), attack(0, 5, 1))
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
    assert ring(short_steps(5, 6), rules={"max_orders": 51}).core.encoding.max_deploys == 5
    assert ring(short_steps(5, 60)).core.encoding.max_attacks == 14, "there are 14 edges"


@pytest.mark.parametrize("name", ["max_deploys", "max_attacks"])
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2"])
def test_invalid_limits_raise_an_error(name, value):
    with pytest.raises(ValueError, match=f"{name} = {value!r}"):
        WarlightParallelEnv(RING, action=functools.partial(StepActions, **{name: value}))


def test_actions_after_the_end_have_no_effect_until_all_players_end():
    env = ring()
    before = as_game(env.core)
    orders = decode(env, deploy(0, 2), attack(0, 5, 4))
    env.step({"player_0": deploy(0, 2), "player_1": deploy(3, 0)})
    env.step({"player_0": attack(0, 5, 4), "player_1": deploy(3, 0)})
    env.step({"player_0": END, "player_1": deploy(4, 0)})
    after = env.observe("player_0")
    for action in [END, deploy(0, 0), attack(1, 2, 1), END]:
        assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
        observations = env.step({"player_0": action, "player_1": deploy(3, 0)})[0]
        assert equal(observations["player_0"]["observation"]["turn"], after["observation"]["turn"])
        assert equal(observations["player_0"]["observation"]["income_left"], after["observation"]["income_left"])
        assert as_game(env.core).to_dict() == before.to_dict()
    env.step({"player_0": deploy(1, 0), "player_1": END})
    before.play_round([orders, Orders([(3, 4), (4, 1)], [])])
    assert as_game(env.core).to_dict()["state"] == before.to_dict()["state"]
    assert env.action_masks("player_0").sum() > 1


def test_decode_rejects_actions_after_the_end():
    env = ring()
    assert decode(env, deploy(0, 0), END) == decode(env, deploy(0, 0))
    with pytest.raises(ValueError, match="after the end"):
        decode(env, END, deploy(0, 0))


def test_preferences_keep_their_order_up_to_the_limit_of_the_rules():
    env = WarlightParallelEnv(RING, Rules.of("challenge1", picks=1, ranked=2, fog=False), action="steps")
    env.reset(seed=1)
    view = env.view("player_0")
    a, b, c = view.offers[:3]
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [*(3 * r for r in view.offers), END]
    assert submit(env, 3 * b, 3 * b, 3 * b + 1, attack(0, 1, 1), 3 * a, 3 * c) == [0, 1, 1, 1, 0, 1]
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
    assert env.core.encoding.decode(view, [3 * b, 3 * b, 3 * b + 1, 3 * a, 3 * c]) == [b, a]
    submit(env, END)
    assert np.flatnonzero(env.core.state.owner[0] == 0).tolist() == [b]


def test_only_the_player_to_pick_has_preferences_in_alternating_picks():
    env = WarlightParallelEnv(RING, Rules.of("challenge2", picks=1), action="steps")
    env.reset(seed=1)
    picker, other = env.view("player_0"), env.view("player_1")
    assert other.offers == () and len(picker.offers) > 1
    assert np.flatnonzero(env.action_masks("player_1")).tolist() == [END]
    infos = env.step({"player_0": 3 * picker.offers[1], "player_1": 3 * picker.offers[0]})[-1]
    assert [info["illegal"] for info in infos.values()] == [0, 1]
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END], "one region at a time"
    env.step(dict.fromkeys(env.agents, END))
    assert np.flatnonzero(env.core.state.owner[0] >= 0).tolist() == [picker.offers[1]]


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data(), seed=st.integers(0, 10**6), after=st.integers(0, 60))
@settings(max_examples=2)
def test_the_mask_of_steps_is_exact(preset, data, seed, after):
    """From a random point within a turn, allowed actions change the turn legally; other actions count as illegal."""
    players = data.draw(st.integers(2, 3))
    env = WarlightParallelEnv(
        RING, Rules.of(preset, picks=1), players, short_steps(2, 3), fog=data.draw(st.booleans()),
        picking=data.draw(st.sampled_from(["play", "random"])),
    )  # fmt: skip
    env.reset(seed=seed)
    rng, submitted = np.random.default_rng(seed), {agent: [] for agent in env.agents}
    views = {agent: env.view(agent) for agent in env.agents}
    for _ in range(after):
        if not env.agents:
            return
        actions = {agent: sample(env, rng, agent, masked=True) for agent in env.agents}
        state_before = as_game(env.core).to_dict()
        env.step(actions)
        for agent in actions:
            submitted[agent].append(actions[agent])
        if as_game(env.core).to_dict() != state_before or all(END in turn for turn in submitted.values()):
            submitted, views = {agent: [] for agent in env.agents}, {agent: env.view(agent) for agent in env.agents}
    encoding, game = env.core.encoding, as_game(env.core)
    for agent in env.agents:
        mask, seat = env.action_masks(agent), int(agent[-1])
        if END in submitted[agent]:
            assert np.flatnonzero(mask).tolist() == [END]
            continue
        assert np.array_equal(mask, encoding.mask(views[agent], submitted[agent]))
        turn, saved = encoding.decode(views[agent], submitted[agent]), env.get_state()
        for action in range(END):
            infos = env.step({a: action if a == agent else END for a in env.agents})[-1]
            env.set_state(saved)
            assert infos[agent]["illegal"] == 1 - mask[action]
            longer = encoding.decode(views[agent], [*submitted[agent], action])
            assert (longer != turn) == bool(mask[action])
            if isinstance(longer, Orders):
                assert game.check(seat, longer) == []
            else:
                assert len(set(longer)) == len(longer) and set(longer) <= set(views[agent].offers)
        assert mask[END] == 1
        assert env.step(dict.fromkeys(env.agents, END))[-1][agent]["illegal"] == 0
        env.set_state(saved)


def test_deploys_between_attacks_are_encoded():
    env = ring()
    for actions in (
        [attack(0, 5, 3), deploy(0, 2), attack(0, 3, 1)],
        [deploy(1, 0), attack(0, 5, 4), deploy(0, 1), attack(0, 1, 2), deploy(0, 0), attack(0, 3, 3)],
    ):
        turn = decode(env, *actions)
        assert decode(env, *env.core.encoding.encode(env.view("player_0"), turn)) == turn


def test_encode_uses_the_rest_where_it_saves_most_actions():
    env = ring(short_steps(2, 2), rules={"base_income": 60})
    turn = Orders([(0, 61), (1, 1)], [])
    assert decode(env, *env.core.encoding.encode(env.view("player_0"), turn)) == turn
    env = ring(short_steps(4, 2), rules={"base_income": 60})
    orders = Orders([(0, 16), (1, 2)], [(0, 5, 6)])
    actions = [deploy(0, 1), deploy(1, 0), deploy(1, 0), attack(0, 5, 1), END]
    assert env.core.encoding.encode(env.view("player_0"), orders) == actions


@given(seed=st.integers(0, 10**6), limits=st.tuples(st.integers(1, 4), st.integers(1, 6)), data=st.data())
@settings(max_examples=12)
def test_the_nearest_steps_of_any_turn_are_legal(seed, limits, data):
    env = make(short_steps(*limits), SMALL, 3, rules={"base_income": data.draw(st.integers(1, 30)), "picks": 1})
    rng = np.random.default_rng(seed)
    put(env, rng.integers(-1, 3, 12).tolist(), rng.integers(1, 9, 12).tolist())
    env.core.state.owner[0, :3] = [0, 1, 2]
    env.core.refresh_observations()
    view, board, encoding = env.view("player_0"), env.core.board, env.core.encoding
    owned = np.flatnonzero(view.owner == 0)
    spent = rng.integers(0, view.income + 1) if rng.random() < 0.5 else view.income
    deploys = np.bincount(rng.choice(owned, spent), minlength=12)
    edges = rng.permutation(np.flatnonzero(np.isin(board.edge_source, owned)))[: rng.integers(0, 9)]
    attacks = [(int(board.edge_source[e]), int(board.edge_target[e]), int(rng.integers(1, 12))) for e in edges]
    turn = Orders([(r, int(k)) for r, k in enumerate(deploys) if k], attacks)
    actions = encoding.encode(view, turn, nearest=True)
    assert actions[-1] == encoding.end
    for i, action in enumerate(actions):
        assert encoding.mask(view, actions[:i])[action] == 1
    near = encoding.decode(view, actions)
    assert as_game(env.core).check(0, near) == []
    try:
        assert actions == encoding.encode(view, turn)
    except InexpressibleError:
        pass
    else:
        assert near == turn


def test_nearest_steps_match_hand_computed_turns():
    env = ring(short_steps(2, 3))
    view, encode = env.view("player_0"), functools.partial(env.core.encoding.encode, nearest=True)
    assert decode(env, *encode(view, Orders([], [(0, 5, 5), (0, 3, 3)]))).attacks == [(0, 5, 6), (0, 3, 2)]
    assert decode(env, *encode(view, Orders([(0, 6), (1, 1)], []))).deploys == [(0, 6), (1, 1)]
    assert decode(env, *encode(view, Orders([(0, 4), (1, 3)], []))).deploys == [(0, 5), (1, 2)], "all is deployed"
    assert sum(k for _, k in decode(env, *encode(view, Orders([(0, 3), (1, 3)], []))).deploys) <= 6
    put(env, [0, 0, -1, 1, 1, -1], [9, 1, 2, 4, 4, 2])
    turn = decode(env, *encode(env.view("player_0"), Orders([(0, 5), (1, 1)], [(1, 2, 1)])))
    assert turn.deploys == [(0, 4)] and turn.attacks == [], "no action was left for the army that was to attack"


def test_nearest_steps_keep_the_attacks_of_a_bot_turn():
    env = make("steps", "world", max_cycles=500)
    bot = make_agent("aggressive", 1)
    for _ in range(8):
        bot_actions = {}
        for agent in env.agents:
            view = env.view(agent)
            turn = bot.act(view)
            bot_actions[agent] = env.core.encoding.encode(view, turn, nearest=True)
            near = env.core.encoding.decode(view, bot_actions[agent])
            wanted = [edge[:2] for edge in turn.attacks][: env.core.encoding.max_attacks]
            assert [edge[:2] for edge in near.attacks] == wanted
        for i in range(max(map(len, bot_actions.values()), default=0)):
            infos = env.step({a: bot_actions[a][min(i, len(bot_actions[a]) - 1)] for a in env.agents})[-1]
            assert all(info["illegal"] == 0 for info in infos.values())


# The unfinished turn in the observation


def soft(armies: int) -> float:
    return armies / (armies + 10)


@given(seed=st.integers(0, 10**6), steps=st.integers(0, 40))
@settings(max_examples=6)
def test_observation_contains_the_unfinished_turn_of_its_player(seed, steps):
    env = make("steps", SMALL, 3, fog=bool(seed % 2), rules={"picks": 1}, picking=["play", "random"][seed // 2 % 2])
    flat = make("steps", SMALL, 3, fog=bool(seed % 2), rules={"picks": 1}, picking=["play", "random"][seed // 2 % 2],
                observation="flat")  # fmt: skip
    rng = np.random.default_rng(seed)
    end = env.core.encoding.end
    submitted: dict[str, list[int]] = {agent: [] for agent in env.agents}
    views = {agent: env.view(agent) for agent in env.agents}
    for _ in range(steps):
        actions = {agent: sample(env, rng, agent, masked=False) for agent in env.agents}
        env.step(actions)
        flat.step(actions)
        for agent, action in actions.items():
            if end not in submitted[agent]:
                submitted[agent].append(action)
        if all(end in submitted[agent] for agent in actions):
            submitted, views = {agent: [] for agent in env.agents}, {agent: env.view(agent) for agent in env.agents}
        for agent in env.agents:
            view, turn = views[agent], env.core.encoding.decode(views[agent], submitted[agent])
            seen = env.observe(agent)["observation"]
            expected, left = np.zeros((12, 3)), 1.0
            if isinstance(turn, Orders):
                deployed, leaving, arriving = np.zeros((3, 12), dtype=int)
                for region, armies in turn.deploys:
                    deployed[region] += armies
                for source, target, armies in turn.attacks:
                    leaving[source] += armies
                    arriving[target] += armies
                expected[:, 0], expected[:, 2] = soft(deployed), soft(arriving)
                expected[:, 1] = leaving / np.maximum(view.army + deployed - 1, 1)
                left = 1 - deployed.sum() / view.income
            else:
                expected[turn, 0] = 1
                left = seen["income_left"][0]
            assert np.allclose(seen["turn"], expected, atol=1e-5)
            assert np.allclose(seen["income_left"], [left], atol=1e-6)
            tail = flat.observe(agent)["observation"][-37:]
            assert np.array_equal(tail, [*seen["turn"].reshape(-1), *seen["income_left"]])
            assert env.observation_space(agent).contains(env.observe(agent))


@pytest.mark.parametrize("observation", ["graph", "flat", "raw"])
@given(seed=st.integers(0, 10**6), steps=st.integers(0, 30))
@settings(max_examples=4)
def test_submitted_actions_do_not_leak_to_other_players(observation, seed, steps):
    """Until the round is played, actions of player 0 change neither the state nor the observations of others."""
    env = make("steps", SMALL, 3, rules={"picks": 1}, picking=["play", "random"][seed % 2], observation=observation)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        env.step({agent: sample(env, rng, agent, masked=True) for agent in env.agents})
        if "player_0" not in env.agents:
            return
    others, end = [agent for agent in env.agents if agent != "player_0"], env.core.encoding.end
    one, two = env.clone(), env.clone()
    for _ in range(3):
        actions = {agent: int(rng.integers(end)) for agent in others}  # no player ends its turn
        one.step({**actions, "player_0": sample(one, rng, "player_0", masked=True)})
        two.step({**actions, "player_0": end})
        if any(as_game(e.core).to_dict() != as_game(env.core).to_dict() for e in (one, two)):
            return  # the others had already ended their turns, so the round was played
        for agent in others:
            assert equal(one.observe(agent), two.observe(agent))
            assert equal(one.action_masks(agent), two.action_masks(agent))
        assert np.array_equal(one.state(), two.state())
