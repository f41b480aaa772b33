"""Tasks of the process pool that read and change trees of variations, of games and of studies."""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from warlight_env import bounded_io, maps
from warlight_env.beliefs import believed_position
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.record import GameLog, LogError, Picks, Study, StudyError, Variation, VariationError, game_at
from warlight_env.record.encode import log_lines
from warlight_env.record.study import require_same_start
from warlight_env.record.variation_codec import decode_tree, tree_data
from warlight_env.record.variation_play import Positions, game_after, legal_part, play_variation, with_regions
from warlight_env.record.variations import Change, Reply, Variations, changes
from warlight_env.web.documents.replay_document import encoded, study_document, tree_document
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.bot_process import BotQuery, Worker
from warlight_env.web.workers.worker_tasks import LogSource, opened_log

#: Playouts for the win probability of the position after a variation; fewer on large boards. The analysis of a game
#: uses as many playouts in its third pass.
PLAYOUTS: Final = 960
#: The maximum number of bytes of a tree. A study with this tree can be uploaded again.
TREE_BYTES: Final = 6 << 20


@dataclass(frozen=True)
class LogTree:
    """The log of a game, and its tree of variations as JSON; if `tree` is None, the log contains the tree."""

    source: LogSource
    tree: bytes | None = None


@dataclass(frozen=True)
class StudyTree:
    """A study, as the bytes of its file."""

    study: bytes


@dataclass(frozen=True)
class TriedTurn:
    """A turn to try in a position.

    Attributes:
        parent: the number of the variation in whose position the turn is tried; None: the position of the game or the
            study after `round` rounds.
        seat, orders: the player, and the turn of the player.
        reply, bot: the way in which the turns of the other players are chosen, see `Variation`.
        others: the turns of the other players, by player, if `reply` is "given".
        seed: the seed of the dice; None: the next seed of the tree.
    """

    parent: int | None
    round: int
    seat: int
    orders: Orders
    reply: Reply
    bot: str | None = None
    others: tuple[Orders | None, ...] | None = None
    seed: int | None = None


@dataclass(frozen=True)
class PreparedTurn:
    """The turns of the other players, and questions to a bot for the turns that a bot must choose, by player."""

    turns: tuple[Orders | None, ...]
    questions: dict[int, BotQuery]
    believed: tuple[Change, ...] = ()


class _TreeContext:
    """A game or a study with its tree."""

    def __init__(self, target: LogTree | StudyTree) -> None:
        self.log: GameLog | None = None
        self.study: Study | None = None
        if isinstance(target, StudyTree):
            self.study = Study.parse(target.study)
            self.tree = self.study.variations
            self.map, self.rules, self.players = self.study.map, self.study.rules, len(self.study.players)
            self.positions: Positions = self.study.position
            return
        self.log = log = opened_log(target.source)
        self.positions = functools.cache(functools.partial(game_at, log))
        self.map, self.rules, self.players = log.header.map, log.header.rules, len(log.header.players)
        self.tree = log.variations
        if target.tree is not None:
            data = bounded_io.decode_json(target.tree.decode())
            self.tree = decode_tree(data, "variations", self.map.n_regions, self.players)

    def game_before(self, turn: TriedTurn) -> Game:
        """Return the game before a turn; raise an `InputError` if there is no such position or player."""
        if turn.parent is not None and turn.round != self.tree.node(turn.parent).round + 1:
            after = self.tree.node(turn.parent).round + 1
            raise VariationError(f"round {turn.round}: the position of variation {turn.parent} is after {after} rounds")
        game = game_after(self.tree, turn.parent, turn.round, self.positions)
        if turn.seat >= game.players:
            raise VariationError(f"seat {turn.seat}: the game has seats 0 to {game.players - 1}")
        if game.phase != "play" or not game.alive(turn.seat) or turn.seat in self.absent(turn):
            raise VariationError(f"seat {turn.seat}: this player has no turn after {game.round} rounds")
        return game

    def absent(self, turn: TriedTurn) -> frozenset[int]:
        """Return the players that had resigned or failed where the variation of a turn leaves the game."""
        path = () if turn.parent is None else self.tree.path(turn.parent)
        return frozenset() if self.log is None else self.log.absent(path[0].round if path else turn.round)

    def saved(self, tree: Variations) -> bytes:
        """Return the bytes to save: the JSON of a game's tree, or a study's file."""
        data = encoded(tree_data(tree))
        if len(data) > TREE_BYTES:
            raise VariationError(f"the variations have more than {bounded_io.format_size(TREE_BYTES)}: delete some")
        return data if self.study is None else replace(self.study, variations=tree).encoded()


