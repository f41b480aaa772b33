"""A function that shows a position as plain text in a terminal."""

from __future__ import annotations

from warlight_env.arguments import check_flag, is_integer, short_repr
from warlight_env.render.shown_position import NEUTRAL, UNKNOWN, ShownPosition, check_position
from warlight_env.render.theme import NEUTRAL_SYMBOL, SYMBOLS, UNKNOWN_SYMBOL, RenderError, rgb, theme
from warlight_env.tables import counted, printable

MIN_WIDTH = 40


def to_text(position: ShownPosition, *, colour: bool = False, width: int = 80) -> str:
    """Return a position as lines of text.

    The first lines of the text show the players. The next lines show the regions of each super region, with their
    owners and armies.

    Args:
        position: the position to show.
        colour: whether to use escape codes for 24-bit colours. Without colours, symbols such as ● and ■ distinguish the
            players.
        width: the maximum number of characters of a line, at least 40.

    Returns:
        The lines, without a newline at the end.
    """
    check_position(position)
    check_flag(colour, "colour", RenderError)
    if not is_integer(width) or width < MIN_WIDTH:
        raise RenderError(f"width = {short_repr(width)}: must be at least {MIN_WIDTH} characters")
    title = printable(position.title or position.map.title or position.map.name)
    lines = [title if position.round is None else f"{title} · round {position.round}"]
    lines += [_player_summary(position, player, colour) for player in range(position.players)]
    lines.append("")
    for index in range(position.map.n_super_regions):
        lines += _super_region(position, index, colour, width)
    return "\n".join(lines)


def _paint(text: str, owner: int, position: ShownPosition, colour: bool) -> str:
    if not colour or owner == UNKNOWN:
        return text
    red, green, blue = rgb(theme(position.players).light(owner) if owner >= 0 else "#c8c8c8")
    return f"\x1b[38;2;{red};{green};{blue}m{text}\x1b[0m"


def _player_summary(position: ShownPosition, player: int, colour: bool) -> str:
    regions, armies = position.count(player)
    suffix = " seen" if position.foggy else ""
    summary = f"{counted(regions, 'region', 'regions')}, {counted(armies, 'army', 'armies')}{suffix}"
    if bonus := position.bonus(player):
        summary += f", bonus {bonus}"
    return _paint(f"{SYMBOLS[player]} {position.name(player)}", player, position, colour) + f": {summary}"


def _super_region(position: ShownPosition, index: int, colour: bool, width: int) -> list[str]:
    """Return the lines of a super region: a line with its name, bonus and owner, and lines with its regions."""
    map_, members = position.map, position.map.members[index]
    super_region = map_.super_regions[index]
    holder = position.holder(members)
    head = f"{printable(super_region.name)} +{super_region.bonus}"
    if holder is not None:
        head = _paint(f"{head} {SYMBOLS[holder]}", holder, position, colour)
    codes = max(len(map_.regions[r].code) for r in range(map_.n_regions))
    digits = max(2, *(len(str(army)) for army in position.army))
    cell = 1 + codes + 1 + digits + 2  # symbol, code, gap, armies, gap
    columns = max(1, (width - 2) // cell)
    cells = []
    for region in members:
        owner = position.owner[region]
        armies = "" if owner == UNKNOWN else str(position.army[region])
        symbol = {NEUTRAL: NEUTRAL_SYMBOL, UNKNOWN: UNKNOWN_SYMBOL}.get(owner) or SYMBOLS[owner]
        text = f"{symbol}{map_.regions[region].code:<{codes}} {armies:>{digits}}"
        cells.append(_paint(text, owner, position, colour))
    rows = [cells[i : i + columns] for i in range(0, len(cells), columns)]
    return [head, *(("  " + "  ".join(row)).rstrip() for row in rows)]
