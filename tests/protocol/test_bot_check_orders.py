"""`bot check` reports the type and the reason of each illegal order, in each position that it plays."""

import sys
from pathlib import Path

import pytest

from warlight_env.protocol import conformance

BOT = """
import sys
place, move = sys.argv[1:]
own = 0
for line in sys.stdin:
    words = line.split() or [""]
    if words[0] == "pick_starting_regions":
        print(*words[2:8], flush=True)
    if words[0] == "update_map":
        own = int(next(a for a, by in zip(words[1::3], words[2::3]) if by == "player1"))
    for question, order in (("place_armies", place), ("attack/transfer", move)):
        if words[:2] == ["go", question]:
            given = " ".join(str(own) if word == "OWN" else word for word in order.split())
            print("player1 " + question + " " + given if order else "No moves", flush=True)
"""


@pytest.mark.parametrize("place, move, reason", [
    ("OWN 0", "", "at least one army is needed"),
    ("OWN -3", "", "at least one army is needed"),
    ("OWN 9", "", "5 of 5 armies are left to place"),
    ("999 3", "", "no such region"),
    ("10 3", "", "region 10 is not the bot's"),
    ("", "OWN 3 0", "at least one army is needed"),
    ("", "OWN 3 -1", "at least one army is needed"),
    ("", "OWN 3 2", "has 2 armies, and one must stay"),
    ("", "OWN 999 1", "no such region"),
    ("", "OWN 42 1", "region 42 is not a neighbour of"),
    ("", "10 9 1", "region 10 is not the bot's"),
])  # fmt: skip
def test_the_error_names_the_illegal_order_and_its_reason(tmp_path: Path, place, move, reason):
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    with pytest.raises(conformance.NonconformanceError, match=f"is illegal: .*{reason}"):
        conformance._chatter([sys.executable, str(bot), place, move], 1)
