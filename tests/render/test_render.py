"""Drawings: SVG and pixels agree with each other and with the position, fog hides regions, and colours are distinct."""

from __future__ import annotations

import dataclasses
import io
import itertools
import math

import numpy as np
import pytest
import resvg_py
from defusedxml import ElementTree
from PIL import Image

from helpers import RING
from warlight_env import maps
from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.render import ShownPosition, to_rgb, to_svg, to_text
from warlight_env.render.theme import SEA, contrast, rgb, text_colour, theme

SVG = "{http://www.w3.org/2000/svg}"


def some_position(map_: maps.Map, players: int = 2, fog: bool = False, seed: int = 1, **more) -> ShownPosition:
    random = np.random.default_rng(seed)
    owner = random.integers(-2 if fog else -1, players, map_.n_regions)
    return ShownPosition(map_, owner, random.integers(1, 2000, map_.n_regions), players, 8, **more)


def titles(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [element.text for element in root.iter(f"{SVG}title")]


def raster(svg: str) -> np.ndarray:
    image = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg))))
    return np.asarray(image.convert("RGB"))


@pytest.mark.parametrize("map_", [*map(maps.load, maps.names()), RING, maps.generate(30, 5, seed=2)], ids=str)
@pytest.mark.parametrize("fog", [False, True])
def test_pixels_match_the_rendered_svg(map_, fog):
    position = some_position(map_, 3, fog)
    pixels, other = to_rgb(position), raster(to_svg(position))
    assert pixels.dtype == np.uint8 and pixels.shape == other.shape and pixels.shape[1] == 960
    far = np.abs(pixels.astype(int) - other).max(-1) > 40
    assert far.mean() < 0.05, "fonts and edges differ, areas do not"


@pytest.mark.parametrize("name", maps.names())
def test_regions_have_their_owners_colours(name):
    """Compare a pixel beside the badge, within the circle that lies inside the region."""
    map_ = maps.load(name)
    position = some_position(map_, 4)
    pixels = to_rgb(position, width=2000)
    scale = (2000 - 24) / map_.view_box[2]
    top = pixels.shape[0] - 24 - map_.view_box[3] * scale
    compared = 0
    for region, owner in zip(map_.regions, position.owner, strict=True):
        if region.shape.radius * scale < 40:
            continue
        x, y = region.shape.label
        px, py = x * scale + 12, y * scale + 12 + top + 0.8 * region.shape.radius * scale
        assert tuple(pixels[round(py), round(px)]) == rgb(theme(4).fill(owner)), region.name
        compared += 1
    assert compared > map_.n_regions // 4


def test_svg_describes_the_position():
    map_ = maps.load("world")
    position = some_position(map_, names=('Ann "A" & <Bo>', "b\x1b[2J"))
    svg = to_svg(position)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img" and 'Ann "A" & <Bo>' in root.get("aria-label")
    for region, owner, army in zip(map_.regions, position.owner, position.army, strict=True):
        who = "neutral" if owner < 0 else f"player {owner + 1} ({position.name(owner)})"
        assert f"{region.name}, {who}, {army} {'army' if army == 1 else 'armies'}" in titles(svg)
    assert "Europe, bonus 5" in titles(svg) and "\x1b" not in svg and "\x1b" not in to_text(position)


@pytest.mark.parametrize("name", ["world", "small"])
def test_hidden_armies_do_not_change_the_drawing(name):
    map_ = maps.load(name)
    one = some_position(map_, fog=True)
    hidden = np.array([o == -2 for o in one.owner])
    other = ShownPosition(map_, one.owner, np.where(hidden, 777, one.army), 2, 8)
    orders = [Orders([(r, 5) for r in range(map_.n_regions)], [(a, b, 3) for a, b in map_.borders])]
    assert hidden.any()
    for draw in (to_svg, to_rgb):
        assert np.array_equal(draw(one, orders), draw(other, orders))
    assert to_text(one) == to_text(other) and "777" not in to_text(other)
    arrows = [t for t in titles(to_svg(one, orders)) if "→" in t]
    unseen = [map_.regions[r].name for r in np.flatnonzero(hidden)]
    assert arrows and not any(u in a.split(": ")[1].split(" → ") for a in arrows for u in unseen)


