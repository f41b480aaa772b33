"""A minimal bot for versions 1 and 2 of the text protocol of the Warlight AI Challenges. Start: python3 bot.py"""

import sys


class Bot:
    """Stores the messages of the game server, and answers its requests."""

    def __init__(self):
        self.name = "player1"
        self.super_region = {}  # region -> super region
        self.neighbors = {}  # region -> set of regions
        self.income = 5
        self.owner = {}  # region -> name of the owner, only for visible regions
        self.army = {}  # region -> number of armies, only for visible regions

    def pick(self, offered):
        """Return the offered regions, best first. A region of a smaller super region is better."""
        sizes = list(self.super_region.values())
        return sorted(offered, key=lambda region: sizes.count(self.super_region[region]))

    def place(self):
        """Return placements as (region, armies): all new armies go to the border region with the most armies."""
        own_regions = [region for region, name in self.owner.items() if name == self.name]
        borders = [r for r in own_regions if any(self.owner.get(n) != self.name for n in self.neighbors[r])]
        if not own_regions:
            return []
        best = max(borders or own_regions, key=lambda region: self.army[region])
        self.army[best] += self.income
        return [(best, self.income)]

    def attack(self):
        """Return attacks and transfers as (from, to, armies). Each region attacks at most one weaker neighbour."""
        moves = []
        for region, name in self.owner.items():
            spare = self.army[region] - 1
            if name != self.name or spare < 1:
                continue
            foreign = [n for n in self.neighbors[region] if self.owner.get(n, self.name) != self.name]
            if foreign:
                target = min(foreign, key=lambda n: self.army[n])
                if spare > 1.5 * self.army[target]:
                    moves.append((region, target, spare))
            elif spare > 1:
                moves.append((region, min(self.neighbors[region]), spare))
        return moves[:50]

    def hear(self, words):
        """Process a line. Return the answer if the line is a request, else None."""
        head, arguments = words[0], words[1:]
        if head == "settings" and arguments[0] == "your_bot":
            self.name = arguments[1]
        elif head == "settings" and arguments[0] == "starting_armies":
            self.income = int(arguments[1])
        elif head == "setup_map" and arguments[0] == "regions":
            numbers = [int(word) for word in arguments[1:]]
            self.super_region = dict(zip(numbers[::2], numbers[1::2]))
            self.neighbors = {region: set() for region in self.super_region}
        elif head == "setup_map" and arguments[0] == "neighbors":
            for region, neighbor_ids in zip(arguments[1::2], arguments[2::2]):
                for neighbor in neighbor_ids.split(","):
                    self.neighbors[int(region)].add(int(neighbor))
                    self.neighbors[int(neighbor)].add(int(region))
        elif head == "update_map":
            rows = list(zip(arguments[::3], arguments[1::3], arguments[2::3]))
            self.owner = {int(region): name for region, name, _ in rows}
            self.army = {int(region): int(army) for region, _, army in rows}
        elif head == "pick_starting_regions":  # challenge 1: the best six, in order
            return " ".join(str(region) for region in self.pick(map(int, arguments[1:]))[:6])
        elif head == "pick_starting_region":  # challenge 2: one region
            return str(self.pick(map(int, arguments[1:]))[0])
        elif head == "go" and arguments[0] == "place_armies":
            return ", ".join(f"{self.name} place_armies {r} {n}" for r, n in self.place()) or "No moves"
        elif head == "go" and arguments[0] == "attack/transfer":
            moves = (f"{self.name} attack/transfer {a} {b} {n}" for a, b, n in self.attack())
            return ", ".join(moves) or "No moves"
        return None


def main():
    """Answer lines until the input ends. Print debug output only to sys.stderr."""
    bot = Bot()
    for line in sys.stdin:
        words = line.split()
        answer = bot.hear(words) if len(words) > 1 else None
        if answer is not None:
            print(answer, flush=True)


if __name__ == "__main__":
    main()
