"""One game on the server: what the server says of it, and what we answer.

The server has the truth. A connection may break at any moment; after it, the game is what the next
`gamedata` says. A move that we have chosen is remembered with the number of the move it is, and
sent again only if the server, asked after the sending, does not have it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dlgo.api import Move, Player
from dlgo.errors import DlgoError
from dlgo.text import error_text, excerpt
from engines.base import Decision
from experiments.gtp.session import empty_points
from experiments.online import position as positions
from experiments.online import protocol
from experiments.online.clocks import seconds_for_a_move
from experiments.online.connection import Connection, Pauses
from experiments.online.counting import Agreement
from experiments.online.player import OnlinePlayer, best_allowed
from experiments.online.position import Position, in_play
from experiments.online.protocol import FINISHED, PLAY, SCORING, GameData, ProtocolError
from experiments.online.tasks import Tasks

# Failures of the engine at one move after which the game is resigned.
MOST_FAILURES = 3
# Moves of ours that the server may refuse at one turn before we pass.
_MOST_REFUSED = 20
# Seconds between two questions about a game of which we hear nothing that we understand, at most.
_LONGEST_PAUSE = 600.0
_SORRY = "My engine has failed, so I resign. Thank you for the game."
_CANNOT_FOLLOW = "I cannot go on: {}. I move again as soon as the position is another one."
_NO_UNDO = "I do not take moves back."


@dataclass
class _Chosen:
    """Our move.

    Attributes:
        number: how many moves were before it.
        decision: of the engine; None for handicap stones and resignations for its failures.
        epoch: of the connection over which it was sent; 0: not yet.
        asked: whether the server has been asked since how the game stands.
        doubted: whether it has complained since.
    """

    number: int
    move: Move
    decision: Decision | None = None
    epoch: int = 0
    asked: bool = False
    doubted: bool = False


class OnlineGame:
    """A game. `say` prints a line about it, `on_end` is called when it has ended.

    Attributes:
        data: as the server has told it; None before that.
        finished: whether it has ended.
    """

    def __init__(
        self, id: int, connection: Connection, player: OnlinePlayer,
        say: Callable[[str], None], pauses: Pauses, greeting: str = "",
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.id = id
        self.data: GameData | None = None
        self.finished = False
        self._connection, self._player, self._pauses = connection, player, pauses
        self._say, self._greeting, self._on_end = say, greeting, on_end
        self._position: Position | None = None
        self._final = False  # whether gamedata has said that it is over
        # After two passes, play goes on only if the server says so after the second.
        self._may_go_on = False
        self._heard = 0  # the connection over which gamedata has come last
        self._chosen: _Chosen | None = None
        self._refused: set[Move] = set()
        self._agreement = Agreement(connection, pauses.settle, say)
        self._told_no_undo = self._told_illegal = False
        self._complaint = ""
        self._tasks = Tasks(say)
        self._thinks_at = -1  # the number of the move
        self._prepared = False

    # --- what the server says ---

    def connect(self) -> None:
        """Ask the server for all about the game, and for its news from now on."""
        self._connection.send("game/connect", {"game_id": self.id})
        if self._heard != self._connection.epoch:
            self._tasks.start("listen", self._wait_for_data(self._connection.epoch))

    async def _wait_for_data(self, epoch: int) -> None:
        """Ask again if nothing comes, or nothing that makes sense: ever more seldom."""
        pause = self._pauses.echo
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            if self._heard == epoch or self._connection.epoch != epoch:
                return
            self._connection.send("game/connect", {"game_id": self.id})

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
                self._decline_undo()
            case "error":
                self._take_error(data)
            case _:
                return
        self._act()

    def _take_game(self, raw: Any) -> None:
        try:
            data = protocol.parse_game(raw)
            if data.id != self.id:
                raise ProtocolError(f"this is game {data.id}")
            old = self.data
            known = old is not None and self._position is not None and (
                _course(data) == _course(old)
            )
            position = self._position if known else positions.follow(data)
        except ProtocolError as error:
            self._complain(str(error))
            if isinstance(error, positions.IllegalOnServer) and not self._told_illegal:
                self._told_illegal = True
                self._chat(_CANNOT_FOLLOW.format(error))
            return
        if self._colour_in(data) is None:
            self._complain("we do not play in it")
            return
        if old is None:
            self._announce(data)
        if not known:
            self._stop_thinking()
            self._refused.clear()
            self._chosen = None
        self._complaint, self._final, self._may_go_on = "", data.phase == FINISHED, True
        self.data, self._position, self._heard = data, position, self._connection.epoch
        self._review_chosen()

    def _review_chosen(self) -> None:
        """Forget our move if the server has it or refuses it; send it again if it got lost."""
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
        text = self._position.state.game.move_text(chosen.move)
        self._say(f"the server refuses {text}; playing another move")
        decision = chosen.decision or Decision(chosen.move)
        move = Move.pass_turn()
        if len(self._refused) < _MOST_REFUSED:
            move = best_allowed(decision, self._refused, in_play(self._position.state))
        self._chosen = _Chosen(chosen.number, move, decision)

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

    def _take_error(self, data: Any) -> None:
        self._say(f"the server says: {excerpt(str(data), 200)}")
        chosen = self._chosen
        if chosen is not None and chosen.epoch == self._connection.epoch and not chosen.asked:
            chosen.doubted = True
            self._ask_again(chosen)

    def _ask_again(self, chosen: _Chosen) -> None:
        chosen.asked = True
        self.connect()

    def _decline_undo(self) -> None:
        if not self._told_no_undo:
            self._told_no_undo = True
            self._chat(_NO_UNDO)

    def _complain(self, reason: str) -> None:
        """A game that we cannot follow stays as it is until the server says something else."""
        if reason != self._complaint:
            self._complaint = reason
            self._say(f"cannot be followed: {reason}. Our clock runs until the server shows "
                      "another position, or you end the game there")

    def _announce(self, data: GameData) -> None:
        colour = self._colour_in(data)
        opponent = data.players[colour.other.index][1]
        go_on = f", move {len(data.moves) + 1}" if data.moves else ""
        self._say(f"{data.size}x{data.size} against {opponent}, as {colour.name}, komi "
                  f"{data.komi:g}, {data.rules} rules{go_on}")
        if self._greeting and len(data.moves) < 2 and data.phase == PLAY:
            self._chat(self._greeting, 0)

    def _chat(self, text: str, number: int | None = None) -> None:
        number = len(self.data.moves) if number is None and self.data else number or 0
        self._connection.send("game/chat", {
            "game_id": self.id, "type": "main", "move_number": number, "body": text,
        })

    # --- what we do ---

    def _colour_in(self, data: GameData) -> Player | None:
        ids = [player[0] for player in data.players]
        bot = self._connection.bot[0]
        return Player.from_index(ids.index(bot)) if bot in ids else None

    def _act(self) -> None:
        """Do what there is to do now, if anything."""
        data, epoch = self.data, self._connection.epoch
        if data is None or self.finished:
            return
        if data.phase != SCORING:
            self._tasks.stop("count")
        if data.phase == FINISHED:
            if self._final:
                self._end()
            else:
                self._tasks.start("wait", self._wait_for_result())
        elif data.phase == PLAY and (self._may_go_on or not self._position.state.is_over()):
            self._agreement.forget()
            self._move()
        elif data.phase == SCORING:
            self._stop_thinking()
            if self._heard == epoch and self._agreement.is_open(data):
                self._tasks.start("count", self._agreement.answer(
                    data, self._position.state, self._colour_in(data)))

    def _move(self) -> None:
        colour = self._colour_in(self.data)
        if self._position.player is not colour:
            self._stop_thinking()
            if not self._prepared:  # its process can start meanwhile
                self._prepared = True
                state = in_play(self._position.state)
                self._tasks.start("prepare", self._player.prepare(str(self.id), state))
            return
        number = len(self.data.moves)
        if self._chosen is not None and self._chosen.number == number:
            self._send_chosen()
        elif self._thinks_at != number:
            self._thinks_at = number
            self._tasks.start("think", self._think(number))

    async def _think(self, number: int) -> None:
        """Choose a move, however often the engine fails, or resign."""
        await self._tasks.wait("prepare")
        self._prepared = True
        failures = 0
        while True:
            try:
                self._chosen = await self._choose(number, failures)
                break
            except Exception as error:  # whatever it is, the game goes on
                wrong = str(error) if isinstance(error, DlgoError) else error_text(error)
            failures += 1
            if failures >= MOST_FAILURES:
                self._say(f"{wrong}; {failures} failures in a row: resigning this game")
                self._chat(_SORRY)
                self._chosen = _Chosen(number, Move.resign())
                break
            self._say(f"{wrong}; trying again")
            await asyncio.sleep(self._pauses.retry)
        self._send_chosen()

    async def _choose(self, number: int, failures: int) -> _Chosen:
        """Our move. Raises whatever goes wrong."""
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
        """Send our move, unless it was sent over this connection, or the game is not known yet."""
        chosen, epoch = self._chosen, self._connection.epoch
        if chosen.epoch == epoch or self._heard != epoch:
            return
        if chosen.move.is_resign:
            sent = self._connection.send("game/resign", {"game_id": self.id})
        else:
            text = protocol.format_move(chosen.move, self.data.size)
            sent = self._connection.send("game/move", {"game_id": self.id, "move": text})
        if sent:
            chosen.epoch, chosen.asked, chosen.doubted = epoch, False, False
            self._tasks.start("wait", self._wait_for_echo(chosen, epoch))

    async def _wait_for_echo(self, chosen: _Chosen, epoch: int) -> None:
        """Until the server has told our move: ask from time to time how the game stands."""
        while True:
            await asyncio.sleep(self._pauses.echo)
            if chosen is not self._chosen or epoch != self._connection.epoch:
                return
            self._ask_again(chosen)

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
        self._say(f"finished: {result} ({self.data.outcome or 'no outcome given'})")
        self._connection.send("game/disconnect", {"game_id": self.id})
        self._on_end()

    def _stop_thinking(self) -> None:
        self._thinks_at = -1
        self._tasks.stop("think")

    def close(self) -> None:
        """End what is under way here; on the server the game stays as it is."""
        self._tasks.close()


def _course(data: GameData) -> tuple[Any, ...]:
    """All that decides about the position."""
    return (data.size, data.rules, data.komi, data.handicap, data.black_stones,
            data.white_stones, data.white_begins, data.moves)

