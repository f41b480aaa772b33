"""The class `ExternalBot`: an agent that plays with an external program through the text protocol."""

from __future__ import annotations

import contextlib
import itertools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from warlight_env.agents import Agent, AgentError, Budget
from warlight_env.arena.games.agent_errors import AgentProcessError, ForfeitError
from warlight_env.arguments import seed_of, short_repr
from warlight_env.beliefs.order_observer import OrderObserver
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.maps import Map
from warlight_env.protocol import messages as m
from warlight_env.protocol.answers import ParsedAnswer, expected_answer, parse_answer
from warlight_env.protocol.bot_faults import BotFault, BotFaults, FaultKind
from warlight_env.protocol.clock import BotClock
from warlight_env.protocol.engine_messages import (
    NAMES,
    challenge_of,
    opening_messages,
    orders_of,
    pick_question,
    reduce_placements,
    region_ids,
    round_messages,
)
from warlight_env.protocol.grammar import NO_MOVES, format_message, quote
from warlight_env.protocol.limits import check_limits
from warlight_env.protocol.options import ExternalBotOptions, read_options, split_options
from warlight_env.protocol.process import BotProcess, CommandError, Reply, check_command
from warlight_env.protocol.stderr import FILE_SIZE, TAIL_BYTES, ErrorReader
from warlight_env.thread_ownership import SingleThreaded

#: After this number of missing answers in a game, the bot fails: it receives no more questions in this game.
MAX_MISSED: Final = 2
#: The maximum number of orders in an answer if the rules set no limit. Further orders are ignored.
_MAX_ORDERS: Final = 1000
#: The maximum number of bytes of standard error that the description of a fault contains.
QUOTED_ERRORS: Final = 1000