def prepare_turn(target: LogTree | StudyTree, turn: TriedTurn) -> PreparedTurn:
    """Check a turn, and return the other players' turns, or the questions to the bot that chooses them.

    Raises:
        VariationError: the position has no turn of this player, the turn is illegal, or the reply is not possible.
    """
    context = _TreeContext(target)
    game = context.game_before(turn)
    absent = context.absent(turn)
    other_players = [p for p in range(game.players) if p != turn.seat and game.alive(p) and p not in absent]
    turns: list[Orders | None] = [None] * game.players
    turns[turn.seat] = turn.orders
    if illegal := game.check(turn.seat, turn.orders):
        reasons = [{"kind": order.kind, "index": order.index, "reason": order.reason} for order in illegal]
        raise RequestError(f"illegal order: {illegal[0]}", details=reasons, code="illegal")
    if turn.reply == "given":
        given_turns = turn.others or (None,) * game.players
        if len(given_turns) != game.players:
            raise VariationError(f"others: {len(given_turns)} turns are given for {game.players} players")
        for player in other_players:
            turns[player] = given_turns[player]
        return PreparedTurn(tuple(turns), {})
    if turn.reply == "known":
        next_round = None if context.log is None else context.log.rounds[game.round : game.round + 1]
        if not next_round:
            raise VariationError(
                f"reply 'known': the game has no turns after {game.round} rounds; choose another reply"
            )
        for player in other_players:
            turns[player] = legal_part(game, player, next_round[0].orders[player])
        return PreparedTurn(tuple(turns), {})
    believed = _believed_changes(context, game, turn)
    start = with_regions(game, believed) if believed else game
    setup = WorkerSetup.for_game(game.map, game.rules, game.players)
    questions = {
        player: BotQuery(
            setup,
            QueriedPosition.from_view(start.view(player)),
            turn.bot,
            derive_seed(context.tree.next, game.round, player),
        )
        for player in other_players
    }
    return PreparedTurn(tuple(turns), questions, believed)


def _believed_changes(context: _TreeContext, game: Game, turn: TriedTurn) -> tuple[Change, ...]:
    """Return the hidden regions in which the belief of the turn's player (its estimate) differs from the position.

    If the position follows a variation with the reply "believed", it already is the player's estimated position.
    """
    path = () if turn.parent is None else context.tree.path(turn.parent)
    if not game.rules.fog or any(node.reply == "believed" for node in path):
        return ()
    views, turns, offers, preferences = _history(context, path, turn)
    eliminated = [player for player in range(game.players) if not game.alive(player)]
    owner, army = believed_position(views, turns, eliminated, offers, preferences)
    return tuple(changes((game.owner.tolist(), game.army.tolist()), (owner.tolist(), army.tolist())))