def test_orders_are_drawn_as_arrows():
    map_ = maps.load("world")
    alaska, kamchatka, yukon = (map_.region_index(code) for code in ("AK", "KA", "NT"))
    owner = np.full(42, -1)
    owner[[alaska, yukon]] = 0
    position = ShownPosition(map_, owner, np.full(42, 2), 2)
    plain = to_svg(position)
    assert not [t for t in titles(plain) if "→" in t]
    orders = Orders([(alaska, 2), (alaska, 3)], [(alaska, kamchatka, 4), (alaska, yukon, 1)])
    svg = to_svg(position, {0: orders})
    arrows = {t for t in titles(svg) if "→" in t}
    names = [map_.regions[r].name for r in (alaska, kamchatka, yukon)]
    assert arrows == {f"player 1 attacks with 4: {names[0]} → {names[1]}", f"player 1 moves 1: {names[0]} → {names[2]}"}
    assert ">+5</text>" in svg
    root = ElementTree.fromstring(svg)
    dashed = [e for e in root.iter(f"{SVG}path") if e.get("stroke-dasharray") and e.find(f"{SVG}title") is not None]
    assert ["moves" in e.find(f"{SVG}title").text for e in dashed] == [True], "dashed: a transfer"
    changed = np.abs(to_rgb(position, [orders]).astype(int) - to_rgb(position)).max(-1) > 0
    columns = np.flatnonzero(changed.any(0))
    assert columns.min() < 40 and columns.max() > 900 and not changed[:, 300:700].any(), "around the edge, not across"


def test_large_armies_are_abbreviated():
    army = [1, 999, 1234, 98_765, 2_000_000, 7]
    svg = to_svg(ShownPosition(RING, [0, 1, 0, 1, 0, -1], army, 2))
    assert all(f">{text}</text>" in svg for text in ("1", "999", "1.2k", "99k", "2.0M", "7"))


def test_text_lists_every_region():
    map_ = maps.load("world")
    position = some_position(map_, 3, fog=True)
    text = to_text(position, width=60)
    assert all(len(line) <= 60 for line in text.splitlines()) and "\x1b" not in text
    for region, owner, army in zip(map_.regions, position.owner, position.army, strict=True):
        symbol = {-1: "·", -2: "?"}.get(owner) or "●■◆"[owner]
        cell = f"{symbol}{region.code}" if owner == -2 else f"{symbol}{region.code} {army:>4}"
        assert cell in text
    coloured = to_text(position, colour=True)
    assert "\x1b[38;2;" in coloured


def test_text_marks_the_owner_of_a_complete_super_region():
    text = to_text(ShownPosition(RING, [0, 0, 1, 0, -1, -1], [3] * 6, 2))
    assert "S0 +2 ●" in text and "S1 +3\n" in text and "● player 1: 3 regions, 9 armies, bonus 2" in text


def test_a_game_has_an_svg_representation_for_notebooks():
    game = Game("small", seed=1)
    assert ElementTree.fromstring(game._repr_svg_()).tag == f"{SVG}svg"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": 0}, "players = 0"), ({"players": 7}, "players = 7"), ({"owner": [0] * 5}, "6 entries"),
        ({"army": [0] * 7}, "6 entries"), ({"owner": [2] * 6}, "owner: every entry must be from -2 to 1"),
        ({"names": ("a",)}, "names: must be 2 names, one for each player, not 1"),
    ],
)  # fmt: skip
def test_impossible_positions_raise_an_error(change, message):
    fields = {"map": RING, "owner": [0] * 6, "army": [1] * 6, "players": 2} | change
    with pytest.raises(ValueError, match=message):
        ShownPosition(**fields)


