"""Beliefs under fog: exact for visible regions, correct for implied positions, and better than a guess."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from helpers import make_map
from warlight_env.agents import AgentError, make_agent
from warlight_env.arena import Match
from warlight_env.arena.games.game_loop import ask_orders, pick_regions
from warlight_env.beliefs import Belief, BeliefAgent, Observation, OpponentOrders
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.game import Game

#: Ten regions in a row, in five super regions of two regions, with bonuses 1 to 5.
ROW = make_map([0, 0, 1, 1, 2, 2, 3, 3, 4, 4], [(i, i + 1) for i in range(9)], [1, 2, 3, 4, 5], "row")
RULES = Rules.of("challenge1")


def observe(owner: dict[int, int], army: dict[int, int] | None = None, round: int = 0, **more) -> Observation:
    """Return an observation of player 0 with these visible regions; the default number of armies is 2."""
    owners, armies = np.full(10, UNKNOWN, dtype=np.int8), np.zeros(10, dtype=np.int32)
    for region, by in owner.items():
        owners[region], armies[region] = by, (army or {}).get(region, 2)
    return Observation(round, owners, armies, **more)


def make_belief(*observations: Observation, offers=(), preferences=()) -> Belief:
    belief = Belief(ROW, RULES, 0, np.full(10, 2, dtype=np.int32), offers, preferences)
    for observation in observations:
        belief.update(observation)
    return belief


def opponents(belief: Belief) -> set[int]:
    return set(np.flatnonzero(belief.position()[0] == 1).tolist())


def test_a_belief_contains_the_announced_starting_regions():
    assert opponents(make_belief(observe({0: 0, 1: NEUTRAL}, starts=[5, 8]))) == {5, 8}


def test_higher_preferences_that_were_not_granted_belong_to_the_opponent():
    belief = make_belief(observe({0: 0, 1: NEUTRAL}), offers=[0, 3, 5, 7, 9], preferences=[7, 0, 5])
    assert opponents(belief) == {7}
    belief = make_belief(
        observe({0: 0, 1: NEUTRAL, 2: 0, 3: NEUTRAL}), offers=[0, 2, 5, 7, 9], preferences=[7, 0, 5, 2]
    )
    assert opponents(belief) == {7, 5}, "both preferences before the last one granted"


def test_remaining_picks_of_the_opponent_follow_our_preferences():
    belief = make_belief(
        observe({0: 0, 1: NEUTRAL, 2: 0, 3: NEUTRAL}), offers=[0, 2, 5, 7, 9], preferences=[0, 2, 9, 5]
    )
    assert opponents(belief) == {9, 5}


def test_an_unknown_opponent_is_placed_at_the_largest_distance():
    assert opponents(make_belief(observe({0: 0, 1: NEUTRAL}))) == {9}


def test_observed_regions_are_remembered_after_they_become_hidden():
    belief = make_belief(
        observe({4: 0, 3: NEUTRAL, 5: 1}, {3: 6, 5: 4}, starts=[5]), observe({9: 0, 8: NEUTRAL}, round=1)
    )
    owner, army = belief.position()
    assert owner[5] == 1 and army[5] >= 4
    assert army[3] in (6, 1), "six armies, or taken"


def test_a_lost_region_belongs_to_the_opponent():
    belief = make_belief(
        observe({4: 0, 3: NEUTRAL, 5: 1, 9: 0, 8: NEUTRAL}, {4: 3, 5: 9}, starts=[5, 7]),
        observe({9: 0, 8: NEUTRAL}, round=1, seen_orders=OpponentOrders((), ((5, 4, 12),))),
    )
    owner, army = belief.position()
    assert owner[4] == 1 and army[4] >= 10, "twelve came, and three defenders killed two"


def test_armies_that_become_visible_are_removed_from_hidden_regions():
    """The opponent has 2 + 5 = 7 armies. Four are visible now, and at least one died for the region."""
    belief = make_belief(observe({0: 0, 1: NEUTRAL}, starts=[3]), observe({0: 0, 1: 0, 2: 1}, {2: 4}, round=1))
    owner, army = belief.position()
    hidden = [r for r in range(3, 10) if owner[r] == 1]
    assert army[3] >= 1 and army[hidden].sum() <= 7 - 4 - 1


def test_a_repelled_attacker_keeps_its_region():
    """Nine hidden armies attacked ten. Some defenders survive, and so do some attackers."""
    orders_seen = OpponentOrders((), ((3, 2, 9),))
    belief = make_belief(
        observe({1: 0, 2: 0}, {2: 10}, starts=[3]),
        observe({2: 0, 3: 1}, {3: 12}, round=1),
        observe({1: 0, 2: 0}, {2: 5}, round=2, seen_orders=orders_seen),
    )
    owner, army = belief.position()
    assert owner[3] == 1 and army[3] > 12 - 9


def hidden_armies(belief: Belief, *in_sight: int) -> int:
    owner, army = belief.position()
    return int(army[[r for r in range(10) if owner[r] == 1 and r not in in_sight]].sum())


def test_armies_that_left_a_newly_visible_region_are_not_hidden():
    """Region 2 had ten hidden armies. Nine of them attacked region 3 and failed."""
    before = make_belief(observe({1: 0, 2: 1}, {2: 10}, starts=[2]), observe({9: 0, 8: NEUTRAL}, round=1))
    had, income = hidden_armies(before), before.income()
    before.update(observe({1: 0, 2: 1, 3: 0}, {2: 1}, round=2, seen_orders=OpponentOrders((), ((2, 3, 9),))))
    assert hidden_armies(before, 2) <= had + income - 9 - 1


def test_hidden_armies_that_move_into_sight_are_removed_once():
    """Eight armies moved through region 3 into region 2, which is visible now."""
    before = make_belief(
        observe({1: 0, 2: 1, 3: 1, 4: 1}, {2: 1, 3: 1, 4: 9}, starts=[4]), observe({9: 0, 8: 0}, round=1)
    )
    had, income = hidden_armies(before), before.income()
    before.update(observe({1: 0, 2: 1}, {2: 9}, round=2, seen_orders=OpponentOrders((), ((3, 2, 8),))))
    assert had + income - 9 - 5 <= hidden_armies(before, 2) <= had + income - 9


def test_a_region_taken_by_several_attacks_has_the_last_attack_s_armies():
    """The region had three armies and ten deployed ones, so the first attack, with twelve armies, failed."""
    orders_seen = OpponentOrders((), ((5, 4, 12), (3, 4, 9)))
    seen = observe({4: 0, 3: 1, 5: 1, 9: 0, 8: NEUTRAL}, {4: 3, 3: 10, 5: 13}, starts=[5, 3])
    belief = make_belief(
        seen, observe({9: 0, 8: NEUTRAL}, round=1, seen_orders=orders_seen, own_orders=Orders([(4, 10)]))
    )
    owner, army = belief.position()
    assert owner[4] == 1 and army[4] <= 9


def test_our_hidden_attack_kills_defenders():
    seen = observe({4: 0, 5: 1, 9: 0, 8: NEUTRAL}, {4: 11, 5: 20}, starts=[5, 7])
    lost = observe(
        {9: 0, 8: NEUTRAL}, round=1, seen_orders=OpponentOrders((), ((3, 4, 9),)), own_orders=Orders([], [(4, 5, 10)])
    )
    quiet = observe({9: 0, 8: NEUTRAL}, round=1, seen_orders=OpponentOrders((), ((3, 4, 9),)))
    killed = round(RULES.attack_kill * 10)
    assert make_belief(seen, lost).army[5] == make_belief(seen, quiet).army[5] - killed


def test_deployed_armies_imply_the_opponent_s_super_regions():
    placed = OpponentOrders(((2, 9),), ())  # four more than the base income
    belief = make_belief(
        observe({0: 0, 1: 0, 2: 1}, starts=[2]), observe({0: 0, 1: 0, 2: 1}, round=1, seen_orders=placed)
    )
    assert belief.income() >= 9
    assert {6, 7} <= opponents(belief) or {8, 9} <= opponents(belief), "bonus 4, or 5"


def test_a_hidden_opponent_expands():
    sizes = []
    observations = [observe({0: 0, 1: NEUTRAL}, starts=[7], round=r) for r in range(6)]
    for count in range(1, 7):
        sizes.append(len(opponents(make_belief(*observations[:count]))))
    assert sizes[0] == 1 and sizes == sorted(sizes) and sizes[-1] > 3


@pytest.mark.parametrize("rules", ["challenge1", "challenge2"])
def test_beliefs_are_exact_in_sight_and_beat_the_neutral_guess(rules):
    wrong = blind = 0
    for seed in range(6):
        game = Game("world", rules, seed=seed)
        agents = [BeliefAgent(make_agent("smart_random", seed)), BeliefAgent(make_agent("aggressive", seed))]
        pick_regions(game, agents)
        while not game.done and game.round < 25:
            orders = ask_orders(game, agents)
            for p, agent in enumerate(agents):
                owner, army = agent.belief.position()
                view = game.view(p)
                seen = view.owner != UNKNOWN
                assert (owner[seen] == view.owner[seen]).all() and (army[seen] == view.army[seen]).all()
                assert (owner != UNKNOWN).all() and (owner == 1 - p).any() and army.min() >= 1
                wrong += int((owner[~seen] != game.owner[~seen]).sum())
                blind += int((game.owner[~seen] != NEUTRAL).sum())
            game.play_round(orders, on_illegal="skip")
    assert wrong < 0.8 * blind


def first_turns(agent: BeliefAgent, game: Game) -> list[Orders]:
    """Return player 0's first four turns against an opponent without orders."""
    turns = []
    for _ in range(4):
        turns.append(agent.act(game.view(0)))
        game.play_round({0: turns[-1], 1: Orders()}, on_illegal="skip")
    return turns