class ExternalBot(SingleThreaded, Agent):
    """An agent for games of two players that asks an external program for its turns.

    Each game has its own process of the program. The process starts before the first question of the game, and `close`
    ends the process. `faults` lists the faults of the program in the current game.

    Args:
        command: the program and its arguments. The seed replaces the text ``{seed}`` in the program's name and in each
            argument.
        seed: the agent's seed, an integer.
        options: see `ExternalBotOptions`.

    Raises:
        CommandError: the program does not exist, this system cannot set the limits in `options`, or an argument has a
            wrong type.
    """

    counts_simulations = False  #: the protocol limits only the time of an answer; see `MatchSetup.check_clocks`

    warm_up_scope = "never"

    exclusive_methods = ("pick", "act")

    def __init__(self, command: Sequence[str], seed: int = 0, options: ExternalBotOptions | None = None) -> None:
        if options is not None and not isinstance(options, ExternalBotOptions):
            raise CommandError(f"options = {short_repr(options)}: must be ExternalBotOptions or None")
        if not isinstance(command, list | tuple) or not all(isinstance(word, str) for word in command):
            raise CommandError(f"command = {short_repr(command)}: must be a list of strings: a program and arguments")
        seed = seed_of(seed, CommandError)
        self.options = ExternalBotOptions() if options is None else options
        self.command = [word.replace("{seed}", str(seed)) for word in command]
        check_command(self.command, self.options.folder)
        check_limits(self.options.limits)
        self.name = f"cmd:{shlex.join(command)}"
        self.seed = seed
        #: A function that is called with "<" and each line from the bot, and with ">" and each line to the bot.
        self.on_line: Callable[[str, str], None] | None = None
        self._process: BotProcess | None = None
        self._reset()

    def _reset(self) -> None:
        self.close()
        self._faults = BotFaults()
        self._round = self._missed = 0
        self._flooded = False  # whether the fault about a very long standard error is already noted
        self._late_question: m.Question | None = None  # an earlier question if its late answer may still arrive
        self._last_step: tuple[int, int] | None = None
        self._observer = OrderObserver()

    # The methods of an agent

    def pick(self, view: View) -> list[int]:
        """Ask the external bot for its picks. See `Agent.pick`."""
        self._begin_turn(view)
        question = pick_question(view, self._challenge, self._clock.milliseconds)
        answer = self._ask(question, 0, self._clock)
        return [region - 1 for region in answer.regions] if isinstance(answer, m.PicksAnswer) else []

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Ask the bot for its deploys and its attacks. See `Agent.act`.

        If `budget` has a time bank or a number of seconds, this time replaces the bot's own clock for the two questions
        of the round (deploys and attacks).
        """
        if self._begin_turn(view) and self._challenge == 2 and view.starts is not None:
            self._send_messages([m.OpponentStartingRegions(region_ids(view.starts[1 - view.player]))])
        self._send_messages(round_messages(view, self._observer.observe(view)))
        clock = BotClock.for_budget(budget) or self._clock
        placements = self._ask(m.Go(m.PLACE, clock.milliseconds), view.round + 1, clock)
        moves = self._ask(m.Go(m.ATTACK, clock.milliseconds), view.round + 1, clock)
        return orders_of(
            self._reduced(placements, view) if isinstance(placements, m.PlaceOrders) else m.PlaceOrders(()),
            moves if isinstance(moves, m.MoveOrders) else m.MoveOrders(()),
        )

    def _reduced(self, placements: m.PlaceOrders, view: View) -> m.PlaceOrders:
        """Return the placements that `reduce_placements` returns. Note a fault if a placement was reduced."""
        placements, reduced = reduce_placements(placements, view)
        if reduced is not None:
            cause = f"a placement of more armies than are left of the income of {view.income} was reduced"
            order_text = quote(f"{reduced.player} {m.PLACE} {reduced.region} {reduced.armies}")
            self.faults.note(BotFault(view.round + 1, f"go {m.PLACE}", cause, order_text))
        return placements

    @property
    def faults(self) -> BotFaults:
        """The faults of the bot in the current game."""
        return self._faults

    def close(self) -> None:
        """End the bot's process and all its child processes. At the start of the next game, a new process starts."""
        if self._process is not None:
            process, self._process = self._process, None
            process.close()
            self._check_error_size(process.errors)
            if process.errors.problem is not None:
                cause = f"could not be written: {process.errors.problem}"
                self.faults.note(BotFault(self._round, "standard error", cause))
            if process.survivors:
                cause = (
                    f"{len(process.survivors)} processes could not be ended: "
                    f"{', '.join(map(str, process.survivors[:10]))}"
                )
                self.faults.note(BotFault(self._round, "processes", cause))

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raise an AgentError unless the game is for two players."""
        if players != 2:
            raise AgentError(f"agent {self.name!r}: the protocol is for games of two players, not {players}")

    def _check_error_size(self, errors: ErrorReader) -> None:
        """Note a fault, only once, if the bot writes more than `FILE_SIZE` bytes to standard error."""
        if errors.total > FILE_SIZE and not self._flooded:
            self._flooded = True
            cause = f"the bot wrote more than {FILE_SIZE} bytes; the last {TAIL_BYTES} bytes were kept"
            self.faults.note(BotFault(self._round, "standard error", cause, errors=errors.tail(200)))

    # The communication with the bot

    def _begin_turn(self, view: View) -> bool:
        """If a new game begins, start a process and send the first messages to this process.

        Return whether `view` is the first view of the first round.
        """
        step = (view.round + 1, 0) if view.phase == "play" else (0, view.map.n_regions - len(view.offers))
        last_step = self._last_step
        is_new_game = last_step is None or step <= last_step
        begins = view.phase == "play" and (last_step is None or is_new_game or last_step[0] == 0)
        if is_new_game:
            self.check(view.map, view.rules, view.players)
            self._reset()
            options = self.options
            self._challenge = options.challenge or challenge_of(view.rules)
            self._clock = BotClock.for_challenge(self._challenge, options.bank, options.increment)
            self._me = NAMES[view.player]
            self._max_orders = view.params.max_orders or _MAX_ORDERS
            file = None if options.errors is None else self._error_file(options.errors, step[0])
            self._process = BotProcess(self.command, options.folder, file, options.limits)
            self._send_messages(opening_messages(view, self._challenge, self._clock))
        self._last_step = step
        return begins

    def _error_file(self, folder: Path, round: int) -> Path | None:
        """Create a new file for the bot's standard error, and return its path.

        The name of the file contains a number, because both bots of a match may have the same name and seed. If the
        file cannot be created, note this fault in `faults` and return None; the bot plays without the file.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for number in itertools.count(1):
                path = folder / f"{Path(self.command[0]).name}-{self.seed:x}-{self._me}-{number}.txt"
                with contextlib.suppress(FileExistsError):
                    path.touch(exist_ok=False)
                    return path
        except OSError as error:
            cause = f"could not be written: {error.filename or folder}: {error.strerror or error}"
            self.faults.note(BotFault(round, "standard error", cause))
        return None

    def _send_messages(self, messages: Sequence[m.Message]) -> None:
        if self._process is not None:
            for message in messages:
                line = format_message(message)
                self._report_line(">", line)
                self._process.send(line)

    def _report_line(self, direction: str, line: str | None) -> None:
        if self.on_line is not None and line is not None:
            self.on_line(direction, line)

    def _ask(self, question: m.Question, round: int, clock: BotClock) -> m.Answer | None:
        """Ask the bot a question. Return the bot's answer, or None if no valid answer came. Note faults in `faults`."""
        if self._process is None:
            return None
        self._round = round
        self._check_error_size(self._process.errors)
        line = format_message(question)
        question_text = line if isinstance(question, m.Go) else " ".join(line.split()[:2])

        def note(cause: str, wrong_text: str = "", *, kind: FaultKind = "other", **fields: Any) -> None:
            self.faults.note(BotFault(round, question_text, cause, wrong_text, **fields), kind)

        reply = self._get_reply(line, clock, note)
        had_time = clock.remaining > 0 or clock is self._clock
        clock.spend(reply.seconds)
        if reply.text is None:
            self._note_missing(question, question_text, reply, had_time, note)
            return None
        parsed = parse_answer(question, reply.text, self._me, self._max_orders)
        for problem in parsed.problems:
            lost = _is_nonsense(parsed, reply.text)
            note(problem.reason, problem.text, expected=problem.expected, lost=lost, kind="unreadable")
        return parsed.answer

    def _note_missing(
        self, question: m.Question, question_text: str, reply: Reply, had_time: bool, note: Callable[..., None]
    ) -> None:
        """Note a missing answer. After the last missing answer that is allowed, close the process and raise an error.

        Args:
            question_text: the question as text for error messages.
            had_time: False if the clock of the match left no time for the second question of a turn. If `had_time` is
                False, the missing answer does not count.
        """
        assert self._process is not None
        form = "" if reply.lost else expected_answer(question)
        cause = reply.cause or "no answer"
        errors = self._process.errors.tail(QUOTED_ERRORS)
        note(cause, expected=form, errors=errors, lost=True, kind="late" if reply.late else "missing")
        self._missed += had_time
        if self.options.policy == "forfeit":
            self.close()
            raise ForfeitError(f"{question_text}: {cause}", errors)
        if reply.lost or self._missed >= MAX_MISSED:
            reason = "the process has ended" if reply.lost else f"{self._missed} answers are missing"
            if self.options.policy == "skip":
                note(f"{reason}: the bot receives no more questions")
            self.close()
            if self.options.policy is None:
                raise AgentProcessError(f"{question_text}: {cause}" + ("" if reply.lost else f" ({reason})"), errors)
        elif reply.late:
            self._late_question = question

    def _get_reply(self, line: str, clock: BotClock, note: Callable[..., None]) -> Reply:
        """Send a question and return the reply.

        Ignore a late answer to the previous question and, in challenge 1, blank lines.
        """
        assert self._process is not None
        seconds = clock.remaining
        self._report_line(">", line)
        reply = self._process.ask(line, seconds)
        self._report_line("<", reply.text)
        if reply.stale:
            note(f"{reply.stale} bytes that came without a question were dropped", quote(reply.stale_text))
        elapsed = reply.seconds
        while reply.text is not None:
            if self._late_question is not None and _can_answer(self._late_question, reply.text):
                note("a late answer to the previous question was dropped", quote(reply.text))
                self._late_question = None
            elif reply.text.strip() or self._challenge == 2:
                self._late_question = None
                break
            reply = self._process.wait(seconds - elapsed)
            self._report_line("<", reply.text)
            elapsed += reply.seconds
        cause = clock.missing(seconds) if reply.late else reply.cause
        return replace(reply, seconds=elapsed, cause=cause)


