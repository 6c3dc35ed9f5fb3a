"""When to end a game that is decided: resign, or pass when the opponent has passed (chapter 8.3).

Two options that every engine has. `resign=0.05` resigns after three decisions in a row, by this
engine, whose expected share of the wins was below 0.05; experiments/chapters/ch08.py
measures how often that gives away games that were not lost. `pass_back=yes` answers a pass with a
pass if that wins the game.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from dlgo.api import GameState, Move
from dlgo.specs import Option
from engines.decision import Decision

# Low estimates in a row before an engine resigns. A single one may be an accident of the search.
PATIENCE = 3

TERMINATION_OPTIONS = (
    Option("resign", 0.0, "resign after three decisions with an expected share of wins below this; "
           "0: never", low=0, high=0.5),
    Option("pass_back", False, "answer a pass with a pass if that wins the game"),
)


class Resignation:
    """Watches the estimates of one player in one game.

    Args:
        below: expected share of the wins, 0 to 1, a draw being half a win; 0: never resign.
        patience: decisions in a row with a share below that.
    """

    def __init__(self, below: float, patience: int) -> None:
        self._below, self._patience = below, patience
        self._hopeless = 0
        self.possible = below > 0  # whether the player resigns at all

    def reset(self) -> None:
        """Forget earlier estimates, as at the start of a game."""
        self._hopeless = 0

    def update(self, value: float) -> bool:
        """Whether to resign now, with the player expecting `value`: -1 (lost) to +1 (won)."""
        share = 0.5 + 0.5 * value
        self._hopeless = self._hopeless + 1 if share < self._below else 0
        return self.possible and self._hopeless >= self._patience


class Termination:
    """Watches one engine's decisions through a game."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._pass_back = settings["pass_back"]
        self._resignation = Resignation(settings["resign"], PATIENCE)
        self._last_state: GameState | None = None

    def shortcut(self, state: GameState) -> Move | None:
        """The pass that wins at once, if the option is on and there is one."""
        if not self._pass_back or state.last_move is None or not state.last_move.is_pass:
            return None
        if not state.is_valid_move(Move.pass_turn()):
            return None
        ended = state.apply_move(Move.pass_turn())
        return ended.last_move if ended.winner() is state.next_player else None

    def review(self, state: GameState, decision: Decision) -> Decision:
        """The decision, or a resignation after too many low estimates in a row."""
        if decision.value is None or not self._resignation.possible:
            return decision
        if state.moves_since(self._last_state) is None:
            self._resignation.reset()
        self._last_state = state
        if not self._resignation.update(decision.value):
            return decision
        return dataclasses.replace(decision, move=Move.resign(), pv=())
