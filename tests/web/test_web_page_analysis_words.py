"""What the analysis of a finished game says: better turns, reasons, the parts of a change, and weak attacks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from analysis_page_helpers import called_you, news, open_log
from page_helpers import PAGE, idle_log, names_of

from warlight_env import Game, Orders, battle_odds
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder, game_at
from warlight_env.web.workers.turning_points import describe_turning_points, sentence_of
from web_helpers import Server

pytestmark = PAGE


def test_a_better_turn_with_a_reserve_and_its_reason_are_told(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    game = game_at(log, 1)
    codes, names = ([getattr(region, of) for region in game.map.regions] for of in ("code", "name"))
    own = next(r for r in range(10) if game.owner[r] == 0 and len(game.map.neighbors[r]) > 1)
    first, second = game.map.neighbors[own][:2]
    armies = int(game.army[own]) + 4
    told = news(log, 1, {2: ("??", 0.4)})
    judged = told["positions"][0]["turns"][0]
    judged["better"]["orders"] = "; ".join(
        [f"d {codes[own]} 5", *(f"a {codes[own]} {codes[to]} {armies}" for to in (first, second))]
    )
    only = {"kind": "attack", "source": names[own], "target": names[first], "armies": 1, "was": 0}
    asia = {"bonus": "Asia", "income": 5, "better": 0.1, "played": 0.6}
    later = [
        {"rounds": 1, "code": "turn-holds", "values": {"region": names[first], "better": 0.8, "played": 0.3}},
        {"rounds": 3, "code": "turn-saves", "values": {"armies": 4.25}},
        {"rounds": 3, "code": "turn-breaks", "values": {"player": 1, **asia}},
    ]
    values = {"region": names[own], "better": 0.9, "played": 0.2, "only": only, "later": later}
    judged["reason"] = {"code": "turn-holds", "values": values}
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    card = page.get_by_role("region", name="Analysis")
    better = card.get_by_text("Better:")
    better.wait_for()
    says = f"{names[own]} → {names[first]} with {armies}; if armies are left: {names[own]} → {names[second]}."
    assert says in better.inner_text()
    page.locator("g.best path").first.wait_for(state="attached")
    drawn = page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)")
    judged["better"]["orders"] = judged["better"]["orders"].rpartition(";")[0]
    card.get_by_text("Played:").click()  # the user reads the card
    told["positions"][0]["preliminary"] = False
    told["version"] = 3
    card.get_by_role("button", name="Show the newest result").click()
    better.get_by_text("if armies are left").wait_for(state="detached")
    page.locator("g.best").first.wait_for(state="attached")
    assert page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)") == drawn
    reason = f"The better turn is the same with one more attack: from {names[own]} to {names[first]} with 1 army."
    keeps = f"The better turn keeps {names[own]} in 90 % of cases, the played turn in 20 %."
    card.get_by_text(f"{reason} {keeps}").wait_for()
    holds = (
        f"Pip holds {names[first]} in 80 % of the simulated games with the better turn, in 30 % with the played turn."
    )
    card.get_by_text(f"One round later, {holds}").wait_for()
    card.get_by_text("3 rounds later, Pip has 4.3 more armies on average with the better turn.").wait_for()
    card.get_by_text("3 rounds later, Attila holds all of Asia (+5) in 10 % of the simulated games").wait_for()


_ASIA = {"bonus": "Asia", "income": 7, "better": 0.9, "played": 0.2}
_BATTLE = {"source": "Peru", "target": "Brazil", "armies": 2.5}
#: The forms of the reasons: the code, and the values of the result of an analysis.
REASONS: Final = [
    ("turn-bonus", _ASIA),
    ("turn-breaks", {**_ASIA, "player": 1}),
    ("turn-holds", {"region": "Peru", "better": 0.9, "played": 0.2}),
    ("turn-takes", {"region": "Peru", "better": 0.9, "played": 0.2}),
    ("turn-saves", {"armies": 2.5}),
    ("turn-kills", {"armies": 2.5}),
    ("turn-guards", {"armies": 2.5, "region": "Peru", "player": 1}),
    ("turn-even", {}),
    ("dice-battle", _BATTLE),
    ("dice-battle", {**_BATTLE, "chance": 0.25, "captured": True}),
    ("dice-battle", {**_BATTLE, "chance": 0.75, "captured": False}),
    ("dice-order", {}),
    ("others-took", {"regions": ["Peru", "Brazil"], "bonuses": ["Asia"], "players": [1]}),
    ("others-took", {"regions": ["Peru"], "bonuses": [], "players": [1]}),
    ("others-better", {"player": 1, "taken": 2, "bonuses": ["Asia"], "gain": 0.2}),
    ("others-better", {"player": 1, "taken": 1, "bonuses": [], "gain": 0.2}),
    ("others-better", {"player": 1, "taken": 0, "bonuses": [], "gain": 0.2}),
]


def test_the_report_gives_the_same_reasons_as_the_command(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log, rounds = idle_log(len(REASONS), "world"), range(1, len(REASONS) + 1)
    told = news(log, 2, dict.fromkeys(rounds, ("??", 0.4)))
    for position, (code, values) in zip(told["positions"], REASONS, strict=True):
        position["turns"][0]["reason"] = {"code": code, "values": values}
    told["summary"]["turning"] = [{"round": number, "player": 0} for number in rounds]
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    points = page.locator("ol.turning > li")
    points.nth(len(REASONS) - 1).wait_for()
    for shown, (code, values) in zip(points.all_inner_texts(), REASONS, strict=True):
        says = sentence_of({"code": code, "values": values}, names_of(log), 0)
        assert shown.replace("\N{NO-BREAK SPACE}", " ").endswith(f". {says}"), says


def test_the_parts_of_a_change_have_its_sum_and_are_those_of_the_command(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    values = [  # before, worth, after, gain of the better turn
        (0.59, 0.33, 0.35, 0.50), (0.125, 0.1349, 0.045, 0.0), (0.6049, 0.4951, 0.5049, 0.1051),
        (0.26, 0.74, 0.801, 0.15), (0.305, 0.295, 0.0, 0.0249), (0.575, 0.425, 0.365, 0.11),
        (0.465, 0.105, 0.295, 0.07),
    ]  # fmt: skip
    log, rounds = called_you(idle_log(len(values), "world")), range(1, len(values) + 1)
    told = news(log, 2, {number: ("??", gain) for number, (*_, gain) in zip(rounds, values, strict=True)}, done=9)
    for position, (before, worth, after, gain) in zip(told["positions"], values, strict=True):
        position["turns"][0].update(
            before=before, worth=worth, after=after, gain=gain, reason={"code": "turn-even", "values": {}}
        )
        position["chances"] = [[before, 0.0, 1.0], [1 - before, 0.0, 1.0]]
    told["summary"]["turning"] = [{"round": number, "player": 0} for number in rounds]
    lines = describe_turning_points(
        {"turning": told["summary"]["turning"], "rounds": [position["turns"] for position in told["positions"]]}, log
    )
    of_command = [line for line in lines if line.startswith("round ")]
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    points = page.locator("ol.turning > li")
    points.nth(len(values) - 1).wait_for()
    card = page.get_by_role("region", name="Analysis")

    def numbers(text: str) -> list[int]:
        return [int(found) for found in re.findall(r"[+-]?\d+", text.replace("\N{MINUS SIGN}", "-"))]

    for number, shown, line in zip(rounds, points.all_inner_texts(), of_command, strict=True):
        assert numbers(shown)[1:] == numbers(line)[1:], "round, sum, own turn, others, dice"
        _, fall, own, others, dice = numbers(shown)
        assert own + others + dice == fall
        assert shown.index(" by your own turn") < shown.index(" by Attila’s orders") < shown.index(" by the dice")
        points.nth(number - 1).get_by_role("button").click()
        path = card.get_by_text("before the round;").inner_text()
        before, *parts, after = numbers(path)
        chances = page.get_by_role("region", name="Win probability").locator("figcaption")
        chances.get_by_text(f"You {before}").wait_for()
        assert sum(numbers(chances.inner_text())) == 100
        assert parts == [others, own, dice] and before + sum(parts) == after
        assert re.search("by Attila’s orders, .* by your turn, .* by the dice: .* after it", path)
        if own:
            played, better = numbers(card.locator(".verdict > b").inner_text())
            assert played - better == own
            assert f"The difference is {-own} ± 2 points" in card.locator("details").text_content()


def attack_log(leaves: bool) -> tuple[GameLog, str, int, int, int]:
    """A log whose last turn of player 0 attacks a region on which player 1 deploys its whole income.

    leaves: player 1 also sends an army away from there.

    Return the log, the name of the region, its armies before the round, the attacking armies, and the deployed armies.
    """
    game, recorder = Game("small", "thesis", 2, 3, picks="random"), MemoryRecorder()
    bots = [make_agent("aggressive", player) for player in range(2)]
    recorder.began(game, bots, 500)
    while True:
        owner, army = game.owner.tolist(), game.army.tolist()
        pairs = [(r, q) for r in range(10) for q in game.map.neighbors[r] if (owner[r], owner[q]) == (0, 1)]
        if pairs:
            break
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders), game)
    source, target = pairs[0]
    armies, more = army[source] + 4, game.view(1).income
    reserve = next(q for q in game.map.neighbors[source] if q != target)
    last = {
        0: Orders([(source, 5)], [(source, target, armies), (source, reserve, 1)]),
        1: Orders([(target, more)], [(target, source, 1)] * leaves),
    }
    recorder.played(last, game.play_round(last), game)
    return recorder.log, game.map.regions[target].name, army[target], armies, more


@pytest.mark.parametrize("leaves", [False, True])
def test_a_hopeless_attack_is_told_with_the_armies_that_the_defender_deployed(
    server: Server, tmp_path: Path, open_page: Callable[..., Any], leaves: bool
):
    log, name, there, armies, more = attack_log(leaves)
    told = news(log, 2, {len(log.rounds): ("??", 0.4)})
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    chance, defended = (f"{100 * battle_odds(armies, n).capture:.0f} %" for n in (there, there + more))
    assert battle_odds(armies, there + more).capture < 0.5
    unit = "army" if there == 1 else "armies"
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text(f"{name} with {armies}; if armies are left:").wait_for()
    assert page.locator("g.past g.past").count() == 1, "the reserve has no arrow"
    if leaves:
        assert card.get_by_text("the chance was").count() == 0, "the attack may have met fewer armies"
        return
    card.get_by_text(
        f"The attack on {name} with {armies} armies had a chance of {chance} against the {there} {unit} there. "
        f"{names_of(log)[1]} deployed {more} more: the chance was {defended}."
    ).wait_for()


@pytest.mark.parametrize("joined", [False, True])
def test_no_chance_is_told_for_an_attack_on_a_region_that_another_player_attacked_too(
    server: Server, tmp_path: Path, open_page: Callable[..., Any], joined: bool
):
    game, recorder = Game("small", "thesis", 2, 0, picks="random"), MemoryRecorder()
    owner = game.owner.tolist()
    target = next(r for r in range(10) if owner[r] < 0 and {owner[q] for q in game.map.neighbors[r]} >= {0, 1})
    sources = [next(q for q in game.map.neighbors[target] if owner[q] == player) for player in (0, 1)]
    orders = {
        0: Orders([(sources[0], 5)], [(sources[0], target, 1)]),
        1: Orders([], [(sources[1], target, 1)] * joined),
    }
    recorder.began(game, [make_agent("aggressive", player) for player in range(2)], 500)
    recorder.played(orders, game.play_round(orders), game)
    log = recorder.log
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 2, {1: ("??", 0.4)})))
    open_log(page, log, tmp_path)
    page.get_by_role("region", name="Moves").locator("[data-mark='??']").wait_for()
    page.keyboard.press("b")
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text("Better:").wait_for()
    chance = card.get_by_text(f"The attack on {game.map.regions[target].name} with 1 army had only a chance of")
    assert chance.count() == (not joined)
