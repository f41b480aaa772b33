"""The encodings steps, continuous and strategies: what they mean, their masks, and that encoding is the inverse."""

from __future__ import annotations

import dataclasses
import functools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from env_helpers import LONG, SMALL, equal
from helpers import PRESETS, RING, make_map
from warlight_env.agents import generators, make_agent
from warlight_env.agents.evaluation import best_picks
from warlight_env.agents.weights import THESIS
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.envs import InexpressibleError, WarlightParallelEnv
from warlight_env.envs.actions import StepActions
from warlight_env.envs.actions.continuous import SCALE
from warlight_env.game import Game

NAMES = ("steps", "continuous", "strategies")
MAPS = {"small": SMALL, "ring": RING, "long": LONG, "world": "world"}
WAYS = [(deploy, attack) for deploy in generators.DEPLOY_WAYS for attack in generators.ATTACK_WAYS]


def short_steps(max_deploys: int = 3, max_attacks: int = 4) -> Any:
    return functools.partial(StepActions, max_deploys=max_deploys, max_attacks=max_attacks)


def make(action: Any, map_: Any = RING, players: int = 2, **arguments) -> WarlightParallelEnv:
    """An environment in which regions are dealt, ready to be put into a position."""
    env = WarlightParallelEnv(map_, players=players, action=action, **{"picking": "random", **arguments})
    env.reset(seed=0)
    return env


def put(env: WarlightParallelEnv, owner: list[int], army: list[int]) -> None:
    env.core.state.owner[0], env.core.state.army[0] = owner, army
    env.core.restore(env.core.snapshot())


def as_game(env: WarlightParallelEnv) -> Game:
    """The environment's position, dice included, as a `Game`."""
    core = env.core
    saved = Game(core.map, core.rules, core.players, 0).to_dict()
    saved["state"] = {name: array[0].tolist() for name, array in core.state._asdict().items()}
    del saved["hash"]
    return Game.from_dict(saved)


# Whole episodes


@st.composite
def envs(draw, name: str, maps_=("small", "ring", "long", "small", "ring", "world")) -> WarlightParallelEnv:
    """A new game on one of the maps, with as many players as it has room for."""
    action = short_steps(draw(st.integers(1, 4)), draw(st.integers(1, 6))) if name == "steps" else name
    rules = Rules.of(draw(st.sampled_from(PRESETS)), picks=draw(st.integers(1, 2)))
    given = {"fog": draw(st.booleans()), "picking": draw(st.sampled_from(["play", "random"])), "action": action}
    map_ = MAPS[draw(st.sampled_from(maps_))]
    for players in range(draw(st.integers(2, 6)), 0, -1):
        try:
            env = WarlightParallelEnv(map_, rules, players, **given, max_cycles=70 if name == "steps" else 15)
            break
        except RulesError:  # too many players for the map
            pass
    env.reset(seed=draw(st.integers(0, 10**6)))
    return env


def sample(env: WarlightParallelEnv, rng: np.random.Generator, agent: str, masked: bool) -> Any:
    """A random action; of steps often the end, of continuous often equal scores."""
    encoding = env.core.encoding
    if encoding.name == "continuous":
        scores = rng.uniform(-1, 1, len(encoding.limits)).astype(np.float32)
        return np.round(scores * 4) / np.float32(4) if rng.random() < 0.5 else scores
    if encoding.name == "steps" and rng.random() < 0.15:
        return encoding.end
    mask = env.action_masks(agent)
    return int(rng.choice(np.flatnonzero(mask) if masked else len(mask)))


def play_turns(env: WarlightParallelEnv, rng: np.random.Generator, masked: bool) -> tuple[dict, dict, bool]:
    """Let everybody hand in a turn: what they said, how much of it was illegal, and whether the game went on."""
    encoding = env.core.encoding
    if not encoding.stepwise:
        said = {agent: sample(env, rng, agent, masked) for agent in env.agents}
        infos = env.step(said)[-1]
        return said, {agent: infos[agent]["illegal"] for agent in said}, True
    said, illegal = {agent: [] for agent in env.agents}, dict.fromkeys(env.agents, 0)
    while env.agents:
        actions = {a: sample(env, rng, a, masked) for a in env.agents}
        for agent, action in actions.items():
            if said[agent][-1:] != [encoding.end]:
                said[agent].append(action)
        infos = env.step(actions)[-1]
        for agent in actions:
            illegal[agent] += infos[agent]["illegal"]
        if all(turn[-1] == encoding.end for turn in said.values()):
            return said, illegal, True
    return said, illegal, False


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("masked", [True, False])
@given(data=st.data(), seed=st.integers(0, 10**6))
@settings(max_examples=12)
def test_what_is_played_is_what_decode_says(name, masked, data, seed):
    """A `Game` with the same dice plays the decoded turns; what respects the mask is never illegal."""
    env, rng = data.draw(envs(name)), np.random.default_rng(seed)
    encoding = env.core.encoding
    while env.agents:
        game, views = as_game(env), {agent: env.view(agent) for agent in env.agents}
        said, illegal, complete = play_turns(env, rng, masked)
        if masked:
            assert set(illegal.values()) == {0}
        turns = {int(agent[-1]): encoding.decode(views[agent], said[agent]) for agent in said}
        if game.phase == "pick":
            assert game.pick({p: turns[p] for p in game.pickers()}, on_illegal="skip") == []
        else:
            assert [game.check(p, turn) for p, turn in turns.items()] == [[]] * len(turns)
            game.play_round(turns)
        if complete:
            assert as_game(env).to_dict()["state"] == game.to_dict()["state"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data(), seed=st.integers(0, 10**6))
