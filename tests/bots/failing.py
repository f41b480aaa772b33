"""Bots in the AI Challenge protocol that fail in one way: ``failing.py WAY``. They use only the standard library.

Each bot deploys all armies on its first region until its fault occurs.
"""

import os
import sys
import time

WAY = sys.argv[1]


def main() -> None:
    name, own, armies, rounds = "player1", 0, 5, 0
    if WAY == "exits":
        sys.exit("no start today")
    for line in sys.stdin:
        words = line.split()
        if words[:2] == ["settings", "your_bot"]:
            name = words[2]
        elif words[:2] == ["settings", "starting_armies"]:
            armies, rounds = int(words[2]), rounds + 1
        elif words[:1] == ["update_map"]:
            owners = zip(words[1::3], words[2::3], strict=False)
            own = next((int(region) for region, owner in owners if owner == name), 0)
        elif words[:1] == ["go"]:
            if WAY == "crashes" and rounds == 2:
                print("nothing left to divide", file=sys.stderr, flush=True)
                os._exit(3)
            if WAY == "late" and words[1] == "place_armies":
                time.sleep(int(words[2]) / 1000 + 0.05)
            if WAY != "silent":
                wrong = 10_000 if WAY == "illegal" else 0
                print(
                    f"{name} place_armies {own} {armies + wrong}" if words[1] == "place_armies" else "No moves",
                    flush=True,
                )


main()
