"""Hints as sentences: their statements about positions are true, and the page explains their terms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis_page_helpers import QUICK
from page_helpers import PAGE, PHONE, axe_finds, box, names_of, pick, regions

from warlight_env import Game, Rules, battle_odds
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.engine.orders import Orders
from warlight_env.maps import Map
from warlight_env.notation import parse_orders
from warlight_env.record import GameLog, MemoryRecorder, game_at
from warlight_env.web.export import write_html
from web_helpers import Server

pytestmark = PAGE

KINDS = {
    "take": r"Take (?P<to>.+?) with (?P<n>\d+) (?P<unit>army|armies): (?P<why>.+)\.",
    "attack": r"Attack (?P<to>.+?) with (?P<n>\d+) (?P<unit>army|armies): (?P<why>.+)\.",
    "hold": r"Deploy (?P<n>\d+) on (?P<at>.+?) to defend it: (?P<why>.+)\.",
    "for": r"Deploy (?P<n>\d+) on (?P<at>.+?) for the (?P<unit>attacks?) on (?P<targets>.+)\.",
    "on": r"Deploy (?P<n>\d+) on (?P<at>.+?): armies move from there to (?P<targets>.+)\.",
    "save": r"Deploy (?P<n>\d+) on (?P<at>.+?) for the next round\.",
    "reserve": r"If armies are left on (?P<from>.+?), they (?P<does>move to|attack) (?P<to>.+)\.",
    "move": r"Move (?P<n>\d+) from (?P<from>.+?) to (?P<to>.+?): (?P<why>.+)\.",
    "wait": r"Wait: .+\.",
}


@dataclass
class Position:
    """A position in the view of a player, with the facts that hints can state."""

    map: Map
    owner: list[int]
    army: list[int]
    names: tuple[str, str]
    me: int = 0

    def index(self, name: str) -> int:
        return next(r for r, region in enumerate(self.map.regions) if region.name == name)

    def enemies(self, region: int) -> int:
        near = self.map.neighbors[region]
        return sum(self.army[q] for q in near if self.owner[q] not in (self.me, -1))

    def threat(self, region: int) -> float:
        """Return the capture probability of the strongest attack on a region after the opponents' next deploys."""
        near = [q for q in self.map.neighbors[region] if self.owner[q] not in (self.me, -1)]
        most = max((self.army[q] - 1 + self.income(self.owner[q]) for q in near), default=0)
        return battle_odds(most, self.army[region]).capture if most else 0.0

    def income(self, player: int) -> int:
        return Rules.of("thesis").base_income + sum(self.map.bonuses[s] for s in self.whole(player))

    def whole(self, player: int, taken: set[int] = frozenset()) -> set[int]:  # type: ignore[assignment]
        """Return the super regions that a player holds if it also captures the regions `taken`."""
        held_regions = {r for r, owner in enumerate(self.owner) if owner == player} | taken
        return {s for s, members in enumerate(self.map.members) if set(members) <= held_regions}