@settings(max_examples=6)
def test_encode_is_the_inverse_of_decode(name, preset, data, seed):
    """For turns that decode gave: orders, wishes, and none at all."""
    env, rng = data.draw(envs(name)), np.random.default_rng(seed)
    encoding = env.core.encoding
    while env.agents:
        views = {agent: env.view(agent) for agent in env.agents}
        said, *_ = play_turns(env, rng, masked=True)
        for agent, actions in said.items():
            turn = encoding.decode(views[agent], actions)
            again = encoding.encode(views[agent], turn)
            assert encoding.decode(views[agent], again) == turn
            assert all(env.action_space(agent).contains(a) for a in (again if name == "steps" else [again]))


@pytest.mark.parametrize("name", NAMES)
def test_actions_out_of_the_space_are_refused(name):
    env = make(name)
    good = {agent: env.action_space(agent).sample() for agent in env.agents}
    before = as_game(env).to_dict()
    bad = {"continuous": [2, "x", [0.5]]}.get(name, [-1, len(env.action_masks("player_0")), 2**70, "x", 0.5, [0]])
    for value in bad:
        with pytest.raises(ValueError, match="player_1: action"):
            env.step({**good, "player_1": value})
        with pytest.raises(ValueError, match="action"):
            env.core.encoding.decode(env.view("player_1"), [value] if name == "steps" else value)
    assert as_game(env).to_dict() == before


# steps: a player's turn is [0, 0, -1, 1, 1, -1] on the ring; player 0 owns a super region with a bonus of 2


def ring(action: Any = "steps", army: int = 9, **arguments) -> WarlightParallelEnv:
    env = make(action, max_cycles=1000, **arguments)
    put(env, [0, 0, -1, 1, 1, -1], [army, 3, 2, 4, 4, 2])
    return env


def deploy(region: int, size: int) -> int:
    """Size 0: one army, 1: a quarter of the income, 2: the rest."""
    return 3 * region + size


def attack(source: int, target: int, share: int) -> int:
    """share / 4 of the armies, on the ring."""
    return 18 + 4 * int(make_edges()[source, target]) + share - 1


@functools.cache
def make_edges() -> np.ndarray:
    return WarlightParallelEnv(RING, action="steps").core.board.edge_index


END = 18 + 4 * 14


def say(env: WarlightParallelEnv, *actions: int, agent: str = "player_0") -> list[int]:
    """Hand in actions of one player, the others have ended their turns; what was illegal."""
    return [
        env.step({a: action if a == agent else END for a in env.agents})[-1][agent]["illegal"] for action in actions
    ]


def decoded(env: WarlightParallelEnv, *actions: int) -> Orders:
    turn = env.core.encoding.decode(env.view("player_0"), list(actions))
    assert isinstance(turn, Orders)
    return turn


@pytest.mark.parametrize(
    "base, quarter", [(1, 1), (2, 1), (3, 2), (6, 2), (7, 3), (98, 25)], ids=lambda value: str(value)
)
def test_a_quarter_of_the_income_rounds_up(base, quarter):
    env = ring(rules={"base_income": base})
    assert env.view("player_0").income == base + 2
    assert decoded(env, deploy(1, 1)).deploys == [(1, quarter)]


def test_deploys_by_hand():
    env = ring()
    assert env.view("player_0").income == 7
    assert decoded(env, deploy(0, 0), deploy(1, 0), deploy(0, 0)).deploys == [(0, 2), (1, 1)]
    assert decoded(env, deploy(0, 1), deploy(1, 2)).deploys == [(0, 2), (1, 5)]
    assert decoded(env, *[deploy(0, 1)] * 4).deploys == [(0, 7)], "of the last quarter only 1 is left"
    assert decoded(env, deploy(0, 2), deploy(1, 0), deploy(1, 1), deploy(1, 2)).deploys == [(0, 7)]
    assert decoded(env, deploy(2, 0), deploy(3, 1), deploy(3, 2)).deploys == [], "not the player's"


