"""One game in progress: who plays, what each turn has cost, undo, hints, the turns of engines.

A `Game` belongs to the server's event loop. Whoever watches it is given a view of it each
time that something has changed; engines move only while somebody watches.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from dlgo import DlgoError, GameState
from dlgo.text import one_line
from experiments.play.game_file import SavedGame
from experiments.play.session import DEFAULT_HINT
from experiments.studio.changes import Changes
from experiments.studio.engines import Engines
from experiments.studio.errors import NotFound, StudioError, TooMany
from experiments.studio.position import black_share, board_view, decision_view, position_view
from experiments.studio.records import Record, engine_turn, person_turn, records_of
from experiments.studio.specs import HUMAN

# Moves of one game; beyond, it can be looked at but not played on.
LONGEST_GAME = 2000
# Watchers of one game.
_MOST_WATCHERS = 16
# Moves listed with a hint.
_HINT_MOVES = 8


class Game:
    """One game between two players, each a person or an engine.

    Args:
        state: where it begins; its moves can be taken back, too.
        players: black's and white's: `human`, or an engine's specification.
        engines: who searches.
        seed: of the engines.
        delay: seconds between the moves of two engines.

    Attributes:
        read: what the file says that the game comes from.
        watchers: how many look at it now.
        used: when it was looked at or changed last.
    """

    def __init__(
        self, state: GameState, players: tuple[str, str], engines: Engines, seed: int,
        delay: float = 0.5,
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.state = state
        self.players = players
        self.read = SavedGame(state)
        self.watchers = 0
        self.used = time.monotonic()
        self._engines, self._seed, self._delay = engines, seed, delay
        self._records = records_of(state)
        self._board = board_view(state.game)
        self._position = position_view(state)
        self._since = time.monotonic()
        self._paused = False
        self._problem = ""
        self._hint: dict[str, Any] | None = None
        self._search: asyncio.Task[None] | None = None
        self._thinking = self._evaluator = ""
        self._changes = Changes()

    @property
    def plies(self) -> int:
        """How many moves have been made."""
        return self._records[-1].plies if self._records else 0

    # What is asked for.

    async def play(self, text: str, plies: int | None = None) -> None:
        """A turn of the person who is to move.

        Args:
            plies: after how many moves; what has come after them is forgotten.

        Raises:
            DlgoError: if it is not a legal turn, or not a person's.
        """
        latest = self.state
        before = latest if plies is None else self.state_at(plies)
        if not before.is_over() and self.players[before.next_player.index] != HUMAN:
            raise StudioError("it is the engine's turn")
        wall = time.monotonic() - self._since
        after, position, record = await asyncio.to_thread(person_turn, before, text, wall)
        self._check_unchanged(latest)
        if before is not latest:
            self._records = [record for record in self._records if record.plies <= plies]
        if len(after.moves()) > LONGEST_GAME:
            raise StudioError(f"a game here has at most {LONGEST_GAME} moves; save it")
        self._move_to(after, position, record)

    async def undo(self) -> None:
        """Back to the beginning of a person's last turn; between engines, of the last turn.

        Raises:
            StudioError: if there is none.
        """
        has_person = HUMAN in self.players
        for place in range(len(self._records) - 1, -1, -1):
            if not has_person or self.players[self._records[place].player] == HUMAN:
                break
        else:
            raise StudioError("there is no move of yours to take back")
        keep = self._records[place - 1].plies if place else 0
        before = self.state
        state = self.state_at(keep)
        position = await asyncio.to_thread(position_view, state)
        self._check_unchanged(before)
        self._stop()
        if not has_person:
            self._paused = True
        self.state, self._position = state, position
        del self._records[place:]
        self._since = time.monotonic()
        self._hint, self._problem = None, ""
        self._change()

    def set_players(self, players: tuple[str, str]) -> None:
        """Other players from now on."""
        self._stop()
        self.players = players
        self._problem = ""
        self._change()

    def set_paused(self, paused: bool) -> None:
        """Hold the engines, or let them go on, also after one has failed."""
        self._paused = paused
        self._problem = ""
        if paused:
            self._stop()
        self._change()

    def ask_hint(self, spec: str) -> None:
        """Ask an engine what to play; the answer becomes part of the view."""
        if self.state.is_over():
            raise StudioError("the game is over: there is no move to suggest")
        if self._thinking:
            raise StudioError("an engine is at work; wait for its move")
        self._stop()  # an evaluation
        spec = spec or DEFAULT_HINT
        self._begin(lambda: self._find_hint(spec), spec)
        self._change()

    def set_evaluator(self, spec: str) -> None:
        """Let an engine say what it expects after each move of a person; "": none."""
        if not self._thinking:
            self._stop()
        self._evaluator = spec
        self._change()

    def state_at(self, plies: int) -> GameState:
        """The position after so many moves. Raises NotFound."""
        if not 0 <= plies <= self.plies:
            raise NotFound(f"the game has {self.plies} moves")
        state = self.state
        for _ in range(self.plies - plies):
            state = state.previous_state
        return state

    async def position(self, plies: int) -> dict[str, Any]:
        """The position after so many moves, for looking back. Raises NotFound."""
        state = self.state_at(plies)
        return await asyncio.to_thread(position_view, state) | {"plies": plies}

    # What is seen.

    def view(self) -> dict[str, Any]:
        """All that the browser shows of it."""
        mover = self.players[self.state.next_player.index]
        evaluation = next((r for r in reversed(self._records) if r.black is not None), None)
        return {
            "id": self.id, "version": self._changes.version, **self._board,
            "position": self._position, "plies": self.plies,
            "sides": list(self.players), "yourTurn": mover == HUMAN and not self.state.is_over(),
            "history": [asdict(record) for record in self._records],
            "evaluation": None if evaluation is None else {
                "black": evaluation.black, "proven": evaluation.proven,
                "who": evaluation.by or evaluation.who,
                "plies": evaluation.plies, "text": evaluation.text,
            },
            "evaluator": self._evaluator, "hint": self._hint, "paused": self._paused,
            "problem": self._problem, "thinking": self._thinking,
            "waiting": self._engines.waiting_before(self.id) if self._thinking else None,
            "seconds": round(time.monotonic() - self._since, 2),
        }

    async def watch(self) -> AsyncIterator[dict[str, Any] | None]:
        """The view, as `Changes.follow` gives it. Raises TooMany if too many watch already."""
        if self.watchers >= _MOST_WATCHERS:
            raise TooMany(f"{_MOST_WATCHERS} pages watch this game already; close one")
        self.watchers += 1
        self._go_on()
        try:
            async with aclosing(self._changes.follow(self.view)) as views:
                async for view in views:
                    self.used = time.monotonic()
                    yield view
        finally:
            self.watchers -= 1
            if not self.watchers:
                self._stop()

    def refresh(self) -> None:
        """Its place in the queue may have changed."""
        if self._thinking:
            self._changes.tell()

    # How it goes on.

    def _check_unchanged(self, before: GameState) -> None:
        if self.state is not before:
            raise StudioError("the game has gone on meanwhile; look at the board and try again")

    def _move_to(self, state: GameState, position: dict[str, Any], record: Record) -> None:
        self._stop()
        self.state, self._position = state, position
        self._records.append(record)
        self._since = time.monotonic()
        self._hint, self._problem = None, ""
        self._change()

    def _change(self) -> None:
        self.used = time.monotonic()
        self._go_on()
        self._changes.tell()

    def _go_on(self) -> None:
        """Let the engine that is to move search, or the one that evaluates, if somebody watches."""
        idle = self.watchers and self._search is None and not self._paused and not self._problem
        if not idle or self.state.is_over():
            return
        spec = self.players[self.state.next_player.index]
        if spec != HUMAN:
            self._begin(lambda: self._engine_turn(spec), spec)
        elif self._evaluator and self._records and self._records[-1].black is None:
            self._begin(lambda: self._evaluate(self._records[-1], self._evaluator), "")

    def _begin(self, work: Callable[[], Awaitable[None]], spec: str) -> None:
        async def run() -> None:
            try:
                await work()
            except DlgoError as error:
                self._problem = one_line(str(error))
            finally:
                if self._search is asyncio.current_task():
                    self._search, self._thinking = None, ""
            self._change()

        self._thinking = spec
        self._search = asyncio.create_task(run())

    def _stop(self) -> None:
        """End the search that is under way."""
        if self._search is not None and self._search is not asyncio.current_task():
            self._search.cancel()
        self._search, self._thinking = None, ""

    async def _engine_turn(self, spec: str) -> None:
        before = self.state
        if HUMAN not in self.players and self._records:
            await asyncio.sleep(max(0.0, self._delay - (time.monotonic() - self._since)))
        seed = self._seed + before.next_player.index
        decision = await self._engines.search(self.id, before, spec, seed)
        after, position, record = await asyncio.to_thread(engine_turn, before, decision, spec)
        if self.state is before:
            self._move_to(after, position, record)

    async def _find_hint(self, spec: str) -> None:
        before = self.state
        decision = await self._engines.search(f"{self.id}-hint", before, spec, self._seed + 2)
        view = await asyncio.to_thread(decision_view, before, decision, _HINT_MOVES)
        if self.state is before:
            self._hint = {**view, "who": spec, "black": black_share(decision, before.next_player)}

    async def _evaluate(self, record: Record, spec: str) -> None:
        before = self.state
        decision = await self._engines.search(f"{self.id}-evaluation", before, spec, self._seed + 3)
        if self.state is before and decision.value is not None:
            record.black, record.by = black_share(decision, before.next_player), spec
            record.proven = decision.proven is not None
        elif decision.value is None:
            raise StudioError(f"{spec} does not say what it expects; name another engine")

    async def prepare(self) -> None:
        """Start the engines that wait, so that their first move comes at once."""
        for place, spec in enumerate(self.players):
            if spec != HUMAN and place != self.state.next_player.index:
                try:
                    await self._engines.prepare(
                        self.id, self.state.game, spec, self._seed + place
                    )
                except DlgoError as error:
                    if self.players[place] == spec:  # nobody has taken its place meanwhile
                        self._problem = one_line(str(error))
                        self._changes.tell()

    def close(self) -> None:
        """End its searches."""
        self._stop()
