"""Army requirements: the tables match enumerated battles and the engine's dice."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from warlight_env.agents.records.army_requirements import (
    FORCE_ARMIES,
    LEVELS,
    attackers_needed,
    chance_of_capture,
    defenders_needed,
    expected_losses,
    make_army_requirements,
)
from warlight_env.engine.dice import kills_pmf, make_dice

RULES = [(0.6, 0.7, 1.0, False), (0.6, 0.7, 0.16, False), (0.6, 0.7, 0.16, True), (0.6, 0.7, 0.0, False)]


def battle(attackers: int, defenders: int, kill: tuple[float, float], luck: float, stochastic: bool):
    """Compute the chance of capture and the mean losses by enumerating all rolls of both sides."""
    by_attackers = kills_pmf(attackers, kill[0], luck, stochastic)
    by_defenders = kills_pmf(defenders, kill[1], luck, stochastic)
    captured = lost = killed = 0.0
    for (k, p), (n, q) in itertools.product(enumerate(by_attackers), enumerate(by_defenders)):
        dead, fallen = min(k, defenders), min(n, attackers)
        takes = dead == defenders and fallen < attackers
        captured += p * q * takes
        lost += p * q * fallen
        killed += p * q * (dead - (dead == defenders and fallen == attackers))  # all dead: one defender stays
    return captured, lost, killed


@pytest.mark.parametrize(("attack", "defense", "luck", "stochastic"), RULES)
def test_tables_match_the_enumeration_of_all_rolls(attack, defense, luck, stochastic):
    requirements = make_army_requirements(make_dice(attack, defense, luck, stochastic))
    for attackers, defenders in [(1, 1), (2, 1), (3, 2), (4, 2), (7, 5), (12, 7), (5, 12)]:
        captured, lost, killed = battle(attackers, defenders, (attack, defense), luck, stochastic)
        assert chance_of_capture(requirements, attackers, defenders) == pytest.approx(captured, abs=1e-12)
        assert expected_losses(requirements, attackers, defenders) == pytest.approx((lost, killed), abs=1e-9)


@pytest.mark.parametrize(("attack", "defense", "luck", "stochastic"), RULES)
def test_needed_armies_are_the_minimum_for_each_probability(attack, defense, luck, stochastic):
    requirements = make_army_requirements(make_dice(attack, defense, luck, stochastic))
    for level, chance in enumerate(LEVELS):
        for armies in range(1, 41):
            need = attackers_needed(requirements, level, armies)
            assert all(requirements.capture[a, armies] >= chance for a in range(need, FORCE_ARMIES + 1))
            assert need == 1 or requirements.capture[need - 1, armies] < chance
            hold = defenders_needed(requirements, level, armies)
            assert all(requirements.capture[armies, d] <= 1 - chance + 1e-9 for d in range(hold, FORCE_ARMIES + 1))
            assert hold == 1 or requirements.capture[armies, hold - 1] > 1 - chance


def test_chance_and_attackers_match_hand_computed_values():
    thesis, challenge2 = (
        make_army_requirements(make_dice(0.6, 0.7, 1.0, False)),
        make_army_requirements(make_dice(0.6, 0.7, 0.16, False)),
    )
    assert chance_of_capture(thesis, 3, 2) == pytest.approx(0.648)  # P(2 or 3 of 3 hit); two cannot kill three
    assert (attackers_needed(thesis, 3, 2), attackers_needed(challenge2, 3, 2)) == (4, 3)


def test_values_beyond_the_tables_are_extrapolated_in_proportion():
    requirements = make_army_requirements(make_dice(0.6, 0.7, 1.0, False))
    needs = [attackers_needed(requirements, 3, d) for d in range(1, 1000)]
    assert all(np.diff(needs) >= 0) and needs[-1] == pytest.approx(999 / 0.6, rel=0.1)
    assert chance_of_capture(requirements, 2000, 1000) > 0.95 > 0.01 > chance_of_capture(requirements, 1000, 1000)
    lost, killed = expected_losses(requirements, 500, 1000)
    assert (lost, killed) == pytest.approx((500, 300), rel=0.05)
