"""The orders that a person enters one by one for a round, with undo and redo."""

from __future__ import annotations

from typing import Literal

from warlight_env.arguments import index, short_repr
from warlight_env.engine.orders import Orders
from warlight_env.game import Game, GameError, IllegalOrdersError

Step = tuple[int, ...]


class TurnDraft:
    """The orders of one player for the next round. Every new order is checked at once.

    The phases are "deploy", "attack" and "done". The method `back_to_deploy` deletes the attacks; `undo` restores them.
    After `commit` the orders cannot change.

    Args:
        game: a game in the phase "play"; the `TurnDraft` does not change it.
        player: the player who enters the orders.

    Raises:
        GameError: the game's phase is not "play", or the player is eliminated.
    """

    def __init__(self, game: Game, player: int) -> None:
        if not isinstance(game, Game):
            raise GameError(f"game = {short_repr(game)}: must be a `Game`")
        if game.phase != "play":
            raise GameError(f"orders are not possible now: the game's phase is {game.phase!r}")
        if not game.alive(player):
            raise GameError(f"player {player} has no regions left")
        self.game, self.player, self.income = game, player, game.income(player)
        self.phase: Literal["deploy", "attack", "done"] = "deploy"
        self._deploys: tuple[Step, ...] = ()
        self._attacks: tuple[Step, ...] = ()
        self._undo: list[tuple[str, tuple[Step, ...], tuple[Step, ...]]] = []
        self._redo: list[tuple[str, tuple[Step, ...], tuple[Step, ...]]] = []

    @property
    def orders(self) -> Orders:
        """The orders that the player has entered so far."""
        return Orders(list(self._deploys), list(self._attacks))  # type: ignore[arg-type]

    @property
    def armies_left(self) -> int:
        """The number of armies that the player may still deploy in this round."""
        return self.income - sum(armies for _, armies in self._deploys)

    def deploy(self, region: int | str, armies: int) -> None:
        """Add an order that deploys armies on a region of the player.

        Raises:
            IllegalOrdersError: the order is illegal; the message gives the reason.
        """
        self._require("deploy")
        step = (self._region(region), armies)
        self._enter("deploy", (*self._deploys, step), self._attacks)

    def attack(self, source: int | str, target: int | str, armies: int) -> None:
        """Add an order that attacks a neighbouring region, or moves armies to an own neighbour.

        In the phase "deploy" the method also starts the phase "attack".
        """
        if self.phase == "done":
            raise GameError("the turn is already committed")
        step = (self._region(source), self._region(target), armies)
        self._enter("attack", self._deploys, (*self._attacks, step))

    def to_attack(self) -> None:
        """Start the attack phase."""
        self._require("deploy")
        self._enter("attack", self._deploys, self._attacks)

    def back_to_deploy(self) -> None:
        """Go back to the deploy phase, and delete the attacks."""
        self._require("attack")
        self._enter("deploy", self._deploys, ())

    def undo(self) -> None:
        """Undo the last order or the last change of the phase."""
        self._swap(self._undo, self._redo, "undo")

    def redo(self) -> None:
        """Repeat the last order or change of the phase that `undo` has undone."""
        self._swap(self._redo, self._undo, "redo")

    def commit(self) -> Orders:
        """End the entry of orders, and return the orders."""
        if self.phase == "done":
            raise GameError("the turn is already committed")
        self.phase = "done"
        return self.orders

    def _region(self, region: int | str) -> int:
        """Return the index of a region that is given as a name, a code or an index."""
        if isinstance(region, str):
            return self.game.map.region_index(region)
        return index(region, "region", self.game.map.n_regions, GameError)

    def _require(self, phase: str) -> None:
        if self.phase != phase:
            raise GameError(f"the turn's phase is {self.phase!r}; this step needs the phase {phase!r}")

    def _enter(self, phase: Literal["deploy", "attack"], deploys: tuple[Step, ...], attacks: tuple[Step, ...]) -> None:
        illegal = self.game.check(self.player, Orders(list(deploys), list(attacks)))  # type: ignore[arg-type]
        if illegal:
            raise IllegalOrdersError(illegal)
        self._undo.append((self.phase, self._deploys, self._attacks))
        self._redo.clear()
        self.phase, self._deploys, self._attacks = phase, deploys, attacks

    def _swap(self, source: list, target: list, what: str) -> None:
        if self.phase == "done":
            raise GameError("the turn is already committed")
        if not source:
            raise GameError(f"nothing to {what}")
        target.append((self.phase, self._deploys, self._attacks))
        self.phase, self._deploys, self._attacks = source.pop()
