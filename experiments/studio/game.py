"""Games in progress: players, costs, undo, hints, and the moves of engines.

A `Game` belongs to the server's event loop. Each watcher gets a new view after every change;
engines move only while the game has watchers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from dlgo import DlgoError, GameState, Player
from dlgo.records.costs import MoveCost
from dlgo.text import one_line
from experiments.gtp.session import empty_points
from experiments.play.game_file import SavedGame
from experiments.studio import counting, ending, opponents, position
from experiments.studio.clocks import Clocks
from experiments.studio.engines import Engines, can_hurry
from experiments.studio.replies import Changes, Events, StudioError, error_words
from experiments.studio.seats import Seat, Seats
from experiments.studio.specs import HUMAN
from experiments.studio.tree import Tree
from experiments.studio.turn_records import Record, add_costs, play_turn, records_of

# Moves of one game; beyond, it can be looked at but not played on.
LONGEST_GAME = 2000
# Moves listed with a hint.
_HINT_MOVES = 8
_ALL_TIME = "the clocks start with the full time: the file does not record the time left"


class Game:
    """One game between two players.

    Args:
        saved: the start; its moves can be taken back, too.
        players: black's and white's: `human`, or an engine's specification.
        delay: seconds between the moves of two engines.
        clock: as `read_clock` takes it.
    """

    def __init__(
        self, saved: SavedGame, players: tuple[str, str], engines: Engines, seed: int = 0,
        delay: float = 0.5, clock: str = "",
    ) -> None:
        self.seats = Seats()
        self.read, self.state, self.players = saved, saved.state, players
        self.clocks, self.delay = Clocks(clock, self._end_on_time), delay
        self.watchers = self._players_here = 0  # pages that show it, and those of players
        self.used = self._since = time.monotonic()  # looked at or changed last
        self._engines, self._seed = engines, seed
        self.on_change: Callable[[Game], None] = lambda game: None
        self._records = records_of(saved.state)
        self._tree: Tree | None = None
        self._board = position.board_view(saved.state.game)
        self._position = position.position_view(saved.state)
        self._paused = self._single = False  # single: one more move of an engine, though paused
        self._assisted = bool(self._records)  # by a hint, a move taken back, or moves of a file
        self._resting = False  # between the moves of two engines
        self._hurried = False  # the engine that thinks has to move now
        self._problem = self._thinking = ""
        self._hint: dict[str, Any] | None = None
        self.count = counting.count_in(saved)  # of the last position
        self._search: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._changes = Changes()

    @property
    def id(self) -> str:
        """Its name, which nobody can guess."""
        return self.seats.maker

    @property
    def plies(self) -> int:
        """How many moves have been made."""
        return self._records[-1].plies if self._records else 0

    @property
    def over(self) -> bool:
        """Whether the game has ended, by the rules or on time."""
        return self.state.is_over() or self.clocks.late is not None

    @property
    def saved(self) -> SavedGame:
        """The game with everything that its file should contain."""
        read = self.read if self._tree is None else replace(self.read, root=self._tree.root)
        read = read.up_to(self.state)
        if self.count is not None and read.root is not None:
            counting.write_count(read.root.main_line()[-1], self.count)
        return ending.saved_game(read, self.clocks)

    def resume_clocks(self) -> None:
        """Set the clocks to the time left that the game's file notes, and pause the game."""
        if self.clocks.text and self.read.root is not None and self.plies:
            self._paused = True
            if not self.clocks.read_left(self.read.root):
                self.read = replace(self.read, notes=(*self.read.notes, _ALL_TIME))

    def kept(self) -> dict[str, Any]:
        """What a file of the game has no place for, as `restore` takes it."""
        return {
            "players": self.players, "seed": self._seed, "delay": self.delay,
            "clock": self.clocks.text, "clocks": self.clocks.kept(), "paused": self._paused,
            "assisted": self._assisted, "records": [asdict(record) for record in self._records],
        }

    def restore(self, name: str, state: dict[str, Any]) -> None:
        """Continue the game of that name. Raises ValueError, LookupError or TypeError."""
        self.seats.maker, self.seats.links = name, state.get("summary", {}).get("links", {})
        self._paused, self._assisted = state["paused"], state["assisted"]
        plies, self._records = self.plies, [Record(**record) for record in state["records"]]
        if self.plies != plies:
            raise ValueError("its moves are others")
        self.clocks.restore(state["clocks"])

    @property
    def tree(self) -> Tree:
        """The game with its variations."""
        if self._tree is None:
            self._tree = Tree(self.state, self.read.root)
        elif self.watchers:  # it is played on meanwhile
            self._tree.lead_to(self.state)
        return self._tree

    def follow_tree(self) -> None:
        """Make the main line of the tree the game, if it has changed."""
        state = self.tree.root.main_line()[-1].state
        if state is not self.state and not self.watchers:
            self._records = records_of(state)
            self._move_to(state, position.position_view(state))

    def add_costs(self, costs: Sequence[MoveCost]) -> None:
        """Add the costs that a ledger stores for the moves of its game."""
        add_costs(self._records, costs, (self.read.black, self.read.white))

    # What is asked for.

    async def play(self, text: str, plies: int | None = None) -> None:
        """Play a person's turn; the page shows the game after `plies` moves.

        Raises DlgoError if the turn is illegal, an engine is to move, or others have moved.
        """
        state = self.state
        self._check_unchanged(state, plies)
        if not state.is_over() and self.players[state.next_player.index] != HUMAN:
            raise StudioError("it is the engine's turn; wait for its move")
        wall = time.monotonic() - self._since
        successor, view, record = await asyncio.to_thread(
            lambda: play_turn(state, position.find_turn(state, text), HUMAN))
        record.wall = wall
        self._check_unchanged(state)
        if self.clocks.late is not None:
            raise StudioError(f"the game is over: {ending.time_text(self.clocks, state.game)}")
        if record.plies > LONGEST_GAME:
            raise StudioError(f"a game here has at most {LONGEST_GAME} moves; save it to a file")
        self._move_to(successor, view, record)

    async def undo(self, seat: Seat) -> None:
        """Take back a person's last turn; of two engines, the last turn. Raises StudioError, also
        if another seat has moved since."""
        has_person = HUMAN in self.players
        place = len(self._records) - 1
        while has_person and place >= 0 and self.players[self._records[place].player] != HUMAN:
            place -= 1
        if place < 0:
            raise StudioError("you have not moved yet: there is nothing to take back")
        if any(self.players[record.player] == HUMAN and record.player not in seat.sides
               for record in self._records[place:]):
            raise StudioError("the other player has moved; only your own last move is taken back",
                              403)
        current = self.state
        state = self.state_at(self._records[place - 1].plies if place else 0)
        view = await asyncio.to_thread(position.position_view, state)
        self._check_unchanged(current)
        self._paused, self._assisted = self._paused or not has_person, True
        del self._records[place:]
        self._move_to(state, view)

    def set_players(self, players: tuple[str, str]) -> None:
        """Change the players."""
        self._stop()
        self.players, self._problem = players, ""
        self.prepare()
        self._change()

    def set_paused(self, paused: bool, step: bool = False) -> None:
        """Pause or continue the engines and clocks, also after a failure; with `step`, one more
        move of an engine comes before the pause."""
        self._paused, self._single, self._problem = paused, step, ""
        if (paused and not step) or self._resting:
            self._stop()
        self._change()

    def set_delay(self, delay: float) -> None:
        """Change the seconds between the moves of two engines."""
        self.delay = delay
        if self._resting:
            self._stop()
        self._change()

    def hurry(self) -> None:
        """Let the engine that thinks play the best move it has found so far."""
        if not self._can_hurry():
            raise StudioError("no engine is thinking that can move before its search ends")
        self._hurried = True

    def ask_hint(self, spec: str, in_page: bool) -> None:
        """Ask an engine what to play; the answer becomes part of the view, unless the page that
        asks searches itself."""
        if self.over:
            raise StudioError("the game is over: there is no move to suggest")
        if self._thinking:
            raise StudioError("the engine is still thinking; wait for its answer")
        self._assisted = True
        if not in_page:
            self._begin(lambda: self._find_hint(spec), spec)
        self._change()

    def invite(self, seat: str, is_open: bool) -> None:
        """Make the link of a seat, or withdraw it; see `Seats.invite`."""
        self.seats.invite(seat, is_open)
        self._change()

    def set_count(self, state: GameState, count: dict[str, Any]) -> None:
        """Keep the count of the last position."""
        self._check_unchanged(state)
        self.count = count
        self._change()

    def state_at(self, plies: int) -> GameState:
        """The position after that many moves. Raises StudioError."""
        if not 0 <= plies <= self.plies:
            raise StudioError(f"the game has {self.plies} moves", 404)
        state = self.state
        for _ in range(self.plies - plies):
            state = state.previous_state or state
        return state

    # What is seen.

    def view(self, seat: Seat | None = None) -> dict[str, Any]:
        """Everything that the browser shows of the game, on the page of a seat."""
        seat = seat or self.seats.of(self.id)
        yours = [side for side in seat.sides if self.players[side] == HUMAN]
        over, game = self.over, str(self.state.game)
        unfinished = self.state is self.read.state and not over
        adviser = opponents.adviser(game, self.players)
        hinted = self._hint["who"] if self._hint else ""
        whos = {record.who for record in self._records}
        specs = {*self.players, adviser, self._thinking, hinted, *whos}
        return {
            "id": seat.name, "guest": seat.guest, "yours": yours,
            "links": {} if seat.guest else dict(self.seats.links),
            "version": self._changes.version, **self._board,
            "position": self._position | ending.end_view(self.state, self.clocks),
            "plies": self.plies, "sides": list(self.players),
            "strongest": adviser,
            "names": list(self.read.names_beside(self.players, self.state)),
            "called": {spec: opponents.name_of(spec, game) for spec in specs if spec},
            "levels": [opponents.level_of(spec, game) for spec in self.players],
            "assisted": self._assisted,
            "yourTurn": self.state.next_player.index in yours and not over,
            "history": [asdict(record) for record in self._records],
            "ended": one_line(self.read.result) if unfinished else "",
            "notes": list(self.read.notes),
            "count": self.count, "alive": counting.alive_view(self.state),
            "hint": self._hint if self.state.next_player.index in seat.sides else None,
            "paused": self._paused, "problem": self._problem,
            "engine": self._engines.progress(self.id)
            or self._engines.progress(f"{self.id}-hint"),
            "thinking": self._thinking, "canHurry": self._can_hurry(),
            "clock": self.clocks.view(), "delay": self.delay,
            "moments": ending.moments(self._records, self.state, self.clocks) if over else [],
            "seconds": round(time.monotonic() - self._since, 2),
        }

    async def watch(self, seat: Seat) -> Events:
        """The view of a seat, as `Changes.follow` gives it, until its link is withdrawn."""
        plays = seat.guest != "watch"
        self.watchers += 1
        self._players_here += plays
        self._go_on()
        self._changes.tell()  # a clock or an engine may have started
        try:
            async for view in self._changes.follow(lambda: self.view(self.seats.of(seat.name))):
                yield view
        finally:
            self.used = time.monotonic()
            self.watchers -= 1
            self._players_here -= plays
            if not self._players_here:
                self._stop()
                self.clocks.hold()
                self._changes.tell()

    def refresh(self) -> None:
        """Tell watchers how the engine goes on: its place in the queue, compiling, thinking."""
        if self._thinking or (self._preparing and not self._preparing.done()):
            self._changes.tell()

    # How it goes on.

    def _check_unchanged(self, state: GameState, plies: int | None = None) -> None:
        if self.state is not state or plies not in (None, self.plies):
            raise StudioError("the position has changed meanwhile; look at the board and try again")

    def _move_to(
        self, state: GameState, view: dict[str, Any], record: Record | None = None
    ) -> None:
        self._stop()
        self.state, self._position = state, view
        if record is None:
            self.clocks.go_back(self.plies)
        else:
            self._records.append(record)
            seconds = None if record.who == HUMAN else record.wall
            self.clocks.end_turn(record.plies, Player.from_index(record.player), seconds)
        self._single = False
        self._since = time.monotonic()
        self._hint = self.count = None
        self._problem = ""
        self._change()

    def _change(self) -> None:
        self.used = time.monotonic()
        self._go_on()
        self._changes.tell()
        self.on_change(self)

    def _go_on(self) -> None:
        """Start the search of the engine to move, or a person's clock, if a player is here."""
        going = self._players_here and not self.over and (self._single or not self._paused)
        spec = self.players[self.state.next_player.index]
        if not going:
            self.clocks.hold()
        elif spec == HUMAN:
            self.clocks.run(self.state.next_player)
        elif self._search is None and not self._problem:
            self._begin(lambda: self._engine_turn(spec), spec)

    def _end_on_time(self) -> None:
        self._stop()
        self._hint = None
        self._change()

    def _can_hurry(self) -> bool:
        moves = self._thinking == self.players[self.state.next_player.index]
        return moves and can_hurry(self._thinking)

    def _begin(self, work: Callable[[], Awaitable[None]], spec: str) -> None:
        async def run() -> None:
            try:
                await work()
            except DlgoError as error:
                self._problem = error_words(error)
            finally:
                if self._search is asyncio.current_task():
                    self._search, self._thinking = None, ""
            self._change()

        self._thinking, self._hurried = spec, False
        self._search = asyncio.create_task(run())

    def _stop(self) -> None:
        if self._search is not None and self._search is not asyncio.current_task():
            self._search.cancel()
        self._search, self._thinking, self._resting = None, "", False

    async def _engine_turn(self, spec: str) -> None:
        state, player = self.state, self.state.next_player
        if HUMAN not in self.players and self._records and not self._single:
            self._resting = True
            await asyncio.sleep(max(0.0, self.delay - (time.monotonic() - self._since)))
        self._resting = False
        time_left, loop = self.clocks.left(player), asyncio.get_running_loop()

        def show_clock(thought: float) -> None:
            if self.state is state and self._thinking:
                begins = not self.clocks.running
                self.clocks.run(player, engine=True)
                self.clocks.check(player, thought)
                if begins:
                    self._changes.tell()

        def must_move(thought: float) -> bool:
            if time_left is not None:
                loop.call_soon_threadsafe(show_clock, thought)
            return self._hurried

        seconds = self.clocks.share(player, empty_points(state))
        decision = await self._engines.turn(
            self.id, state, spec, self._seed + player.index, seconds, must_move)
        successor, view, record = await asyncio.to_thread(
            play_turn, state, [decision.move], spec, decision)
        self.clocks.check(player, record.wall or 0.0)
        if self.state is state and not self.over:
            self._move_to(successor, view, record)

    async def _find_hint(self, spec: str) -> None:
        state = self.state
        decision = await self._engines.search(
            f"{self.id}-hint", state, spec, self._seed + 2, urgent=True)
        view = await asyncio.to_thread(position.decision_view, state, decision, _HINT_MOVES)
        if self.state is state:
            self._hint = {**view, "who": spec}

    def prepare(self) -> None:
        """Start the engine of the player who waits, so that its first move comes at once."""
        if self._preparing is not None:
            self._preparing.cancel()
        self._preparing = asyncio.create_task(self._prepare())

    async def _prepare(self) -> None:
        place = self.state.next_player.other.index
        spec = self.players[place]
        try:
            if spec != HUMAN:
                await self._engines.prepare(self.id, self.state.game, spec, self._seed + place)
        except DlgoError as error:
            if self.players[place] == spec:  # no other engine has taken its place meanwhile
                self._problem = error_words(error)
                self._changes.tell()

    def close(self) -> None:
        """End its searches."""
        self._stop()
        if self._preparing is not None:
            self._preparing.cancel()
