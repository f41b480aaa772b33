"""Beliefs under fog: exact for visible regions, correct where the rules imply the position, and better than a guess."""

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

#: Ten regions in a row, five super regions of two, with bonuses 1 to 5.
ROW = make_map([0, 0, 1, 1, 2, 2, 3, 3, 4, 4], [(i, i + 1) for i in range(9)], [1, 2, 3, 4, 5], "row")
RULES = Rules.of("challenge1")


def look(owner: dict[int, int], army: dict[int, int] | None = None, round: int = 0, **more) -> Observation:
    """Player 0 sees these regions; armies are 2 where nothing is said."""
    owners, armies = np.full(10, UNKNOWN, dtype=np.int8), np.zeros(10, dtype=np.int32)
    for region, by in owner.items():
        owners[region], armies[region] = by, (army or {}).get(region, 2)
    return Observation(round, owners, armies, **more)


def believe(*observations: Observation, offers=(), preferences=()) -> Belief:
    belief = Belief(ROW, RULES, 0, np.full(10, 2, dtype=np.int32), offers, preferences)
    for observation in observations:
        belief.update(observation)
    return belief


def theirs(belief: Belief) -> set[int]:
    return set(np.flatnonzero(belief.position()[0] == 1).tolist())


def test_starts_that_are_told_are_believed():
    assert theirs(believe(look({0: 0, 1: NEUTRAL}, starts=[5, 8]))) == {5, 8}


def test_what_we_wanted_more_than_what_we_got_is_the_opponents():
    belief = believe(look({0: 0, 1: NEUTRAL}), offers=[0, 3, 5, 7, 9], preferences=[7, 0, 5])
    assert theirs(belief) == {7}
    belief = believe(look({0: 0, 1: NEUTRAL, 2: 0, 3: NEUTRAL}), offers=[0, 2, 5, 7, 9], preferences=[7, 0, 5, 2])
    assert theirs(belief) == {7, 5}, "both preferences before the last one granted"


def test_the_rest_is_what_we_would_have_wanted():
    belief = believe(look({0: 0, 1: NEUTRAL, 2: 0, 3: NEUTRAL}), offers=[0, 2, 5, 7, 9], preferences=[0, 2, 9, 5])
    assert theirs(belief) == {9, 5}


def test_an_opponent_that_is_nowhere_is_as_far_as_can_be():
    assert theirs(believe(look({0: 0, 1: NEUTRAL}))) == {9}


def test_what_was_seen_is_kept_out_of_sight():
    belief = believe(look({4: 0, 3: NEUTRAL, 5: 1}, {3: 6, 5: 4}, starts=[5]), look({9: 0, 8: NEUTRAL}, round=1))
    owner, army = belief.position()
    assert owner[5] == 1 and army[5] >= 4
    assert army[3] in (6, 1), "six armies, or taken"


def test_a_region_that_was_lost_is_the_opponents():
    belief = believe(
        look({4: 0, 3: NEUTRAL, 5: 1, 9: 0, 8: NEUTRAL}, {4: 3, 5: 9}, starts=[5, 7]),
        look({9: 0, 8: NEUTRAL}, round=1, seen=OpponentOrders((), ((5, 4, 12),))),
    )
    owner, army = belief.position()
    assert owner[4] == 1 and army[4] >= 10, "twelve came, and three defenders killed two"


def test_what_comes_into_sight_is_no_longer_out_of_sight():
    """Two armies and five more make seven; four of them are seen now, and one at least fell for the region."""
    belief = believe(look({0: 0, 1: NEUTRAL}, starts=[3]), look({0: 0, 1: 0, 2: 1}, {2: 4}, round=1))
    owner, army = belief.position()
    hidden = [r for r in range(3, 10) if owner[r] == 1]
    assert army[3] >= 1 and army[hidden].sum() <= 7 - 4 - 1


def test_who_is_beaten_back_stands_where_it_was():
    """Nine came from out of sight against ten, of whom some are left: so are some of the nine."""
    told = OpponentOrders((), ((3, 2, 9),))
    belief = believe(
        look({1: 0, 2: 0}, {2: 10}, starts=[3]),
        look({2: 0, 3: 1}, {3: 12}, round=1),
        look({1: 0, 2: 0}, {2: 5}, round=2, seen=told),
    )
    owner, army = belief.position()
    assert owner[3] == 1 and army[3] > 12 - 9


def hidden_armies(belief: Belief, *in_sight: int) -> int:
    owner, army = belief.position()
    return int(army[[r for r in range(10) if owner[r] == 1 and r not in in_sight]].sum())


def test_what_was_seen_to_leave_a_region_that_comes_into_sight_is_not_out_of_sight():
    """Ten stood out of sight on region 2; nine of them attacked, and were beaten by who stands there now."""
    before = believe(look({1: 0, 2: 1}, {2: 10}, starts=[2]), look({9: 0, 8: NEUTRAL}, round=1))
    had, income = hidden_armies(before), before.income()
    before.update(look({1: 0, 2: 1, 3: 0}, {2: 1}, round=2, seen=OpponentOrders((), ((2, 3, 9),))))
    assert hidden_armies(before, 2) <= had + income - 9 - 1