def test_shares_are_of_what_is_left_by_hand():
    env = ring()  # 8 of the 9 on region 0 may leave
    assert [decoded(env, attack(0, 5, k)).attacks[0][2] for k in (1, 2, 3, 4)] == [2, 4, 6, 8]
    assert [decoded(env, attack(1, 2, k)).attacks[0][2] for k in (1, 2, 3, 4)] == [1, 1, 1, 2], "2 may: at least 1"
    turn = decoded(env, attack(0, 5, 1), attack(0, 3, 2), attack(1, 2, 4), attack(0, 1, 4))
    assert turn.attacks == [(0, 5, 2), (0, 3, 3), (1, 2, 2), (0, 1, 3)]
    assert decoded(env, deploy(0, 1), attack(0, 5, 2)).attacks == [(0, 5, 5)], "armies deployed may leave too"
    turn = decoded(env, attack(0, 5, 4), attack(0, 3, 4), deploy(0, 0), attack(0, 3, 1))
    assert (turn.deploys, turn.attacks) == ([(0, 1)], [(0, 5, 8), (0, 3, 1)]), "nothing is left for the second"


def test_each_edge_once():
    env = ring()
    say(env, attack(0, 5, 1))
    closed = [attack(0, 5, k) for k in (1, 2, 3, 4)]
    assert not env.action_masks("player_0")[closed].any()
    assert env.action_masks("player_0")[[attack(0, t, k) for t in (1, 3) for k in (1, 2, 3, 4)]].all()
    assert say(env, deploy(0, 2), *closed) == [0, 1, 1, 1, 1]
    assert not env.action_masks("player_0")[closed].any()
    assert decoded(env, attack(0, 5, 1), *closed).attacks == [(0, 5, 2)]


def test_after_the_most_deploys_and_attacks_only_the_end_is_open():
    env = ring(short_steps(2, 1))
    assert say(env, deploy(0, 0), deploy(0, 0), attack(0, 5, 1)) == [0, 0, 0]
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
    assert say(env, deploy(0, 0), attack(0, 3, 1), attack(1, 2, 1)) == [1, 1, 1]
    only_deploys = ring(short_steps(1, 16))
    say(only_deploys, deploy(0, 0))
    mask = only_deploys.action_masks("player_0")
    assert not mask[:18].any() and mask[18:].any()


def test_the_rules_limit_of_orders_caps_too():
    env = ring(rules={"max_orders": 1})
    assert (env.core.encoding.max_deploys, env.core.encoding.max_attacks) == (1, 1)
    say(env, deploy(0, 0), attack(0, 5, 1))
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
    assert ring(short_steps(5, 6), rules={"max_orders": 51}).core.encoding.max_deploys == 5
    assert ring(short_steps(5, 60)).core.encoding.max_attacks == 14, "there are 14 edges"


@pytest.mark.parametrize("name", ["max_deploys", "max_attacks"])
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2"])
def test_limits_of_steps_are_checked(name, value):
    with pytest.raises(ValueError, match=f"{name} = {value!r}"):
        WarlightParallelEnv(RING, action=functools.partial(StepActions, **{name: value}))


def test_after_the_end_nothing_changes_until_all_have_ended():
    env = ring()
    before = as_game(env)
    orders = decoded(env, deploy(0, 2), attack(0, 5, 4))
    env.step({"player_0": deploy(0, 2), "player_1": deploy(3, 0)})
    env.step({"player_0": attack(0, 5, 4), "player_1": deploy(3, 0)})
    env.step({"player_0": END, "player_1": deploy(4, 0)})
    after = env.observe("player_0")
    for action in [END, deploy(0, 0), attack(1, 2, 1), END]:
        assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
        observations = env.step({"player_0": action, "player_1": deploy(3, 0)})[0]
        assert equal(observations["player_0"]["observation"]["turn"], after["observation"]["turn"])
        assert equal(observations["player_0"]["observation"]["income_left"], after["observation"]["income_left"])
        assert as_game(env).to_dict() == before.to_dict()
    env.step({"player_0": deploy(1, 0), "player_1": END})
    before.play_round([orders, Orders([(3, 4), (4, 1)], [])])
    assert as_game(env).to_dict()["state"] == before.to_dict()["state"]
    assert env.action_masks("player_0").sum() > 1


def test_decode_takes_nothing_after_the_end():
    env = ring()
    assert decoded(env, deploy(0, 0), END) == decoded(env, deploy(0, 0))
    with pytest.raises(ValueError, match="after the end"):
        decoded(env, END, deploy(0, 0))


def test_wishes_are_kept_in_order_up_to_the_rules_number():
    env = WarlightParallelEnv(RING, Rules.of("challenge1", picks=1, ranked=2, fog=False), action="steps")
    env.reset(seed=1)
    view = env.view("player_0")
    a, b, c = view.offers[:3]
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [*(3 * r for r in view.offers), END]
    assert say(env, 3 * b, 3 * b, 3 * b + 1, attack(0, 1, 1), 3 * a, 3 * c) == [0, 1, 1, 1, 0, 1]
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [END]
    assert env.core.encoding.decode(view, [3 * b, 3 * b, 3 * b + 1, 3 * a, 3 * c]) == [b, a]
    say(env, END)
    assert np.flatnonzero(env.core.state.owner[0] == 0).tolist() == [b]


