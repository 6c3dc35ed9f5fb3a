"""One game on the server: the server's messages and our answers.

The server has the truth. A connection may break at any moment; after it, the game is what the next
`gamedata` says. A move that we have chosen is remembered with the number of the move it is, and
sent again only if the server, asked after the sending, does not have it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from dlgo.api import GameState, Move, Player, Point
from dlgo.errors import DlgoError
from dlgo.text import error_text, excerpt
from engines.base import Decision
from experiments.gtp.session import empty_points
from experiments.online import position as positions
from experiments.online import protocol
from experiments.online.clocks import seconds_for_a_move
from experiments.online.connection import Connection, Pauses
from experiments.online.player import OnlinePlayer
from experiments.online.position import Position, in_play
from experiments.online.protocol import FINISHED, PLAY, SCORING, GameData, ProtocolError

# Failures of the engine at one move after which the game is resigned.
MOST_FAILURES = 3
# Moves of ours that the server may refuse at one turn before we pass.
_MOST_REFUSED = 20
# How often we put our marks of dead stones in the place of others.
_MOST_MARKS = 5
# Seconds between two questions about a game of which we hear nothing that we understand, at most.
_LONGEST_PAUSE = 600.0
_SORRY = "My engine failed, so I resign. Thank you for the game."
_CANNOT_FOLLOW = "I cannot continue: {}. I will move as soon as the position changes."
_NO_UNDO = "Sorry, this bot does not accept undo requests."


@dataclass
class _Chosen:
    number: int  # how many moves were before it
    move: Move
    # Of the engine; None for handicap stones and resignations for its failures.
    decision: Decision | None = None
    epoch: int = 0  # of the connection over which it was sent; 0: not yet
    asked: bool = False  # whether the server has been asked since how the game stands
    doubted: bool = False  # whether it has complained since


class OnlineGame:
    """A game. `log` prints a line about it; `on_end` is called when it has ended."""

    def __init__(
        self, id: int, connection: Connection, player: OnlinePlayer,
        log: Callable[[str], None], pauses: Pauses, greeting: str = "",
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.id = id
        self.data: GameData | None = None  # as the server has told it
        self.finished = False
        self._connection, self._player, self._pauses = connection, player, pauses
        self._log, self._greeting, self._on_end = log, greeting, on_end
        self._position: Position | None = None
        self._final = False  # whether gamedata has said that it is over
        # After two passes, play goes on only if the server says so after the second.
        self._may_go_on = False
        self._heard = 0  # the connection over which gamedata has come last
        self._chosen: _Chosen | None = None
        self._refused: set[Move] = set()
        # Marks of dead stones that have had an answer, with the connection over which.
        self._answered: tuple[int, frozenset[Point]] | None = None
        self._marks = 0
        self._told_no_undo = self._told_illegal = False
        self._complaint = ""
        # What it does beside listening (think, count, wait ...): of each kind one at a time.
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._thinks_at = -1  # the number of the move
        self._prepared = False

    # --- what the server says ---

    def connect(self) -> None:
        """Ask the server for all about the game, and for its news from now on."""
        self._send("connect")
        if self._heard != self._connection.epoch:
            self._start("listen", self._wait_for_data(self._connection.epoch))

    def _send(self, command: str, **data: Any) -> bool:
        return self._connection.send(f"game/{command}", {"game_id": self.id, **data})

    async def _wait_for_data(self, epoch: int) -> None:
        """Ask again if nothing comes, or nothing that makes sense: ever more seldom."""
        pause = self._pauses.echo
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            if self._heard == epoch or self._connection.epoch != epoch:
                return
            self._send("connect")

    def receive(self, event: str, data: Any) -> None:
        """An event of this game, such as `move`. Raises ProtocolError if it cannot be."""
        match event:
            case "gamedata":
                self._take_game(data)
            case "move":
                self._take_move(data)
            case "clock" if self.data is not None and isinstance(data, dict):
                self.data = replace(self.data, clock=data)
            case "phase" if self.data is not None and isinstance(data, str):
                # The result, or what has been marked, comes with gamedata.
                self.data = replace(self.data, phase=data)
                self._may_go_on = True
                self.connect()
            case "removed_stones" if self.data is not None and isinstance(data, dict):
                marked = protocol.parse_points(data.get("all_removed") or "", self.data.size)
                self.data = replace(self.data, removed=marked)
            case "removed_stones_accepted" | "undo_accepted":
                self.connect()
            case "undo_requested":
                if not self._told_no_undo:
                    self._told_no_undo = True
                    self._chat(_NO_UNDO)
            case "error":
                self._log(f"the server says: {excerpt(str(data), 200)}")
                chosen = self._chosen
                if chosen and chosen.epoch == self._connection.epoch and not chosen.asked:
                    chosen.doubted = chosen.asked = True
                    self.connect()
            case _:
                return
        self._act()

    def _take_game(self, raw: Any) -> None:
        try:
            data = protocol.parse_game(raw)
            if data.id != self.id:
                raise ProtocolError(f"this is game {data.id}")
            known = self._position is not None and _course(data) == _course(self.data)
            position = self._position if known else positions.follow(data)
        except ProtocolError as error:
            self._complain(str(error))
            if isinstance(error, positions.IllegalOnServer) and not self._told_illegal:
                self._told_illegal = True
                self._chat(_CANNOT_FOLLOW.format(error))
            return
        if self._colour_in(data) is None:
            self._complain("the bot is not a player of this game")
            return
        if self.data is None:
            self._announce(data)
        if not known:
            self._stop_thinking()
            self._refused.clear()
            self._chosen = None
        self._complaint, self._final, self._may_go_on = "", data.phase == FINISHED, True
        self.data, self._position, self._heard = data, position, self._connection.epoch
        self._review_chosen()

    def _review_chosen(self) -> None:
        """Drop our move if the server has it or rejects it; send it again if it was lost."""
        chosen = self._chosen
        if chosen is None:
            return
        if chosen.number != len(self.data.moves) or self.data.phase != PLAY:
            self._chosen = None
        elif chosen.epoch == self._connection.epoch and chosen.asked:
            if not chosen.doubted:
                chosen.epoch = 0
            elif chosen.move.is_play:
                self._refused.add(chosen.move)
                self._choose_another(chosen)
            else:  # nothing else is left; but not as fast as the server can refuse it
                chosen.asked = chosen.doubted = False

    def _choose_another(self, chosen: _Chosen) -> None:
        """The best move that is not refused: by the engine's policy, or any sensible one."""
        state = in_play(self._position.state)
        self._log(f"the server refuses {state.game.move_text(chosen.move)}; playing another move")
        policy = chosen.decision.policy if chosen.decision is not None else {}
        ranked = sorted(policy, key=policy.__getitem__, reverse=True)
        allowed = (
            move for move in (*ranked, *state.sensible_moves())
            if move not in self._refused and state.is_valid_move(move)
        )
        move = Move.pass_turn()
        if len(self._refused) < _MOST_REFUSED:
            move = next(allowed, move)
        self._chosen = _Chosen(chosen.number, move, chosen.decision)

    def _take_move(self, data: Any) -> None:
        if self.data is None or self._heard != self._connection.epoch:
            return  # all of it comes with gamedata
        if not isinstance(data, dict):
            raise ProtocolError(f"{str(data)[:60]!r} is not a move")
        number = int(protocol.number(data, "move_number"))
        move = protocol.parse_move(data.get("move"), self.data.size)
        have = len(self.data.moves)
        if 0 < number <= have and self.data.moves[number - 1] == move:
            return  # said twice
        if number != have + 1:
            self.connect()
            return
        later = self.data.with_move(move)
        try:
            self._position = positions.after(self._position, later, move)
        except ProtocolError:
            self.connect()  # perhaps this message alone was wrong
            raise
        self._stop_thinking()
        self.data, self._may_go_on = later, False
        self._refused.clear()
        if self._chosen is not None and self._chosen.number < number:
            self._chosen = None

    def _complain(self, reason: str) -> None:
        """Report a game that we cannot follow; it waits for the server."""
        if reason != self._complaint:
            self._complaint = reason
            self._log(f"the bot cannot continue this game: {reason}. Its clock runs until the "
                      "server shows another position, or you end the game there")

    def _announce(self, data: GameData) -> None:
        colour = self._colour_in(data)
        opponent = data.players[colour.other.index][1]
        go_on = f", move {len(data.moves) + 1}" if data.moves else ""
        self._log(f"{data.size}x{data.size} against {opponent}, as {colour.name}, komi "
                  f"{data.komi:g}, {data.rules} rules{go_on}")
        if self._greeting and len(data.moves) < 2 and data.phase == PLAY:
            self._chat(self._greeting)

    def _chat(self, text: str) -> None:
        moves = self.data.moves if self.data is not None else ()
        self._send("chat", type="main", move_number=len(moves), body=text)

    # --- what we do ---

    def _start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        self._stop(name)
        task = self._tasks[name] = asyncio.create_task(work)
        task.add_done_callback(self._tell_fault)

    def _stop(self, name: str) -> None:
        """Stop the task of this name, unless it is the caller."""
        task = self._tasks.pop(name, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def _tell_fault(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._log(f"internal error: {error_text(task.exception())}")

    def _colour_in(self, data: GameData) -> Player | None:
        ids = [player[0] for player in data.players]
        bot = self._connection.bot[0]
        return Player.from_index(ids.index(bot)) if bot in ids else None

    def _act(self) -> None:
        data, epoch = self.data, self._connection.epoch
        if data is None or self.finished:
            return
        if data.phase != SCORING:
            self._stop("count")
        if data.phase == FINISHED:
            if self._final:
                self._end()
            else:
                self._start("wait", self._wait_for_result())
        elif data.phase == PLAY and (self._may_go_on or not self._position.state.is_over()):
            self._answered = None  # what was accepted holds no more
            self._move()
        elif data.phase == SCORING:
            self._stop_thinking()
            if self._heard == epoch and self._answered != (epoch, data.removed):
                self._start("count", self._agree(data, self._position.state))

    def _move(self) -> None:
        if self._position.player is not self._colour_in(self.data):
            self._stop_thinking()
            if not self._prepared:  # its process can start meanwhile
                self._prepared = True
                state = in_play(self._position.state)
                self._start("prepare", self._player.prepare(str(self.id), state))
            return
        number = len(self.data.moves)
        if self._chosen is not None and self._chosen.number == number:
            self._send_chosen()
        elif self._thinks_at != number:
            self._thinks_at = number
            self._start("think", self._think(number))

    async def _think(self, number: int) -> None:
        """Choose a move, however often the engine fails, or resign."""
        if "prepare" in self._tasks:
            await asyncio.wait([self._tasks["prepare"]])
        self._prepared = True
        self._chosen, failures = None, 0
        while self._chosen is None:
            try:
                self._chosen = await self._choose(number, failures)
            except Exception as error:  # whatever it is, the game goes on
                failures += 1
                wrong = str(error) if isinstance(error, DlgoError) else error_text(error)
                if failures < MOST_FAILURES:
                    self._log(f"{wrong}; trying again")
                    await asyncio.sleep(self._pauses.retry)
                else:
                    self._log(f"{wrong}; {failures} failures in a row: resigning this game")
                    self._chat(_SORRY)
                    self._chosen = _Chosen(number, Move.resign())
        self._send_chosen()

    async def _choose(self, number: int, failures: int) -> _Chosen:
        state = in_play(self._position.state)
        if self._position.to_place:
            return _Chosen(number, positions.handicap_stone(self.data, self._position.state))
        seconds = seconds_for_a_move(
            self.data, state.next_player, empty_points(state), self._connection.server_time()
        )
        decision = await self._player.choose(str(self.id), state, seconds, failures)
        state.apply_move(decision.move)  # raises what is wrong with it
        return _Chosen(number, decision.move, decision)

    def _send_chosen(self) -> None:
        chosen, epoch = self._chosen, self._connection.epoch
        if chosen.epoch == epoch or self._heard != epoch:
            return
        if chosen.move.is_resign:
            sent = self._send("resign")
        else:
            sent = self._send("move", move=protocol.format_move(chosen.move, self.data.size))
        if sent:
            chosen.epoch, chosen.asked, chosen.doubted = epoch, False, False
            self._start("wait", self._wait_for_echo(chosen, epoch))

    async def _wait_for_echo(self, chosen: _Chosen, epoch: int) -> None:
        """Wait until the server confirms our move; ask for the game from time to time."""
        while True:
            await asyncio.sleep(self._pauses.echo)
            if chosen is not self._chosen or epoch != self._connection.epoch:
                return
            chosen.asked = True
            self.connect()

    async def _agree(self, data: GameData, state: GameState) -> None:
        """Accept the marked dead stones, or mark others; when both accept the same, it ends."""
        epoch = self._connection.epoch
        await asyncio.sleep(self._pauses.settle)
        dead = await asyncio.to_thread(
            positions.stones_to_accept, state, data.removed, self._colour_in(data))
        if dead != data.removed and self._marks >= _MOST_MARKS:
            self._log("no agreement about dead stones; the server decides")
            self._answered = epoch, data.removed
            return
        for removed, points in ((True, dead - data.removed), (False, data.removed - dead)):
            if points:
                stones = protocol.format_points(points, data.size)
                self._send("removed_stones/set", removed=removed, stones=stones)
        self._marks += dead != data.removed
        self._answered = epoch, dead
        stones = protocol.format_points(dead, data.size)
        self._send("removed_stones/accept", stones=stones, strict_seki_mode=False)

    async def _wait_for_result(self) -> None:
        """The phase was enough to know that it is over; the result comes with gamedata."""
        await asyncio.sleep(self._pauses.echo)
        if not self.finished:
            self._end()

    def _end(self) -> None:
        self.close()
        self.finished = True
        winner = self.data.winner
        result = "no winner" if winner is None else (
            "won" if winner == self._connection.bot[0] else "lost"
        )
        self._log(f"finished: {result} ({self.data.outcome or 'no outcome given'})")
        self._send("disconnect")
        self._on_end()

    def _stop_thinking(self) -> None:
        self._thinks_at = -1
        self._stop("think")

    def close(self) -> None:
        """End what is under way here; on the server the game stays as it is."""
        for name in list(self._tasks):
            self._stop(name)


def _course(data: GameData) -> tuple[Any, ...]:
    return (data.size, data.rules, data.komi, data.handicap, data.black_stones,
            data.white_stones, data.white_begins, data.moves)