def test_what_comes_into_sight_with_armies_from_out_of_sight_is_taken_there_once():
    """Eight moved from region 4 into region 2, which is seen now."""
    before = believe(look({1: 0, 2: 1, 3: 1, 4: 1}, {2: 1, 3: 1, 4: 9}, starts=[4]), look({9: 0, 8: 0}, round=1))
    had, income = hidden_armies(before), before.income()
    before.update(look({1: 0, 2: 1}, {2: 9}, round=2, seen=OpponentOrders((), ((3, 2, 8),))))
    assert had + income - 9 - 5 <= hidden_armies(before, 2) <= had + income - 9


def test_a_region_that_several_attacks_took_holds_what_the_last_had_left():
    """Three stood there, and ten that we placed: the first twelve fell before them."""
    told = OpponentOrders((), ((5, 4, 12), (3, 4, 9)))
    seen = look({4: 0, 3: 1, 5: 1, 9: 0, 8: NEUTRAL}, {4: 3, 3: 10, 5: 13}, starts=[5, 3])
    belief = believe(seen, look({9: 0, 8: NEUTRAL}, round=1, seen=told, own=Orders([(4, 10)])))
    owner, army = belief.position()
    assert owner[4] == 1 and army[4] <= 9


def test_an_attack_of_ours_that_failed_out_of_sight_has_killed():
    seen = look({4: 0, 5: 1, 9: 0, 8: NEUTRAL}, {4: 11, 5: 20}, starts=[5, 7])
    lost = look({9: 0, 8: NEUTRAL}, round=1, seen=OpponentOrders((), ((3, 4, 9),)), own=Orders([], [(4, 5, 10)]))
    quiet = look({9: 0, 8: NEUTRAL}, round=1, seen=OpponentOrders((), ((3, 4, 9),)))
    killed = round(RULES.attack_kill * 10)
    assert believe(seen, lost).army[5] == believe(seen, quiet).army[5] - killed


def test_armies_that_were_placed_betray_a_super_region():
    placed = OpponentOrders(((2, 9),), ())  # four more than the base income
    belief = believe(look({0: 0, 1: 0, 2: 1}, starts=[2]), look({0: 0, 1: 0, 2: 1}, round=1, seen=placed))
    assert belief.income() >= 9
    assert {6, 7} <= theirs(belief) or {8, 9} <= theirs(belief), "bonus 4, or 5"


def test_an_opponent_out_of_sight_grows():
    sizes = []
    observations = [look({0: 0, 1: NEUTRAL}, starts=[7], round=r) for r in range(6)]
    for count in range(1, 7):
        sizes.append(len(theirs(believe(*observations[:count]))))
    assert sizes[0] == 1 and sizes == sorted(sizes) and sizes[-1] > 3


@pytest.mark.parametrize("rules", ["challenge1", "challenge2"])
def test_beliefs_are_exact_in_sight_and_nearer_to_the_truth_than_neutral_beyond(rules):
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
    """Of player 0, whose opponent hardly moves."""
    turns = []
    for _ in range(4):
        turns.append(agent.act(game.view(0)))
        game.play_round({0: turns[-1], 1: Orders()}, on_illegal="skip")
    return turns


@pytest.mark.parametrize("before, played", [("small", False), ("world", False), ("world", True)])
def test_picks_of_a_game_that_never_began_say_nothing_of_another(before, played):
    fresh, used = (BeliefAgent(make_agent("aggressive", 1)) for _ in range(2))
    game = Game(before, "challenge1", seed=2)
    if played:
        pick_regions(game, [used, make_agent("aggressive", 2)])
        first_turns(used, game)
    else:
        used.pick(game.view(0))
    started = Game("world", "challenge1", seed=3, picks="random")
    assert first_turns(used, started.clone()) == first_turns(fresh, started.clone())


def test_picks_are_remembered_by_a_copy():
    game, agent = Game("world", "challenge1", seed=2), BeliefAgent(make_agent("aggressive", 1))
    pick_regions(game, [agent, make_agent("aggressive", 2)])
    copied, with_it = pickle.loads(pickle.dumps((game, agent)))
    agent.act(game.view(0)), with_it.act(copied.view(0))
    assert [list(part) for part in agent.belief.position()] == [list(part) for part in with_it.belief.position()]
    assert (agent.belief.position()[0] == 1).sum() == 3  # the other's, by what it must have picked


def test_more_than_two_players_are_refused_beforehand():
    with pytest.raises(AgentError, match="beliefs are for games of two players, not 3"):
        make_agent("belief:aggressive", 1).check(ROW, RULES, 3)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["challenge1", "challenge2"])
def test_believing_beats_taking_the_unknown_for_neutral(rules):
    match = Match(["belief:mcts:sims=20", "mcts:sims=20"], 200, rules=rules, paired=True, picks="agents")
    assert match.run().agents[0].interval.low > 0.5