def test_where_picks_alternate_only_the_picker_wishes():
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
@settings(max_examples=4)
def test_the_mask_of_steps_is_exact(preset, data, seed, after):
    """Each action alone, from some place within a turn: open ones change the turn legally, closed ones are counted."""
    players = data.draw(st.integers(2, 3))
    env = WarlightParallelEnv(
        RING, Rules.of(preset, picks=1), players, short_steps(2, 3), fog=data.draw(st.booleans()),
        picking=data.draw(st.sampled_from(["play", "random"])),
    )  # fmt: skip
    env.reset(seed=seed)
    rng, said = np.random.default_rng(seed), {agent: [] for agent in env.agents}
    views = {agent: env.view(agent) for agent in env.agents}
    for _ in range(after):
        if not env.agents:
            return
        actions = {agent: sample(env, rng, agent, masked=True) for agent in env.agents}
        played = as_game(env).to_dict()
        env.step(actions)
        for agent in actions:
            said[agent].append(actions[agent])
        if as_game(env).to_dict() != played or all(END in turn for turn in said.values()):
            said, views = {agent: [] for agent in env.agents}, {agent: env.view(agent) for agent in env.agents}
    encoding, game = env.core.encoding, as_game(env)
    for agent in env.agents:
        mask, seat = env.action_masks(agent), int(agent[-1])
        if END in said[agent]:
            assert np.flatnonzero(mask).tolist() == [END]
            continue
        assert np.array_equal(mask, encoding.mask(views[agent], said[agent]))
        turn, saved = encoding.decode(views[agent], said[agent]), env.get_state()
        for action in range(END):
            infos = env.step({a: action if a == agent else END for a in env.agents})[-1]
            env.set_state(saved)
            assert infos[agent]["illegal"] == 1 - mask[action]
            longer = encoding.decode(views[agent], [*said[agent], action])
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
        turn = decoded(env, *actions)
        assert decoded(env, *env.core.encoding.encode(env.view("player_0"), turn)) == turn


def test_the_rest_goes_where_it_saves_most_actions():
    env = ring(short_steps(2, 2), rules={"base_income": 60})
    turn = Orders([(0, 61), (1, 1)], [])
    assert decoded(env, *env.core.encoding.encode(env.view("player_0"), turn)) == turn
    env = ring(short_steps(4, 2), rules={"base_income": 60})
    orders = Orders([(0, 16), (1, 2)], [(0, 5, 6)])
    actions = [deploy(0, 1), deploy(1, 0), deploy(1, 0), attack(0, 5, 1), END]
    assert env.core.encoding.encode(env.view("player_0"), orders) == actions


@given(seed=st.integers(0, 10**6), limits=st.tuples(st.integers(1, 4), st.integers(1, 6)), data=st.data())
@settings(max_examples=30)
def test_the_nearest_steps_of_any_turn_are_legal(seed, limits, data):
    env = make(short_steps(*limits), SMALL, 3, rules={"base_income": data.draw(st.integers(1, 30)), "picks": 1})
    rng = np.random.default_rng(seed)
    put(env, rng.integers(-1, 3, 12).tolist(), rng.integers(1, 9, 12).tolist())
    env.core.state.owner[0, :3] = [0, 1, 2]
    env.core.restore(env.core.snapshot())
    view, board, encoding = env.view("player_0"), env.core.board, env.core.encoding
    own = np.flatnonzero(view.owner == 0)
    spent = rng.integers(0, view.income + 1) if rng.random() < 0.5 else view.income
    deploys = np.bincount(rng.choice(own, spent), minlength=12)
    edges = rng.permutation(np.flatnonzero(np.isin(board.edge_source, own)))[: rng.integers(0, 9)]
    attacks = [(int(board.edge_source[e]), int(board.edge_target[e]), int(rng.integers(1, 12))) for e in edges]
    turn = Orders([(r, int(k)) for r, k in enumerate(deploys) if k], attacks)
    actions = encoding.encode(view, turn, nearest=True)
    assert actions[-1] == encoding.end
    for i, action in enumerate(actions):
        assert encoding.mask(view, actions[:i])[action] == 1
    near = encoding.decode(view, actions)
    assert as_game(env).check(0, near) == []
    try:
        assert actions == encoding.encode(view, turn)
    except InexpressibleError:
        pass
    else:
        assert near == turn


def test_the_nearest_steps_by_hand():
    env = ring(short_steps(2, 3))
    view, encode = env.view("player_0"), functools.partial(env.core.encoding.encode, nearest=True)
    assert decoded(env, *encode(view, Orders([], [(0, 5, 5), (0, 3, 3)]))).attacks == [(0, 5, 6), (0, 3, 2)]
    assert decoded(env, *encode(view, Orders([(0, 6), (1, 1)], []))).deploys == [(0, 6), (1, 1)]
    assert decoded(env, *encode(view, Orders([(0, 4), (1, 3)], []))).deploys == [(0, 5), (1, 2)], "all is deployed"
    assert sum(k for _, k in decoded(env, *encode(view, Orders([(0, 3), (1, 3)], []))).deploys) <= 6
    put(env, [0, 0, -1, 1, 1, -1], [9, 1, 2, 4, 4, 2])
    turn = decoded(env, *encode(env.view("player_0"), Orders([(0, 5), (1, 1)], [(1, 2, 1)])))
    assert turn.deploys == [(0, 4)] and turn.attacks == [], "no action was left for the army that was to attack"