def external_bot(seed: int, text: str) -> ExternalBot:
    """Return the agent of the specification ``cmd:COMMAND`` or ``cmd[OPTION=VALUE,…]:COMMAND``.

    The options are the fields of `ExternalBotOptions`. The command is split into words as in a shell, but the program
    runs without a shell.

    Args:
        seed: the agent's seed.
        text: the specification without its first word ``cmd``.

    Raises:
        AgentError: a part of the specification is not valid; the message names it.
    """
    options, command = split_options(text, "cmd", "COMMAND")
    try:
        return ExternalBot(shlex.split(command), seed, read_options(options))
    except (CommandError, ValueError) as error:
        raise AgentError(f"agent 'cmd:{command}': {error}") from None


def _is_nonsense(parsed: ParsedAnswer, text: str) -> bool:
    """Return whether an answer has text, but no valid part."""
    answer = parsed.answer
    valid_parts = answer.regions if isinstance(answer, m.PicksAnswer) else answer.orders
    return not valid_parts and text.strip().lower() not in ("", NO_MOVES.lower())


def _can_answer(question: m.Question, text: str) -> bool:
    """Return whether a text can be an answer to this question: orders of the same type, or only ids for a pick."""
    if isinstance(question, m.Go):
        return question.kind in text.lower()
    return text.replace(" ", "").isdecimal()