def test_impossible_arguments_raise_an_error():
    position = some_position(RING)
    for width in (10, 100_000):
        with pytest.raises(ValueError, match="width"):
            to_svg(position, width=width)
        with pytest.raises(ValueError, match="width"):
            to_rgb(position, width=width)
    with pytest.raises(ValueError, match="width"):
        to_text(position, width=10)
    with pytest.raises(ValueError, match="no player 5"):
        to_svg(position, {5: Orders([], [(0, 1, 1)])})


def test_the_layout_of_a_map_without_a_drawing_keeps_regions_apart():
    """Regions do not overlap in the computed layout of any graph."""
    from warlight_env.render.graph import stress_layout

    bare = dataclasses.replace(
        maps.load("world"),
        view_box=None,
        sea_links=(),
        regions=tuple(dataclasses.replace(r, shape=None) for r in maps.load("world").regions),
    )
    for map_ in (bare, RING):
        points = stress_layout(map_)
        gaps = [math.dist(a, b) for a, b in itertools.combinations(points, 2)]
        assert min(gaps) > 0.3
        assert np.array_equal(points, stress_layout(map_))


# Colours


def linear(colour: str) -> np.ndarray:
    c = np.array(rgb(colour)) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


#: Matrices of Machado, Oliveira & Fernandes 2009, severity 1.
COLOUR_VISIONS = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(colour: str, vision: np.ndarray) -> np.ndarray:
    xyz = TO_XYZ @ np.clip(vision @ linear(colour), 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(one: np.ndarray, two: np.ndarray) -> float:
    """Return the CIEDE2000 colour difference, with the formulas of Sharma, Wu & Dalal 2005."""
    mean_chroma = (math.hypot(*one[1:]) + math.hypot(*two[1:])) / 2
    g = 0.5 * (1 - math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7)))
    (l1, a1, b1), (l2, a2, b2) = one, two
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    middle_l, middle_c = (l1 + l2) / 2, (c1 + c2) / 2
    middle_h = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    cosines = [math.cos(math.radians(k * middle_h + d)) for k, d in ((1, -30), (2, 0), (3, 6), (4, -63))]
    t = 1 - 0.17 * cosines[0] + 0.24 * cosines[1] + 0.32 * cosines[2] - 0.20 * cosines[3]
    s_l = 1 + 0.015 * (middle_l - 50) ** 2 / math.sqrt(20 + (middle_l - 50) ** 2)
    s_c, s_h = 1 + 0.045 * middle_c, 1 + 0.015 * middle_c * t
    rotation = 60 * math.exp(-(((middle_h - 275) / 25) ** 2))
    r = -math.sin(math.radians(rotation)) * 2 * math.sqrt(middle_c**7 / (middle_c**7 + 25**7))
    dl, dc, dh = (l2 - l1) / s_l, (c2 - c1) / s_c, dh / s_h
    return math.sqrt(dl**2 + dc**2 + dh**2 + r * dc * dh)


def test_colour_difference_matches_published_values():
    """The values are from the table of Sharma, Wu & Dalal 2005."""
    for one, two, expected in [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ]:
        assert ciede2000(np.array(one), np.array(two)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("players", "least"), [(2, 28), (3, 23), (4, 23), (5, 20), (6, 20)])
def test_colours_differ_for_every_kind_of_colour_vision(players, least):
    fills = [*theme(players).players, theme(players).neutral, SEA]
    for vision in COLOUR_VISIONS.values():
        for one, two in itertools.combinations(fills, 2):
            assert ciede2000(lab(one, vision), lab(two, vision)) > least, (one, two)


@pytest.mark.parametrize("players", range(1, 7))
def test_numbers_contrast_with_their_background(players):
    colours = theme(players)
    for player in range(players):
        assert contrast("#ffffff", colours.dark(player)) > 4.5
        assert contrast(text_colour(colours.light(player)), colours.light(player)) > 4.5
    assert contrast(text_colour(colours.neutral), colours.neutral) > 4.5