def test_a_bot_s_turns_as_nearest_steps():
    env = make("steps", "world", max_cycles=500)
    bot = make_agent("aggressive", 1)
    for _ in range(8):
        said = {}
        for agent in env.agents:
            view = env.view(agent)
            turn = bot.act(view)
            said[agent] = env.core.encoding.encode(view, turn, nearest=True)
            near = env.core.encoding.decode(view, said[agent])
            wanted = [edge[:2] for edge in turn.attacks][: env.core.encoding.max_attacks]
            assert [edge[:2] for edge in near.attacks] == wanted
        for i in range(max(map(len, said.values()), default=0)):
            infos = env.step({a: said[a][min(i, len(said[a]) - 1)] for a in env.agents})[-1]
            assert all(info["illegal"] == 0 for info in infos.values())


# steps: the turn so far in the observation


def soft(armies: int) -> float:
    return armies / (armies + 10)


@given(seed=st.integers(0, 10**6), steps=st.integers(0, 40))
@settings(max_examples=15)
def test_the_turn_so_far_is_seen_by_its_player(seed, steps):
    env = make("steps", SMALL, 3, fog=bool(seed % 2), rules={"picks": 1}, picking=["play", "random"][seed // 2 % 2])
    flat = make("steps", SMALL, 3, fog=bool(seed % 2), rules={"picks": 1}, picking=["play", "random"][seed // 2 % 2],
                observation="flat")  # fmt: skip
    rng = np.random.default_rng(seed)
    end = env.core.encoding.end
    said: dict[str, list[int]] = {agent: [] for agent in env.agents}
    views = {agent: env.view(agent) for agent in env.agents}
    for _ in range(steps):
        actions = {agent: sample(env, rng, agent, masked=False) for agent in env.agents}
        env.step(actions)
        flat.step(actions)
        for agent, action in actions.items():
            if end not in said[agent]:
                said[agent].append(action)
        if all(end in said[agent] for agent in actions):
            said, views = {agent: [] for agent in env.agents}, {agent: env.view(agent) for agent in env.agents}
        for agent in env.agents:
            view, turn = views[agent], env.core.encoding.decode(views[agent], said[agent])
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
@settings(max_examples=8)
def test_what_is_handed_in_does_not_leak(observation, seed, steps):
    """Whatever player 0 says, the others and the state look the same until the round is played."""
    env = make("steps", SMALL, 3, rules={"picks": 1}, picking=["play", "random"][seed % 2], observation=observation)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        env.step({agent: sample(env, rng, agent, masked=True) for agent in env.agents})
        if "player_0" not in env.agents:
            return
    others, end = [agent for agent in env.agents if agent != "player_0"], env.core.encoding.end
    one, two = env.clone(), env.clone()
    for _ in range(3):
        actions = {agent: int(rng.integers(end)) for agent in others}  # nobody ends
        one.step({**actions, "player_0": sample(one, rng, "player_0", masked=True)})
        two.step({**actions, "player_0": end})
        if any(as_game(e).to_dict() != as_game(env).to_dict() for e in (one, two)):
            return  # the others had ended before: the round is played
        for agent in others:
            assert equal(one.observe(agent), two.observe(agent))
            assert equal(one.action_masks(agent), two.action_masks(agent))
        assert np.array_equal(one.state(), two.state())


# continuous


def scores(env: WarlightParallelEnv, regions: dict[int, float], edges: dict[tuple[int, int], float] | None = None):
    action = np.full(env.action_space("player_0").shape, -1, dtype=np.float32)
    for region, score in regions.items():
        action[region] = score
    for (source, target), score in (edges or {}).items():
        action[env.core.board.n_regions + env.core.board.edge_index[source, target]] = score
    return action


def turn_of(env: WarlightParallelEnv, *said, **changes) -> Orders:
    turn = env.core.encoding.decode(dataclasses.replace(env.view("player_0"), **changes), scores(env, *said))
    assert isinstance(turn, Orders)
    return turn


def largest_remainder(weights: dict[int, int], income: int) -> dict[int, int]:
    total = sum(weights.values())
    exact = {r: Fraction(income * w, total) for r, w in weights.items()}
    seats = {r: int(x) for r, x in exact.items()}
    order = sorted(weights, key=lambda r: (seats[r] - exact[r], r))
    for r in order[: income - sum(seats.values())]:
        seats[r] += 1
    return {r: k for r, k in sorted(seats.items()) if k}


def weights_of(values: Any) -> Any:
    return st.dictionaries(st.integers(0, 11), values, min_size=1)


WEIGHTS = st.one_of(
    weights_of(st.integers(1, SCALE)), weights_of(st.integers(SCALE - 9, SCALE)), weights_of(st.integers(1, 4))
)


@example(weights={0: 2, 1: 786431, 2: 786432}, income=1, limit=0)
@given(
    weights=WEIGHTS, income=st.one_of(st.integers(0, 60), st.integers(1, 8)),
    limit=st.sampled_from([0, 0, 2, 5]),
)  # fmt: skip
@settings(max_examples=150)
def test_scores_share_the_income_by_largest_remainder(weights, income, limit):
    env = wide(limit)
    exact = {r: w / SCALE for r, w in weights.items()}
    first = dict(sorted(weights.items())[: limit or 12])
    assert dict(turn_of(env, exact, income=income).deploys) == largest_remainder(first, income)


@functools.cache
def wide(limit: int) -> WarlightParallelEnv:
    """Everything belongs to player 0."""
    env = make("continuous", SMALL, rules={"max_orders": limit})
    put(env, [0] * 12, [5] * 12)
    return env


@pytest.mark.parametrize(
    "said, expected",
    [
        ({0: 1, 1: 1}, [(0, 4), (1, 3)]),
        ({0: 0.25, 1: 0.75}, [(0, 2), (1, 5)]),
        ({0: 0.1, 1: 1e-7}, [(0, 7)]),
        ({}, [(0, 7)]),
        ({0: -0.5, 1: -0.25}, [(1, 7)]),
        ({0: -0.25, 1: -0.5}, [(0, 7)]),
        ({0: 0, 1: 0, 2: 1, 3: 1}, [(0, 7)]),
        ({1: 0.001, 3: 1}, [(1, 7)]),
    ],
)
def test_scores_by_hand(said, expected):
    assert turn_of(ring("continuous"), said).deploys == expected


@pytest.mark.parametrize(
    "army, score, sent",
    [
        (6, 1.0, 5), (6, 0.5, 3), (6, 0.49, 2), (6, 0.3, 2), (6, 0.29, 1), (6, 0.01, 1), (6, 1e-6, 1), (2, 0.01, 1),
        (1, 1.0, None), (6, 0.0, None), (6, -0.5, None), (6, 1e-7, None), (101, 0.996, 100), (101, 0.994, 99),
    ],
)  # fmt: skip
def test_shares_round_to_the_nearest_but_send_at_least_one(army, score, sent):
    env = ring("continuous", army=army)
    attacks = turn_of(env, {1: 1}, {(0, 5): score}).attacks
    assert attacks == ([] if sent is None else [(0, 5, sent)])


def test_armies_deployed_may_leave():
    assert turn_of(ring("continuous", army=1), {0: 1}, {(0, 5): 1}).attacks == [(0, 5, 7)]


def test_larger_shares_go_first_equal_ones_by_edge():
    env = ring("continuous", army=41)
    said = {(0, 1): 0.25, (0, 3): 0.5, (0, 5): 0.75, (1, 0): 0.5, (1, 2): 0.75, (3, 4): 1}
    assert [a[:2] for a in turn_of(env, {}, said).attacks] == [(0, 5), (1, 2), (0, 3), (1, 0), (0, 1)]
    limited = ring("continuous", rules={"max_orders": 2})
    assert [a[:2] for a in turn_of(limited, {}, said).attacks] == [(0, 5), (1, 2)]


def test_scores_are_wishes_while_regions_are_picked():
    env = WarlightParallelEnv(RING, "thesis_draft", action="continuous")
    env.reset(seed=0)
    view = env.view("player_0")
    a, b, c = view.offers[:3]
    action = scores(env, dict.fromkeys(range(6), 0.0) | {b: 0.5, a: -1.0, c: -0.5})
    others = [r for r in view.offers if r not in (a, b, c)]
    assert env.core.encoding.decode(view, action) == [b, *others, c, a]
    infos = env.step({"player_0": action, "player_1": action})[-1]
    assert [info["illegal"] for info in infos.values()] == [0, 0]


@pytest.mark.parametrize(
    "place, value, reason",
    [
        (4, np.nan, r"entry 4 is nan; it must lie in -1 \.\. 1"), (0, 1.5, r"entry 0 is 1\.5"),
        (19, -np.inf, "entry 19 is -inf"), (7, -1.01, "entry 7 is -1"),
    ],
)  # fmt: skip
def test_scores_out_of_range_are_refused(place, value, reason):
    env = ring("continuous")
    action = scores(env, {})
    bad = action.copy()
    bad[place] = value
    before = as_game(env).to_dict()
    with pytest.raises(ValueError, match=f"player_1: action: {reason}"):
        env.step({"player_0": action, "player_1": bad})
    with pytest.raises(ValueError, match=reason):
        env.core.encoding.decode(env.view("player_0"), bad)
    assert as_game(env).to_dict() == before


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda a: a[:-1], r"shape \(20,\), not \(19,\)"), (lambda a: a[None], r"not \(1, 20\)"),
        (lambda a: a > 0, "float array"), (lambda a: "north", "float array"), (lambda a: {"deploy": a}, "float array"),
        (lambda a: [[1.0], [1.0, 2.0]], "float array"), (lambda a: a.astype(complex), "float array"),
        (lambda a: 0.5, r"not \(\)"),
    ],
)  # fmt: skip
def test_scores_of_another_form_are_refused(spoil, reason):
    env = ring("continuous")
    action = scores(env, {})
    with pytest.raises(ValueError, match=f"player_0: action must be a float array of shape.*{reason}|{reason}"):
        env.step({"player_0": spoil(action), "player_1": action})


