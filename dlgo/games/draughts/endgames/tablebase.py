"""Draughts for searches with endgame tables: a game is over as soon as they have the position.

Every engine that searches by the compiled protocol can use them unchanged: its states are of
another class, whose games end earlier, with the result of perfect play.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move
from dlgo.bits import int64, popcount
from dlgo.games.draughts import kernel as rules
from dlgo.games.draughts.board import BLACK, JUMPER, KINGS, TURN, WHITE, copy_into
from dlgo.games.draughts.endgames import retrograde
from dlgo.games.draughts.endgames.places import MOST, turned
from dlgo.games.draughts.endgames.tables import EndgameTables
from dlgo.games.draughts.evaluation import evaluate
from dlgo.games.draughts.state import Draughts
from dlgo.jit import inline_kernel, kernel
from dlgo.kernels import KernelState

# Smaller tables are the beginnings of larger ones, so these offsets serve all.
_OFFSETS = retrograde.offsets_of(MOST)[0]


class _Arrays(NamedTuple):
    words: np.ndarray
    history: np.ndarray
    table: np.ndarray  # uint8, as `retrograde.py` computes it


class TablebaseState(_Arrays):
    """A `DraughtsState` with the endgame tables."""

    shared_fields = ("table",)


@inline_kernel
def _code(state: KernelState) -> int:
    """The code of the position in the tables; NO_POSITION in the middle of a capture."""
    words, table = state.words, state.table
    own, opponent, kings = words[BLACK], words[WHITE], words[KINGS]
    if words[JUMPER] or popcount(own | opponent) > MOST:
        return int64(retrograde.NO_POSITION)
    if words[TURN] == 1:
        own, opponent, kings = turned(opponent), turned(own), turned(kings)
    return retrograde.look_up(table, _OFFSETS, own, opponent, kings)


@kernel
def terminal(state: KernelState) -> bool:
    return rules.terminal(state) or _code(state) != retrograde.NO_POSITION


@kernel
def result(state: KernelState) -> int:
    if rules.terminal(state):
        return rules.result(state)
    code = _code(state)
    if code == retrograde.DRAW:
        return 0
    mover_wins = code % 2 == 0
    return 1 if mover_wins == (state.words[TURN] == 0) else -1


@kernel
def rollout(state: KernelState, rng: np.ndarray) -> int:
    """As in draughts, except for positions in the tables."""
    return result(state) if terminal(state) else rules.rollout(state, rng)


kernels.implement(
    TablebaseState, reset=rules.reset, copy_into=copy_into, to_move=rules.to_move,
    legal_actions=rules.legal_actions, quiet=rules.quiet, is_legal=rules.is_legal,
    play=rules.play, terminal=terminal, result=result, key=rules.key, piece=rules.piece,
    extra_planes=rules.extra_planes, rollout=rollout, evaluate=evaluate,
)


class TablebaseDraughts(Draughts):
    """Draughts with endgame tables; equal to draughts without them."""

    tables: EndgameTables

    def __reduce__(self) -> tuple[Any, ...]:
        return draughts_with_tablebase, (self.tables.pieces,)

    @classmethod
    def from_fen(cls, text: str) -> GameState:
        """A game without tables: only a search gets states with them."""
        return Draughts.from_fen(text)

    def scratch_state(self, like: Any, room: int = 1) -> TablebaseState:
        return TablebaseState(like.words.copy(), like.history.copy(), self.tables.table)

    def probe(self, state: GameState) -> dict[Move, tuple[int, int]] | None:
        scores = self.tables.scores(state)
        return None if scores is None else {
            self.move_of(action): (score.result, score.turns) for action, score in scores.items()
        }


def draughts_with_tablebase(pieces: int) -> TablebaseDraughts:
    """Draughts with endgame tables of up to `pieces` pieces, which are computed if missing."""
    game = TablebaseDraughts()
    game.tables = EndgameTables.get(pieces, lambda line: print(line, file=sys.stderr))
    return game
