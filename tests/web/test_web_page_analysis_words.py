"""Texts of the analysis of a finished game: better turns, reasons, the parts of a change, and weak attacks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from analysis_page_helpers import called_you, mock_analysis, news, open_log, open_next_log
from page_helpers import PAGE, idle_log, names_of

from warlight_env import Game, Orders, battle_odds
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder, game_at
from warlight_env.web.workers.turning_points import describe_turning_points, sentence_of
from web_helpers import Server

pytestmark = PAGE


def test_card_describes_a_better_turn_with_a_reserve_and_its_reason(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    game = game_at(log, 1)
    codes, names = ([getattr(region, of) for region in game.map.regions] for of in ("code", "name"))
    source = next(r for r in range(10) if game.owner[r] == 0 and len(game.map.neighbors[r]) > 1)
    first, second = game.map.neighbors[source][:2]
    armies = int(game.army[source]) + 4
    analysis = news(log, 1, {2: ("??", 0.4)})
    turn_result = analysis["positions"][0]["turns"][0]
    turn_result["better"]["orders"] = "; ".join(
        [f"d {codes[source]} 5", *(f"a {codes[source]} {codes[to]} {armies}" for to in (first, second))]
    )
    only_attack = {"kind": "attack", "source": names[source], "target": names[first], "armies": 1, "was": 0}
    asia = {"bonus": "Asia", "income": 5, "better": 0.1, "played": 0.6}
    later = [
        {"rounds": 1, "code": "turn-holds", "values": {"region": names[first], "better": 0.8, "played": 0.3}},
        {"rounds": 3, "code": "turn-saves", "values": {"armies": 4.25}},
        {"rounds": 3, "code": "turn-breaks", "values": {"player": 1, **asia}},
    ]
    values = {"region": names[source], "better": 0.9, "played": 0.2, "only": only_attack, "later": later}
    turn_result["reason"] = {"code": "turn-holds", "values": values}
    page = open_page(server.page())
    mock_analysis(page, log, analysis)
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    card = page.get_by_role("region", name="Analysis")
    better = card.get_by_text("Better:")
    better.wait_for()
    orders_text = (
        f"{names[source]} → {names[first]} with {armies}; if armies are left: {names[source]} → {names[second]}."
    )
    assert orders_text in better.inner_text()
    page.locator("g.best path").first.wait_for(state="attached")
    paths = page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)")
    turn_result["better"]["orders"] = turn_result["better"]["orders"].rpartition(";")[0]
    card.get_by_text("Played:").click()  # the user reads the card
    analysis["positions"][0]["preliminary"] = False
    analysis["version"] = 3
    card.get_by_role("button", name="Show the newest result").click()
    better.get_by_text("if armies are left").wait_for(state="detached")
    page.locator("g.best").first.wait_for(state="attached")
    assert page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)") == paths
    reason = f"The better turn is the same with one more attack: from {names[source]} to {names[first]} with 1 army."
    kept_share = f"The better turn keeps {names[source]} in 90 % of cases, the played turn in 20 %."
    card.get_by_text(f"{reason} {kept_share}").wait_for()
    held_share = (
        f"Pip holds {names[first]} in 80 % of the simulated games with the better turn, in 30 % with the played turn."
    )
    card.get_by_text(f"One round later, {held_share}").wait_for()
    card.get_by_text("3 rounds later, Pip has 4.3 more armies on average with the better turn.").wait_for()
    card.get_by_text("3 rounds later, Attila holds all of Asia (+5) in 10 % of the simulated games").wait_for()


_ASIA = {"bonus": "Asia", "income": 7, "better": 0.9, "played": 0.2}
_BATTLE = {"source": "Peru", "target": "Brazil", "armies": 2.5}
#: All forms of reasons: the code and the values in the result of an analysis.
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


def test_report_gives_the_same_reasons_as_the_command_line(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log, rounds = idle_log(len(REASONS), "world"), range(1, len(REASONS) + 1)
    analysis = news(log, 2, dict.fromkeys(rounds, ("??", 0.4)))
    for position, (code, values) in zip(analysis["positions"], REASONS, strict=True):
        position["turns"][0]["reason"] = {"code": code, "values": values}
    analysis["summary"]["turning"] = [{"round": number, "player": 0} for number in rounds]
    page = open_page(server.page())
    mock_analysis(page, log, analysis)
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    points = page.locator("ol.turning > li")
    points.nth(len(REASONS) - 1).wait_for()
    for point_text, (code, values) in zip(points.all_inner_texts(), REASONS, strict=True):
        sentence = sentence_of({"code": code, "values": values}, names_of(log), 0)
        assert point_text.replace("\N{NO-BREAK SPACE}", " ").endswith(f". {sentence}"), sentence


def test_parts_of_a_change_add_up_and_match_the_command_line(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    values = [  # before, worth, after, gain of the better turn
        (0.59, 0.33, 0.35, 0.50), (0.125, 0.1349, 0.045, 0.0), (0.6049, 0.4951, 0.5049, 0.1051),
        (0.26, 0.74, 0.801, 0.15), (0.305, 0.295, 0.0, 0.0249), (0.575, 0.425, 0.365, 0.11),
        (0.465, 0.105, 0.295, 0.07),
    ]  # fmt: skip
    log, rounds = called_you(idle_log(len(values), "world")), range(1, len(values) + 1)
    analysis = news(log, 2, {number: ("??", gain) for number, (*_, gain) in zip(rounds, values, strict=True)}, done=9)
    for position, (before, worth, after, gain) in zip(analysis["positions"], values, strict=True):
        position["turns"][0].update(
            before=before, worth=worth, after=after, gain=gain, reason={"code": "turn-even", "values": {}}
        )
        position["chances"] = [[before, 0.0, 1.0], [1 - before, 0.0, 1.0]]
    analysis["summary"]["turning"] = [{"round": number, "player": 0} for number in rounds]
    lines = describe_turning_points(
        {
            "turning": analysis["summary"]["turning"],
            "rounds": [position["turns"] for position in analysis["positions"]],
        },
        log,
    )
    command_lines = [line for line in lines if line.startswith("round ")]
    page = open_page(server.page())
    mock_analysis(page, log, analysis)
    open_log(page, log, tmp_path)
    points = page.locator("ol.turning > li")
    points.nth(len(values) - 1).wait_for()
    card = page.get_by_role("region", name="Analysis")

    def numbers(text: str) -> list[int]:
        return [int(number_text) for number_text in re.findall(r"[+-]?\d+", text.replace("\N{MINUS SIGN}", "-"))]

    for number, point, line in zip(rounds, points.all_inner_texts(), command_lines, strict=True):
        assert numbers(point)[1:] == numbers(line)[1:], "round, sum, own turn, others, dice"
        _, fall, own_turn, others, dice = numbers(point)
        assert own_turn + others + dice == fall
        assert point.index(" by your own turn") < point.index(" by Attila’s orders") < point.index(" by the dice")
        points.nth(number - 1).get_by_role("button").click()
        path = card.get_by_text("before the round;").inner_text()
        before, *parts, after = numbers(path)
        chances = page.get_by_role("region", name="Win probability").locator("figcaption")
        chances.get_by_text(f"You {before}").wait_for()
        assert sum(numbers(chances.inner_text())) == 100
        assert parts == [others, own_turn, dice] and before + sum(parts) == after
        assert re.search("by Attila’s orders, .* by your turn, .* by the dice: .* after it", path)
        if own_turn:
            played, better = numbers(card.locator(".verdict > b").inner_text())
            assert played - better == own_turn
            assert f"The difference is {-own_turn} ± 2 points" in card.locator("details").text_content()


def attack_log(leaves: bool) -> tuple[GameLog, str, int, int, int]:
    """Make a log: in the last round, player 0 attacks a region on which player 1 deploys its whole income.

    leaves: whether player 1 also sends an army away from this region.

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