def test_numbers_in_any_form_are_scores():
    env = ring("continuous")
    view, decode = env.view("player_0"), env.core.encoding.decode
    action = scores(env, {0: 1, 1: 0}, {(0, 5): 1})
    for same in (action.tolist(), action.astype(int), action.astype(np.float16), action.astype(np.float64)):
        assert decode(view, same) == decode(view, action)


@given(seed=st.integers(0, 10**6), most=st.sampled_from([5, 100, 3000, 10**6]))
@settings(max_examples=25)
def test_large_armies_survive_encoding(seed, most):
    env, rng = make("continuous", rules={"base_income": 40}), np.random.default_rng(seed)
    put(env, [0, 0, 0, 1, 0, 0], rng.integers(1, most, 6).tolist())
    view, encoding = env.view("player_0"), env.core.encoding
    turn = encoding.decode(view, rng.uniform(-1, 1, 20).astype(np.float32))
    assert encoding.decode(view, encoding.encode(view, turn)) == turn


# strategies


@given(data=st.data(), seed=st.integers(0, 10**6), turns=st.integers(0, 10))
@settings(max_examples=25)
def test_strategies_are_the_generators_turns(data, seed, turns):
    env, rng = data.draw(envs("strategies")), np.random.default_rng(seed)
    for _ in range(turns):
        if env.agents:
            play_turns(env, rng, masked=False)
    for agent in env.agents:
        view, mask = env.view(agent), env.action_masks(agent)
        if view.phase == "pick":
            assert env.core.encoding.decode(view, 0) == best_picks(view)
            assert np.flatnonzero(mask).tolist() == [0]
            continue
        assert as_game(env).check(int(agent[-1]), env.core.encoding.decode(view, 0)) == []
        assert mask.any()
        for action, (deploy_way, attack_way) in enumerate(WAYS):
            deploys = generators.deploys(view, deploy_way, THESIS)
            assert mask[action] == (deploys is not None)
            if deploys is not None:
                attacks = generators.attacks(view, attack_way, deploys, THESIS, press=True)
                turn = Orders(deploys, attacks[: view.rules.max_orders or None])
                assert env.core.encoding.decode(view, action) == turn