def check(sentences: list[str], at: Position, orders: Orders) -> set[str]:
    """Check that sentences describe all orders and state only facts; return the kinds of sentences and reasons."""
    deploys, attack_orders = (rows.tolist() for rows in orders.arrays())
    attacks, reserves = sendable(at, deploys, attack_orders)
    targets = {to for _, to, _ in attacks if at.owner[to] != at.me}
    sent = {to: sum(n for _, q, n in attacks if q == to) for to in targets}
    likely = {to for to in targets if battle_odds(sent[to], at.army[to]).capture >= 0.5}
    kinds: set[str] = set()
    described: list[tuple[Any, ...]] = []
    for sentence in sentences:
        kind, match = next((k, m) for k, form in KINDS.items() if (m := re.fullmatch(form, sentence)))
        kinds.add(kind)
        parts = match.groupdict()
        why, n = parts.get("why", ""), int(parts.get("n") or 0)
        if "army" in parts.get("unit", "") or "armies" in parts.get("unit", ""):
            assert (parts["unit"] == "army") == (n == 1), sentence
        if kind == "take":
            to = at.index(parts["to"])
            described.append(("take", to, n))
            assert to in likely
            kinds |= check_reasons(why, at, to, [row for row in attacks if row[1] == to], likely)
        elif kind == "attack":
            to = at.index(parts["to"])
            described.append(("take", to, n))
            assert to not in likely
            odds = battle_odds(n, at.army[to])
            if odds.capture >= 0.005:
                check_chances(why, at, to, n)
            killed = at.army[to] - odds.expected_defenders
            stated_loss = re.search(r"loses (\d+\.\d) of (\d+) arm", why)
            assert stated_loss is not None or killed < 0.1 + 1e-6
            assert stated_loss is None or int(stated_loss[2]) == at.army[to]
            assert stated_loss is None or abs(float(stated_loss[1]) - killed) <= 0.05 + 1e-6
        elif kind in ("hold", "for", "on", "save"):
            region = at.index(parts["at"])
            described.append(("deploy", region, n))
            from_there = {at.map.regions[to].name for source, to, _ in attacks if source == region and to in targets}
            leave = sum(armies for source, _, armies in attacks if source == region) >= at.army[region] > 0
            assert (kind in ("for", "on")) == leave, "deployed armies leave if the others are too few for the orders"
            if kind == "for":
                assert split_names(parts["targets"]) == from_there
                assert (parts["unit"] == "attack") == (len(from_there) == 1), sentence
                continue
            if kind == "on":
                assert not from_there
                onward = {at.map.regions[to].name for source, to, _ in attacks if source == region}
                assert split_names(parts["targets"]) == onward
            elif kind == "hold":
                assert int(re.search(r"(\d+|one) enemy arm", why)[1].replace("one", "1")) == at.enemies(region) > 0
                rivals = {at.owner[q] for q in at.map.neighbors[region]} - {at.me, -1}
                assert f"and up to {max(map(at.income, rivals))} more can be deployed there" in why
                protected = {s for s in at.whole(at.me) if region in at.map.members[s]}
                assert bool(protected) == ("it protects the bonus of" in why)
                assert at.threat(region) >= 0.05, sentence
            else:
                assert at.threat(region) < 0.05, sentence
        elif kind == "reserve":
            to = at.index(parts["to"])
            described.append(("reserve", at.index(parts["from"]), to))
            assert (parts["does"] == "move to") == (at.owner[to] == at.me)
        elif kind == "move":
            source, to = at.index(parts["from"]), at.index(parts["to"])
            described.append(("move", source, to, n))
            inner = all(at.owner[q] == at.me for q in at.map.neighbors[source])
            armies_there = at.army[to] + sum(more for region, more in deploys if region == to)
            onward = [(q, armies) for region, q, armies in attacks if region == to and q in targets]
            if sum(armies for _, armies in onward) >= armies_there:
                form = f"for the attack{'s' * (len(onward) > 1)} on "
                assert why.startswith(form) and split_names(why.removeprefix(form)) == {
                    at.map.regions[q].name for q, _ in onward
                }
                continue
            assert inner == (
                f"you hold all neighbours of {parts['from']}" in why
                or f"{at.names[at.me]} holds all neighbours of {parts['from']}" in why
            )
            if "enemy" in why:
                assert int(re.search(r"(\d+|one) enemy arm", why)[1].replace("one", "1")) == at.enemies(to) > 0
    expected = [("take", to, n) for to, n in sent.items()] + [("deploy", r, n) for r, n in deploys]
    expected += [("move", source, to, n) for source, to, n in attacks if to not in targets]
    expected += [("reserve", source, to) for source, to in reserves]
    assert sorted(described, key=str) == sorted(expected, key=str)
    assert bool(expected) != ("wait" in kinds)
    return kinds


def split_names(names: str) -> set[str]:
    """Return the names in a list such as "Peru, Brazil and Chile"."""
    return set(re.split(",? and |, ", names))