def weak_attack_log(joined: bool) -> tuple[GameLog, str]:
    """Make a log of one round in which one army of player 0 attacks a neutral region; return also the region's name.

    joined: whether player 1 attacks this region, too.
    """
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
    return recorder.log, game.map.regions[target].name


def test_text_on_a_weak_attack_states_a_chance_only_against_known_armies(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    page = open_page(server.page())
    card = page.get_by_role("region", name="Analysis")
    for leaves, opened in ((False, open_log), (True, open_next_log)):
        log, name, defenders, armies, more = attack_log(leaves)
        mock_analysis(page, log, news(log, 2, {len(log.rounds): ("??", 0.4)}))
        opened(page, log, tmp_path)
        page.keyboard.press("b")
        chance, chance_after_deploy = (
            f"{100 * battle_odds(armies, n).capture:.0f} %" for n in (defenders, defenders + more)
        )
        assert battle_odds(armies, defenders + more).capture < 0.5
        unit = "army" if defenders == 1 else "armies"
        card.get_by_text(f"{name} with {armies}; if armies are left:").wait_for()
        assert page.locator("g.past g.past").count() == 1, "the reserve has no arrow"
        if leaves:
            assert card.get_by_text("the chance was").count() == 0, "the attack may have met fewer armies"
            continue
        card.get_by_text(
            f"The attack on {name} with {armies} armies had a chance of {chance} against the {defenders} {unit} there. "
            f"{names_of(log)[1]} deployed {more} more: the chance was {chance_after_deploy}."
        ).wait_for()

    for joined in (False, True):
        log, name = weak_attack_log(joined)
        mock_analysis(page, log, news(log, 2, {1: ("??", 0.4)}))
        open_next_log(page, log, tmp_path)
        page.get_by_role("region", name="Moves").locator("[data-mark='??']").wait_for()
        page.keyboard.press("b")
        card.get_by_text("Better:").wait_for()
        chance = card.get_by_text(f"The attack on {name} with 1 army had only a chance of")
        assert chance.count() == (not joined), "another player may have attacked first"