LINE = make_map([0, 0, 1, 1], [(0, 1), (1, 2), (2, 3)], [2, 3], "line")


def board(map_: Any, owner: list[int], army: list[int], **rules) -> WarlightParallelEnv:
    env = make("strategies", map_, rules={"picks": 1, "offers_per_super_region": 0, **rules})
    put(env, owner, army)
    return env


@pytest.mark.parametrize(
    "map_, owner, army, mask",
    [
        (LINE, [0, -1, -1, 1], [2, 2, 2, 2], "000000111"),
        (LINE, [0, 0, 1, 1], [2, 9, 2, 2], "111000000"),
        (LINE, [0, 0, 1, 1], [2, 2, 9, 2], "111111000"),
        (LINE, [-1, 0, 1, 1], [2, 2, 9, 2], "111111111"),
        (LINE, [-1, 0, 1, 1], [2, 20, 2, 2], "111000111"),
        (LINE, [0, 0, 0, 0], [2, 2, 2, 2], "111000000"),
    ],
)
def test_the_mask_closes_ways_that_do_not_apply(map_, owner, army, mask):
    env = board(map_, owner, army)
    assert "".join(map(str, env.action_masks("player_0"))) == mask
    assert np.array_equal(env.core.encoding.mask(env.view("player_0")), env.action_masks("player_0"))
    for action, is_open in enumerate(mask):
        env = board(map_, owner, army)
        orders = env.core.encoding.decode(env.view("player_0"), action)
        if 1 in owner:
            assert as_game(env).check(0, orders) == []
        assert env.step({"player_0": action, "player_1": 0})[-1]["player_0"]["illegal"] == (is_open == "0")


def test_where_no_way_applies_all_goes_to_the_nearest_to_a_foreign_region():
    env = board(LINE, [0, 0, 0, 0], [2, 2, 2, 2])
    assert generators.deploys(env.view("player_0"), "aggressive") is None
    assert generators.deploys(env.view("player_0"), "expansive") is None
    assert [env.core.encoding.decode(env.view("player_0"), a).deploys for a in range(9)] == [[(0, 10)]] * 9