def sendable(
    at: Position, deploys: list[list[int]], attacks: list[list[int]]
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Return the orders with the armies that they send if all earlier orders succeed, and the orders that send none."""
    army, sent, reserves = list(at.army), [], []
    for region, n in deploys:
        army[region] += n
    for source, to, n in attacks:
        armies = min(n, max(0, army[source] - 1))
        if not armies:
            reserves.append((source, to))
            continue
        sent.append([source, to, armies])
        army[source] -= armies
        if at.owner[to] == at.me:
            army[to] += armies
    return sent, reserves


def check_reasons(why: str, at: Position, to: int, attacks: list[list[int]], targets: set[int]) -> set[str]:
    """Check the stated reasons of an attack; return their kinds."""
    s, owner = at.map.super_region_of[to], at.owner[to]
    name, bonus = at.map.super_regions[s].name, at.map.bonuses[s]
    others = {at.map.regions[r].name for r in at.map.members[s] if r != to and at.owner[r] != at.me}
    won = s in at.whole(at.me, targets) - at.whole(at.me)
    assert won == (f"completes {name} (+{bonus})" in why), why
    assert all(other in why for other in others) or not won
    lost = owner >= 0 and s in at.whole(owner)
    assert lost == (f"{at.names[owner]} loses the bonus of {name} (−{bonus})" in why), why
    last = owner >= 0 and at.owner.count(owner) == 1
    assert last == ("it is the last region of" in why)
    if "loses a region" in why:
        assert f"{at.names[owner]} loses a region" in why
    if match := re.search(r"(\S+) then holds? (.+)", why):
        n_held = len([r for r in at.map.members[s] if at.owner[r] == at.me or r in targets])
        assert owner < 0
        assert match[1] == ("you" if at.names[at.me] == "You" else at.names[at.me]), "also of a bot's turn"
        assert match[2].startswith(f"{n_held} of the {len(at.map.members[s])} regions of {name}")
    if len(attacks) == 1:
        check_chances(why, at, to, attacks[0][2])
    return {f for f, there in (("completes", won), ("breaks", lost), ("last", last)) if there}


def check_chances(why: str, at: Position, to: int, armies: int) -> None:
    """Check the stated probabilities that an attack with these armies captures a region."""
    owner, defenders = at.owner[to], at.army[to]
    for more in [0] + [at.income(owner)] * (owner >= 0):
        words = rf"if the defender deploys\s{more}" if more else rf"against {defenders} arm(y|ies)"
        chance = re.search(rf"([\d.]+)\s% {words}", why)[1]
        assert abs(float(chance) - 100 * battle_odds(armies, defenders + more).capture) <= 0.05 + 1e-6


def log_with_insights(bot: str, map_name: str, rounds: int, seed: int) -> GameLog:
    """Return the log of a game of a bot against a heuristic, with the bot's insights."""
    game = Game(map_name, "thesis", 2, seed, picks="random")
    bots = [make_agent(bot, seed), make_agent("aggressive", seed)]
    recorder = MemoryRecorder(insight=True)
    recorder.began(game, bots, 500)
    while not game.done and game.round < rounds:
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    return recorder.log


def test_hint_sentences_match_the_orders_and_the_position(tmp_path: Path, open_page: Callable[..., Any]):
    page, kinds = open_page(), set[str]()
    for map_name, simulations, rounds in (("small", 10, 9), ("world", 60, 8)):
        log = log_with_insights(f"mcts:sims={simulations}", map_name, rounds, seed=4)
        file = tmp_path / f"{map_name}.html"
        write_html(log, file, chances=False)
        page.goto(file.as_uri())
        page.locator("path[data-region]").first.wait_for()
        insights_by_round = {step.round: step.insights for step in log.rounds}
        for number, insights in insights_by_round.items():
            data = next(insight.data for insight in insights if insight.player == 0)
            page.evaluate("place => { location.hash = place }", f"#/?round={number}&order=0")
            page.locator(f".where:has-text('Round {number} of')").wait_for()
            sentences = page.locator(".why li").all_inner_texts()
            orders = parse_orders(log.header.map, data["candidates"][0]["orders"])
            game = game_at(log, number - 1)
            at = Position(game.map, game.owner.tolist(), game.army.tolist(), tuple(names_of(log)))
            kinds |= check(sentences, at, orders)
    assert kinds >= {"take", "attack", "for", "on", "hold", "save", "move", "completes", "breaks", "last"}


def test_reason_of_a_deploy_follows_from_the_orders_that_use_its_armies(tmp_path: Path, open_page: Callable[..., Any]):
    """Deployed armies defend a region only if an enemy threatens it and the turn does not send them away."""
    log = log_with_insights("mcts:sims=20", "small", 3, 5)
    near = log.header.map.neighbors
    number, game, source, target, inner = next(
        (number, game, r, q, own_region)
        for number, game in ((number, game_at(log, number)) for number in range(1, len(log.rounds)))
        for r in range(10)
        for q in near[r]
        for own_region in near[r]
        if game.owner[r] == game.owner[own_region] == 0 and game.owner[q] == 1 and game.army[r] > 1
    )
    at = Position(game.map, game.owner.tolist(), game.army.tolist(), tuple(names_of(log)))
    army, codes = at.army, [region.code for region in game.map.regions]
    names = [region.name for region in game.map.regions]
    assert at.threat(source) >= 0.05
    attack = f"a {codes[source]} {codes[target]}"
    move = f"d {codes[inner]} 5; t {codes[inner]} {codes[source]} {army[inner] + 4}"
    turns = {
        f"d {codes[source]} 5; {attack} {army[source] - 1}": "to defend it",
        f"d {codes[source]} 5; {attack} {army[source]}": f"for the attack on {names[target]}.",
        f"{move}; {attack} {army[source] + army[inner]}": f"armies move from there to {names[source]}.",
    }
    page, file = open_page(), tmp_path / "game.html"
    data = next(insight.data for insight in log.rounds[number].insights if insight.player == 0)
    for turn, reason in turns.items():
        data["candidates"][0]["orders"] = turn
        write_html(log, file, chances=False)
        page.goto("about:blank")
        page.goto(f"{file.as_uri()}#/?round={number + 1}&order=0")
        page.locator(".why li").first.wait_for()
        sentences = page.locator(".why li").all_inner_texts()
        check(sentences, at, parse_orders(log.header.map, turn))
        assert reason in next(sentence for sentence in sentences if sentence.startswith("Deploy 5 on ")), sentences
    moved = f"Move {army[inner] + 4} from {names[inner]} to {names[source]}: for the attack on {names[target]}."
    assert moved in sentences


def turn_with_reserve(game: Game) -> tuple[str, str, list[str]]:
    """Return a turn that sends all armies of a region twice, the name of the region, and the names of both targets."""
    source = next(r for r in range(game.map.n_regions) if game.owner[r] == 0 and len(game.map.neighbors[r]) > 1)
    targets = game.map.neighbors[source][:2]
    codes = [region.code for region in game.map.regions]
    armies = int(game.army[source]) + 5 - 1
    moves = [f"a {codes[source]} {codes[target]} {armies}" for target in targets]
    names = [game.map.regions[target].name for target in targets]
    return "; ".join([f"d {codes[source]} 5", *moves]), game.map.regions[source].name, names


def weak_attack(game: Game) -> tuple[str, str, int]:
    """Return a turn that attacks the strongest neighbour with one army, the name of the neighbour, and its armies."""
    pairs = [
        (r, q) for r in range(len(game.owner)) for q in game.map.neighbors[r] if game.owner[r] == 0 != game.owner[q]
    ]
    source, target = max(pairs, key=lambda pair: game.army[pair[1]])
    codes = [region.code for region in game.map.regions]
    return f"a {codes[source]} {codes[target]} 1", game.map.regions[target].name, int(game.army[target])


def test_hints_describe_reserves_and_weak_attacks(tmp_path: Path, open_page: Callable[..., Any]):
    """An order without free armies is a reserve. For a weak attack, the defender's expected losses are given."""
    log = log_with_insights("mcts:sims=20", "small", 2, 3)
    attack, name, armies = weak_attack(game_at(log, 1))
    reserve, source, (_, second) = turn_with_reserve(game_at(log, 0))
    for number, turns in ((1, (reserve, reserve.rpartition(";")[0])), (2, (attack,))):
        data = next(insight.data for insight in log.rounds[number - 1].insights if insight.player == 0)
        data["candidates"] = [{**data["candidates"][0], "orders": turn} for turn in turns]
    file = tmp_path / "game.html"
    write_html(log, file, chances=False)
    assert battle_odds(1, armies).capture < 0.005
    loss = f"{armies - battle_odds(1, armies).expected_defenders:.1f}"
    assert loss == "0.6"
    texts = {
        "en-US": ("If armies are left on {0}, they (attack|move to) {1}.",
                  f"Attack {name} with 1 army: the defender loses {loss} of {armies} armies on average."),
        "cs-CZ": ("Zbudou-li na území {0} armády, (zaútočí|přejdou) na území {1}.",
                  f"Zaútoč na území {name} 1 armádou: obránce ztratí v průměru 0,6 z {armies} armád."),
    }  # fmt: skip
    for language, (pattern, weak) in texts.items():
        page = open_page(f"{file.as_uri()}?#/?round=1&order=0", locale=language)
        hints = page.locator(".why li")
        hints.first.wait_for()
        sentences = hints.all_inner_texts()
        assert any(re.fullmatch(pattern.format(source, second), sentence) for sentence in sentences), sentences
        assert sum(second in sentence for sentence in sentences) == 1, "the reserve is no attack of its own"
        arrows = []
        for row in page.locator("[aria-label^='Candidates'] tbody tr, [aria-label^='Kandidáti'] tbody tr").all():
            row.hover()
            page.locator("g.ghost").first.wait_for(state="attached")
            arrows.append(page.locator("g.ghost path").evaluate_all("paths => paths.map(path => path.outerHTML)"))
        assert len(arrows) == 2 and arrows[0] == arrows[1], "no arrow shows the reserve"
        page.evaluate("location.hash = '#/?round=2&order=0'")
        page.locator(".why li", has_text=weak).wait_for()


def test_a_hint_with_a_reserve_is_copied_without_a_warning(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address)
    game = Game("small", "thesis", 2, 8, picks="random")
    orders, _, (first, second) = turn_with_reserve(game)
    answer = {"data": {"candidates": [{"orders": orders}]}, "round": 1, "player": 0, "chances": None}
    page.route("**/insight", lambda route: route.fulfill(json=answer))
    page.get_by_role("button", name="Hint: off").wait_for()  # before, the page ignores the key
    page.keyboard.press("h")
    page.get_by_role("button", name="Hint: coach").wait_for()
    page.keyboard.press("h")
    page.get_by_role("region", name="Hint in words").get_by_role("button", name="Copy to my orders").click()
    card = page.get_by_role("region", name="Orders", exact=True)
    card.get_by_text(first).first.wait_for()
    assert card.get_by_text(second).count() == 0
    assert "can be sent" not in card.inner_text() and "left to send" not in card.inner_text()


def test_page_shows_the_goals_of_the_planning_bot(tmp_path: Path, open_page: Callable[..., Any]):
    log = log_with_insights("plan", "small", 6, 3)
    file = tmp_path / "plan.html"
    write_html(log, file, chances=False)
    page, words = open_page(file.as_uri()), {"take": "Take", "attack": "Attack", "hold": "Hold"}
    page.locator("path[data-region]").first.wait_for()
    for step in log.rounds:
        goals = next(insight.data for insight in step.insights if insight.player == 0)["goals"]
        page.evaluate("place => { location.hash = place }", f"#/?round={step.round}&order=0")
        page.locator(f".where:has-text('Round {step.round} of')").wait_for()
        sentences = page.locator("ol.why li").all_inner_texts()
        assert len(sentences) == min(8, len(goals))
        for goal, sentence in zip(goals, sentences, strict=False):
            name = log.header.map.regions[goal["region"]].name
            assert sentence.startswith(f"{words[goal['goal']]} {name}, which needs {goal['armies']} arm")


def assert_uncovered(part: Any) -> None:
    """Wait for an element, and check that no other element covers its middle."""
    part.wait_for()
    shown = """e => { const b = e.getBoundingClientRect();
        return e.contains(document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2)) }"""
    assert part.evaluate(shown)


def test_hint_first_names_regions_and_then_orders_and_explains_its_terms(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8)
    page = open_page(bypass_csp=True)
    page.add_init_script(QUICK)
    page.goto(game_server.address)
    pick(page)
    page.locator(".phases").wait_for()
    page_regions = regions(page)
    page.get_by_role("button", name="Hint: off").wait_for()
    own_region = next(r["name"] for r in page_regions if r["who"] == "yours")
    page.mouse.click(*box(page, own_region))  # its card covers a part of the side panel
    page.locator(".region").get_by_role("heading", name=own_region).wait_for()
    page.keyboard.press("z")
    page.keyboard.press("h")
    hint = page.get_by_role("region", name="Hint in words")
    assert_uncovered(hint.get_by_text("Thinking …"))
    assert_uncovered(hint.get_by_role("heading", name="Where to look"))
    assert_uncovered(hint.locator("li").last)
    where = hint.locator("li").all_inner_texts()
    assert not any(re.search(r"with \d|Deploy|chance", sentence) for sentence in where)
    hint.get_by_role("button").first.focus()
    named = where[0].partition(":")[0].rpartition(" to ")[2]
    page.get_by_role("region", name="Region").get_by_role("heading", name=named).wait_for()
    page.get_by_role("button", name="Hint: coach").click()
    assert_uncovered(hint.get_by_role("heading", name="What to do"))
    assert_uncovered(hint.get_by_role("button", name="Copy to my orders"))
    check_explanations(page, "Win probability")
    sentences = hint.locator("li").all_inner_texts()
    hint.get_by_role("button", name="Copy to my orders").click()
    draft = json.loads(page.evaluate(f"localStorage['warlight.draft.{game_server.game}.0.1']"))
    owners = {"yours": 0, "neutral": -1}
    game_map = Game("small").map
    at = Position(
        game_map, [owners.get(r["who"], 1) for r in page_regions], [r["armies"] for r in page_regions], ("You", "Pip")
    )
    check(sentences, at, Orders([tuple(row) for row in draft["deploys"]], [tuple(row) for row in draft["attacks"]]))


def check_explanations(page: Any, checked: str, touch: bool = False) -> None:
    """Check the explanations of the columns of a hint's candidates.

    axe checks the page only during the explanation of the word `checked`.
    """
    candidates = page.get_by_role("region", name="Candidates of Hint")
    candidates.wait_for()
    columns = candidates.locator("th").all_inner_texts()
    assert [column.split()[0] for column in columns] == ["candidate", "win"]  # the same scale as in the analysis
    explained = {"Candidates": "Turns that the bot compared", "Win probability": "Many games are simulated"}
    for word, means in explained.items():
        ask = candidates.get_by_role("button", name=f"What does “{word}” mean?")
        text = page.get_by_role("note").filter(has_text=means)
        assert text.count() == 0
        if touch:
            ask.tap()
        else:
            ask.focus()
            page.keyboard.press("Enter")
        text.wait_for()
        shown = text.bounding_box()
        assert shown["x"] >= 0
        assert shown["x"] + shown["width"] <= page.viewport_size["width"]
        assert shown["y"] + shown["height"] <= page.viewport_size["height"]
        if word == checked:
            assert axe_finds(page) == []
        if touch:
            page.get_by_role("heading", name="What to do").tap()
        else:
            page.keyboard.press("Escape")
        text.wait_for(state="hidden")


def test_search_terms_are_explained_on_a_phone(server: Server, open_page: Callable[..., Any]):
    page = open_page(**PHONE, has_touch=True, is_mobile=True, bypass_csp=True)
    page.add_init_script(QUICK)
    page.goto(server.begin(seed=8, picks="random").address)
    page.locator(".phases").wait_for()
    for level in ("off", "coach"):
        page.get_by_role("button", name=f"Hint: {level}").tap()
    page.locator(".handle").tap()
    check_explanations(page, "Candidates", touch=True)


def test_page_explains_a_long_search(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    page.clock.install()
    page.goto(server.begin(seed=8, picks="random").address)
    page.get_by_role("button", name="Hint: off").wait_for()
    page.route("**/insight", lambda route: None)  # no answer
    page.keyboard.press("h")
    card = page.locator(".hints")
    card.locator("[role=status]").wait_for()
    assert "is compiled" not in card.inner_text()
    page.clock.fast_forward(10_000)
    card.get_by_text("because its program is compiled").wait_for()
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("combobox", name="Language").select_option(label="Čeština")
    card.get_by_text("protože se jeho program překládá").wait_for()
