"""The tree of variations of a game or a study: turns that users tried in its positions, with comments and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from warlight_env.engine.orders import Orders
from warlight_env.record.errors import VariationError
from warlight_env.step_results import Event

#: A changed region: its number, its new owner and its new number of armies.
Change = tuple[int, int, int]

#: The maximum number of variations and notes of a tree, and the maximum number of characters of a comment and a name.
NODES: Final = 2000
COMMENT: Final = 2000
NAME: Final = 60

#: How the other players' turns were chosen. "known": the turns that they played in the game. "believed": a bot's turns
#: in the position that the viewer believes in. "given": turns that the user entered.
Reply = Literal["known", "believed", "given"]
REPLIES: Final[tuple[Reply, ...]] = ("known", "believed", "given")

#: For each player [share of playouts won, low, high], with a 95 % interval, each from 0 to 1.
Chances = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class Variation:
    """A node of the tree: a round that a user tried, and the position after it."""

    id: int  #: from 1; no other node of the tree ever has the same number
    parent: int | None  #: the variation before; None: the round begins in a position of the game or the study
    round: int  #: number of rounds played before
    seat: int  #: the player whose turn the user tried
    turns: tuple[Orders | None, ...]  #: by player; None: the player gave no orders
    seed: int  #: the seed of the dice, see `Game.reseed`
    events: tuple[Event, ...]  #: executed attacks and transfers in order
    changed: tuple[Change, ...]  #: regions that differ from the position before the round, with `believed`
    reply: Reply = "given"
    bot: str | None = None  #: the bot that chose the believed turns of the other players
    #: regions whose owner or army the viewer did not see, as the viewer believed them to be before the round
    believed: tuple[Change, ...] = ()
    name: str = ""
    comment: str = ""
    chances: Chances | None = None  #: win probability of each player in the position after the round


@dataclass(frozen=True)
class Note:
    """A name and a comment of a position of the game or the study."""

    round: int  #: number of rounds played before the position
    name: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Variations:
    """The variations of a game or a study. All methods return a new tree; a tree never changes.

    A node comes after its parent in `nodes`, so a tree has no cycles.
    """

    nodes: tuple[Variation, ...] = ()
    notes: tuple[Note, ...] = ()  #: at most one for each round, in ascending order
    next: int = 1  #: the number of the next new node

    _index: dict[int, Variation] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {node.id: node for node in self.nodes})

    def __bool__(self) -> bool:
        """Whether the tree has variations or notes, or once had variations, which were deleted."""
        return bool(self.nodes or self.notes) or self.next > 1

    def node(self, id: int) -> Variation:
        """Return a variation.

        Raises:
            VariationError: the tree does not contain this variation.
        """
        node = self._index.get(id)
        if node is None:
            raise VariationError(f"the tree has no variation {id}")
        return node

    def path(self, id: int) -> tuple[Variation, ...]:
        """Return the variations on the path from a root of the tree to variation `id`. See `node`."""
        path = [self.node(id)]
        while path[-1].parent is not None:
            path.append(self.node(path[-1].parent))
        return tuple(reversed(path))

    def subtree_ids(self, id: int) -> set[int]:
        """Return the numbers of variation `id` and of all variations that continue this variation. See `node`."""
        ids = {self.node(id).id}
        for node in self.nodes:
            if node.parent in ids:
                ids.add(node.id)
        return ids

    def note(self, round: int) -> Note:
        """Return the note of the position after `round` rounds; it is empty if there is none."""
        return next((note for note in self.notes if note.round == round), Note(round))

    def added(self, variation: Variation) -> Variations:
        """Return the tree with another variation, which gets the number `next`.

        Raises:
            VariationError: the tree does not contain the parent, the round does not follow it, or the tree is full.
        """
        if self.size >= NODES:
            raise VariationError(f"the tree already has {NODES} variations and notes, the maximum")
        if variation.parent is not None and variation.round != self.node(variation.parent).round + 1:
            raise VariationError(
                f"variation after {variation.parent}: 'round' must be {self.node(variation.parent).round + 1}, "
                f"not {variation.round}"
            )
        return replace(self, nodes=(*self.nodes, replace(variation, id=self.next)), next=self.next + 1)

    def grafted(self, other: Variations, round: int) -> Variations:
        """Return the tree with all variations of `other` that begin after `round` rounds, with new numbers.

        A note of `other` for this position replaces the note of this tree.

        Raises:
            VariationError: the tree would have too many variations.
        """
        tree, numbers = self, dict[int, int]()
        for node in other.nodes:
            if node.parent is None and node.round == round:
                parent = None
            elif node.parent in numbers:
                parent = numbers[node.parent]
            else:
                continue
            numbers[node.id] = tree.next
            tree = tree.added(replace(node, parent=parent))
        note = other.note(round)
        return tree.annotated_position(round, note.name, note.comment) if note.name or note.comment else tree

    def annotated(self, id: int, name: str, comment: str) -> Variations:
        """Return the tree with another name and comment of a variation.

        Raises:
            VariationError: the tree does not contain the variation, or a text is not valid.
        """
        self.node(id)
        checked = check_text("name", name, NAME), check_text("comment", comment, COMMENT)
        nodes = (n if n.id != id else replace(n, name=checked[0], comment=checked[1]) for n in self.nodes)
        return replace(self, nodes=tuple(nodes))

    def annotated_position(self, round: int, name: str, comment: str) -> Variations:
        """Return the tree with another note of the position after `round` rounds. Two empty texts remove the note.

        Raises:
            VariationError: a text is not valid, or the tree has too many notes.
        """
        new_note = Note(round, check_text("name", name, NAME), check_text("comment", comment, COMMENT))
        other_notes = [note for note in self.notes if note.round != round]
        if (name or comment) and len(other_notes) + len(self.nodes) >= NODES:
            raise VariationError(f"the tree already has {NODES} variations and notes, the maximum")
        notes = [*other_notes, new_note] if name or comment else other_notes
        return replace(self, notes=tuple(sorted(notes, key=lambda note: note.round)))

    def without(self, id: int) -> Variations:
        """Return the tree without variation `id` and without the variations that continue it. See `node`."""
        removed_ids = self.subtree_ids(id)
        return replace(self, nodes=tuple(node for node in self.nodes if node.id not in removed_ids))

    @property
    def size(self) -> int:
        """The number of variations and notes."""
        return len(self.nodes) + len(self.notes)


#: The tree without variations.
EMPTY: Final = Variations()


def check_text(label: str, text: str, max_length: int) -> str:
    """Return a name or a comment; raise `VariationError` for a text that is too long or has unprintable characters."""
    if len(text) > max_length:
        raise VariationError(f"{label}: it has {len(text)} characters, but may have at most {max_length}")
    if invalid := next((c for c in text if not c.isprintable() and not (label == "comment" and c in "\n\t")), None):
        raise VariationError(f"{label}: the character {invalid!a} cannot be printed")
    return text


def changes(
    before: tuple[Sequence[int], Sequence[int]], after: tuple[Sequence[int], Sequence[int]]
) -> Iterator[Change]:
    """Yield the regions whose owner or army differs between two positions (owners, armies), as in `after`."""
    for region, (old, new) in enumerate(zip(zip(*before, strict=True), zip(*after, strict=True), strict=True)):
        if old != new:
            yield region, new[0], new[1]