def _history(
    context: _TreeContext, path: Sequence[Variation], turn: TriedTurn
) -> tuple[list[Any], list[Any], Any, Any]:
    """Return the views and the own turns of a player up to a position, its offers and its preferred regions."""
    seat = turn.seat
    offers: Sequence[int] = ()
    preferences: Sequence[int] = ()
    if context.log is None:
        game = context.positions(turn.round if not path else path[0].round).clone()
        steps: list[Sequence[Orders | None]] = []
    else:
        log, rounds = context.log, path[0].round if path else turn.round
        game = context.positions(0).clone()
        steps = [step.orders for step in log.rounds[:rounds]]
        picks = [step for step in log.steps if isinstance(step, Picks)]
        if len(picks) == 1 and log.start is not None and log.start.offers is not None:
            offers, preferences = log.start.offers[seat], (picks[0].preferences[seat] or ())
            preferences = [r for r in preferences if r in offers][: log.header.rules.picks or None]
    views, turns = [game.view(seat)], []
    for step in steps:
        game.play_round(step, on_illegal="skip")
        views.append(game.view(seat))
        turns.append(step[seat])
    for node in path:
        game.reseed(node.seed)
        game.play_round(node.turns)
        views.append(game.view(seat))
        turns.append(node.turns[seat])
    return views, turns, offers, preferences


def add_variation(
    target: LogTree | StudyTree, turn: TriedTurn, prepared: PreparedTurn, replies: dict[int, Orders]
) -> tuple[bytes, bytes]:
    """Play a turn that `prepare_turn` has prepared, with the turns that the bot has chosen for the other players.
    Return the bytes to save, and the new variation as JSON.

    Raises:
        VariationError: the tree has changed and does not contain the parent, or it is full.
    """
    context = _TreeContext(target)
    game = context.game_before(turn)
    turns, start = list(prepared.turns), with_regions(game, prepared.believed)
    for player, orders in replies.items():
        turns[player] = legal_part(start, player, orders)
    seed = derive_seed(context.tree.next, 0x7A) % 2**53 if turn.seed is None else turn.seed
    after, node = play_variation(game, turn.seat, turns, seed, turn.reply, turn.bot, prepared.believed)
    chances = _chances(after, context.absent(turn))
    tree = context.tree.added(replace(node, parent=turn.parent, chances=chances))
    new_tree = tree_data(tree)
    return context.saved(tree), encoded({"node": new_tree["nodes"][-1]["id"], **tree_document(new_tree)})


def _chances(game: Game, absent: frozenset[int]) -> Any:
    """Return the win probability of each player with its 95 % interval, in the form of `Variation.chances`.

    absent: the players that have resigned or failed.
    """
    if game.phase != "play":
        return tuple((1.0, 1.0, 1.0) if player == game.winner else (0.0, 0.0, 0.0) for player in range(game.players))
    setup = WorkerSetup.for_game(game.map, game.rules, game.players)
    owner, army = game.owner.tolist(), game.army.tolist()
    position = QueriedPosition(0, "play", game.round, owner, army, 0, (), 0)
    question = BotQuery(
        setup, position, None, game.round, win_probabilities=True, games=PLAYOUTS, absent=tuple(sorted(absent))
    )
    answer = Worker().answer(question)
    if answer.win_probabilities is None:
        raise RequestError(f"the position has no win probability: {answer.error}", 500)
    return tuple((share, low, high) for share, low, high in answer.win_probabilities)


def read_tree(target: LogTree | StudyTree) -> bytes:
    """Return the tree of variations with the names of its bots, as JSON; see `tree_document`."""
    return encoded(tree_document(tree_data(_TreeContext(target).tree)))


def annotate(
    target: LogTree | StudyTree, node: int | None, round_: int, name: str, comment: str
) -> tuple[bytes, bytes]:
    """Change the name and the comment of a variation, or with node None, of a position of the game."""

    def change(context: _TreeContext) -> Variations:
        if node is not None:
            return context.tree.annotated(node, name, comment)
        context.positions(round_)
        return context.tree.annotated_position(round_, name, comment)

    return _change_tree(target, change)


def delete(target: LogTree | StudyTree, node: int) -> tuple[bytes, bytes]:
    """Delete a variation and all variations that continue it."""
    return _change_tree(target, lambda context: context.tree.without(node))


