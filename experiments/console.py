"""Playing in the console: human or engine on either side (chapter 3.4 and 3.6 of the book)."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TextIO

from dlgo import DlgoError, GameSpec, GameState, Move, Player
from engines.base import Engine
from engines.registry import EngineSpec

HELP = "Write a move, or: undo, resign, moves, help, quit."


class Human:
    """A person at the keyboard: the console asks for the moves."""

    def __str__(self) -> str:
        return "human"


class Bot:
    """An engine with the specification it was built from."""

    def __init__(self, spec: EngineSpec, game: GameSpec, seed: int) -> None:
        self.spec = spec
        self.engine: Engine = spec.build(game, seed)

    def __str__(self) -> str:
        return str(self.spec)


def make_player(text: str, game: GameSpec, seed: int) -> Human | Bot:
    """`human`, or the engine that `text` specifies. Raises SpecError for anything else."""
    return Human() if text.strip().lower() == "human" else Bot(EngineSpec.parse(text), game, seed)


class Quit(Exception):
    """The person at the keyboard has had enough."""


class Console:
    """One game between two players, shown and asked for in text.

    Args:
        state: where to begin.
        players: black's and white's.
        delay: seconds to wait after an engine's move.
        source, target: where moves are read and boards are written.
    """

    def __init__(
        self, state: GameState, players: Sequence[Human | Bot], delay: float = 0.0,
        source: TextIO | None = None, target: TextIO | None = None,
    ) -> None:
        self.state = state
        self.players = tuple(players)
        self.delay = delay
        self._source = source or sys.stdin
        self._target = target or sys.stdout

    def run(self) -> GameState:
        """Play until the game ends or a human quits; return the last state."""
        game = self.state.game
        for player, who in zip(Player, self.players, strict=True):
            self._say(f"{player.name} ({game.symbols[player.index]}): {who}")
        for who in self.players:
            if isinstance(who, Bot):
                who.engine.warm_up()
        if any(isinstance(who, Human) for who in self.players):
            self._say(HELP)
        self._show()
        try:
            while not self.state.is_over():
                who = self.players[self.state.next_player.index]
                if isinstance(who, Bot):
                    self._bot_turn(who)
                else:
                    self._human_turn()
        except Quit:
            self._say("The game was left unfinished.")
            return self.state
        self._say(f"Game over: {game.result_text(self.state)}.")
        return self.state

    def _bot_turn(self, bot: Bot) -> None:
        decision = bot.engine.select_move(self.state)
        notes = [f"{1e3 * decision.cost.cpu_seconds:.0f} ms"]
        if decision.cost.simulations:
            notes.append(f"{decision.cost.simulations:,} simulations")
        elif decision.cost.nodes > 1:
            notes.append(f"{decision.cost.nodes:,} nodes")
        if decision.value is not None:
            notes.append(f"value {decision.value:+.2f}")
        self._play(decision.move, f"  [{', '.join(notes)}]")
        time.sleep(self.delay)

    def _human_turn(self) -> None:
        name = self.state.next_player.name
        self._target.write(f"{name}> ")
        self._target.flush()
        line = self._source.readline()
        if not line:
            self._say("")
            raise Quit
        word = line.strip().lower()
        if word in ("quit", "exit"):
            raise Quit
        if word == "help":
            self._say(HELP)
        elif word == "moves":
            game = self.state.game
            self._say(" ".join(game.move_text(move) for move in self.state.legal_moves()))
        elif word == "undo":
            self._undo()
        elif word == "resign":
            self._play(Move.resign())
        elif word:
            try:
                for move in self.state.game.parse_moves(self.state, word):
                    self._play(move)
            except DlgoError as error:
                self._say(f"{error}")

    def _undo(self) -> None:
        """Back to the last time this human was asked."""
        human = self.state.next_player
        earlier = self.state.previous_state
        alone = not all(isinstance(who, Human) for who in self.players)
        while earlier is not None and alone and earlier.next_player is not human:
            earlier = earlier.previous_state
        if earlier is None:
            self._say("There is no move of yours to take back.")
        else:
            self.state = earlier
            self._show()

    def _play(self, move: Move, note: str = "") -> None:
        name = self.state.next_player.name
        self.state = self.state.apply_move(move)
        self._say(f"\n{name}: {self.state.game.move_text(move)}{note}")
        self._show()

    def _show(self) -> None:
        self._say(str(self.state))

    def _say(self, text: str) -> None:
        self._target.write(text + "\n")
        self._target.flush()