def test_strategies_keep_to_the_rules_limit_of_orders():
    env = make("strategies", LONG, rules={"base_income": 100, "max_orders": 2})
    put(env, [0, 1] * 35, [60, 9] * 35)
    view = env.view("player_0")
    assert len(generators.deploys(view, "defensive")) > 2
    for action in np.flatnonzero(env.action_masks("player_0")):
        orders = env.core.encoding.decode(view, action)
        assert len(orders.deploys) <= 2 and len(orders.attacks) <= 2
        assert as_game(env).check(0, orders) == []


def test_one_strategy_while_regions_are_picked():
    env, other = (make("strategies", SMALL, picking="play") for _ in range(2))
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [0]
    infos = [e.step({"player_0": a, "player_1": 0})[-1]["player_0"]["illegal"] for e, a in ((env, 0), (other, 5))]
    assert infos == [0, 1]
    assert as_game(env).to_dict()["state"] == as_game(other).to_dict()["state"]


# What cannot be encoded


@pytest.mark.parametrize(
    "action, turn, reason",
    [
        ("steps", Orders([], [(0, 5, 3)]), r"attack 0 to 5: a quarter, half, .* of 8 armies are \[2, 4, 6, 8\], not 3"),
        ("steps", Orders([], [(0, 5, 2), (0, 5, 2)]), "attack 0 to 5: two of them"),
        ("steps", Orders([], [(0, 5, 8), (0, 3, 1)]), "attack 0 to 3: no armies may leave"),
        ("steps", Orders([], [(0, 2, 1)]), "attack 0 to 2: the regions are not neighbours"),
        ("steps", Orders([], [(3, 0, 1)]), "attack 3 to 0: not the player's"),
        ("steps", Orders([(3, 1)], []), "deploy of 1 on 3"),
        ("steps", Orders([(0, 8)], []), "income is 7"),
        ("steps", Orders([], [(0, 9, 1)]), "not neighbours"),
        (short_steps(2, 2), Orders([(0, 3), (1, 3)], []), "take 4 actions, and there are 2"),
        (short_steps(2, 1), Orders([], [(0, 5, 2), (1, 2, 1)]), "attack 1 to 2: there are only 1 attacks"),
        ("steps", Orders([(0, 1)], [(0, 5, 8), (0, 3, 1), (0, 1, 1)]), "attack 0 to 1: no armies may leave"),
        ("steps", Orders([(0, 7)], [(0, 5, 15), (0, 3, 1)]), "no armies may leave"),
        ("steps", Orders([(0, 1)], [(0, 5, 9), (0, 3, 1)]), "no armies may leave"),
        ("continuous", Orders([(0, 6)], []), "whole income of 7 is shared out, not 6"),
        ("continuous", Orders([(0, 7)], [(0, 5, 16)]), r"attack 0 to 5: of 1 \.\. 15 armies, not 16"),
        ("continuous", Orders([(0, 7)], [(0, 5, 5), (0, 3, 9)]), "attack 0 to 3 with 9: larger shares go first"),
        ("continuous", Orders([(0, 7)], [(0, 5, 5), (0, 5, 5)]), "two attacks from 0 to 5"),
        ("continuous", Orders([(0, 7)], [(0, 2, 5)]), "not neighbours"),
        ("continuous", Orders([(2, 7)], []), "own region"),
        ("strategies", Orders([], []), "none of the nine"),
        ("strategies", Orders([(0, 3), (1, 4)], [(0, 5, 1)]), "none of the nine"),
    ],
)
def test_what_cannot_be_encoded_is_named(action, turn, reason):
    env = ring(action)
    with pytest.raises(InexpressibleError, match=reason):
        env.core.encoding.encode(env.view("player_0"), turn)


def test_more_attacks_than_the_rules_allow_cannot_be_encoded():
    env = ring("continuous", rules={"max_orders": 1})
    with pytest.raises(InexpressibleError, match="allow 1 attacks in a turn, not 2"):
        env.core.encoding.encode(env.view("player_0"), Orders([(0, 7)], [(0, 5, 15), (1, 2, 1)]))
    with pytest.raises(InexpressibleError, match="no scores"):
        env.core.encoding.encode(env.view("player_0"), Orders([(0, 6), (1, 1)], []))


@pytest.mark.parametrize("name", NAMES)
def test_wishes_that_cannot_be_encoded_are_named(name):
    env = WarlightParallelEnv(RING, Rules.of("challenge1", picks=1, ranked=2), action=name)
    env.reset(seed=1)
    view = env.view("player_0")
    a, b, c = view.offers[:3]
    for wishes in ([a, a], [*view.offers, 99]):
        with pytest.raises(
            InexpressibleError, match="none of the nine" if name == "strategies" else "twice or one that"
        ):
            env.core.encoding.encode(view, wishes)
    if name == "steps":
        with pytest.raises(InexpressibleError, match="3 wishes: there are 2"):
            env.core.encoding.encode(view, [a, b, c])
        assert env.core.encoding.encode(view, [a, b, c], nearest=True) == [3 * a, 3 * b, END]