@pytest.mark.parametrize("before, played", [("small", False), ("world", False), ("world", True)])
def test_picks_of_another_game_do_not_change_the_belief(before, played):
    fresh, used = (BeliefAgent(make_agent("aggressive", 1)) for _ in range(2))
    game = Game(before, "challenge1", seed=2)
    if played:
        pick_regions(game, [used, make_agent("aggressive", 2)])
        first_turns(used, game)
    else:
        used.pick(game.view(0))
    started = Game("world", "challenge1", seed=3, picks="random")
    assert first_turns(used, started.clone()) == first_turns(fresh, started.clone())


def test_a_pickled_copy_remembers_the_picks():
    game, agent = Game("world", "challenge1", seed=2), BeliefAgent(make_agent("aggressive", 1))
    pick_regions(game, [agent, make_agent("aggressive", 2)])
    copied, copied_agent = pickle.loads(pickle.dumps((game, agent)))
    agent.act(game.view(0)), copied_agent.act(copied.view(0))
    assert [list(part) for part in agent.belief.position()] == [list(part) for part in copied_agent.belief.position()]
    assert (agent.belief.position()[0] == 1).sum() == 3  # the opponent's picks, implied by the rules


def test_more_than_two_players_raise_an_error_before_the_game():
    with pytest.raises(AgentError, match="beliefs are for games of two players, not 3"):
        make_agent("belief:aggressive", 1).check(ROW, RULES, 3)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["challenge1", "challenge2"])
def test_a_search_with_beliefs_beats_one_without(rules):
    match = Match(["belief:mcts:sims=20", "mcts:sims=20"], 200, rules=rules, paired=True, picks="agents")
    assert match.run().agents[0].interval.low > 0.5