def graft(target: LogTree | StudyTree, file: bytes) -> tuple[bytes, bytes]:
    """Add the variations in a study's file to a tree. The study must have a position of the game, or the same
    position."""

    def change(context: _TreeContext) -> Variations:
        study = Study.parse(file)
        try:
            game = context.positions(study.round)
        except LogError as error:
            raise StudyError(str(error)) from None
        require_same_start(study, game)
        return context.tree.grafted(study.variations, study.round)

    return _change_tree(target, change)


def _change_tree(target: LogTree | StudyTree, change: Callable[[_TreeContext], Variations]) -> tuple[bytes, bytes]:
    context = _TreeContext(target)
    tree = change(context)
    return context.saved(tree), encoded(tree_document(tree_data(tree)))


def study_of(target: LogTree | StudyTree, round_: int, title: str) -> bytes:
    """Return a study's file: a position of the game with its variations, or the whole study."""
    context = _TreeContext(target)
    if context.study is not None:
        return context.study.encoded()
    assert context.log is not None
    return Study.of_log(replace(context.log, variations=context.tree), round_, title).encoded()


def checked_study(data: bytes) -> bytes:
    """Return a study's file in the form in which the server saves it; raise `StudyError` for a damaged study."""
    study = Study.parse(data)
    if len(encoded(tree_data(study.variations))) > TREE_BYTES:
        raise StudyError(f"variations: more than {bounded_io.format_size(TREE_BYTES)}")
    return study.encoded()


@dataclass(frozen=True)
class NewStudy:
    """A new study. owner, army: the position; None: the map's start position, drawn from the seed."""

    title: str
    map: Map
    rules: Rules
    players: tuple[str, ...]
    seed: int
    owner: tuple[int, ...] | None = None
    army: tuple[int, ...] | None = None
    round: int = 0


def new_study(request: NewStudy) -> bytes:
    """Return the file of a new study; raise `StudyError` for a position that is not possible."""
    owner, army = request.owner, request.army
    if owner is None or army is None:
        game = Game(request.map, request.rules, len(request.players), request.seed, picks="random")
        owner, army = tuple(game.owner.tolist()), tuple(game.army.tolist())
    if not len(owner) == len(army) == request.map.n_regions:
        raise StudyError(f"position: {len(owner)} owners and {len(army)} armies for {request.map.n_regions} regions")
    study = Study(request.map, request.rules, request.players, owner, army, request.round, request.title)
    return Study.parse(study.encoded()).encoded()


def study_title(data: bytes) -> dict[str, Any]:
    """Return the list entry of a study: title, map, rules, number of players and of variations."""
    study = json.loads(data)
    map_data = study["map"]
    return {
        "title": study["title"],
        "map": maps.load(map_data).title if isinstance(map_data, str) else map_data.get("title") or map_data["name"],
        "rules": study["rules"]["name"],
        "players": len(study["players"]),
        "variations": len(study["variations"]["nodes"]),
    }


def study_json(data: bytes) -> bytes:
    """Return a study's document for the page, as JSON."""
    return encoded(study_document(Study.parse(data)))


def retitled(data: bytes, title: str) -> bytes:
    """Return a study's file with another title."""
    return Study.parse(replace(Study.parse(data), title=title).encoded()).encoded()


def game_in(target: LogTree | StudyTree) -> tuple[int, int, Rules]:
    """Return the numbers of players and regions of a game or study, and its rules."""
    context = _TreeContext(target)
    return context.players, context.map.n_regions, context.rules


def log_with(target: LogTree) -> bytes:
    """Return a log's file with its current variations, compressed."""
    context = _TreeContext(target)
    assert context.log is not None
    lines = log_lines(replace(context.log, variations=context.tree))
    return gzip.compress(b"".join(line + b"\n" for line in lines), 6)
