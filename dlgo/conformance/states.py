"""Conformance checks of states: copies, batches, memory, `reset`, and the immutable face."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move
from dlgo.conformance.sample import (
    Line,
    Sample,
    broken,
    bytes_of,
    clone,
    difference,
    fenced,
    look,
    must_stand,
    overwrite,
    rolled,
    snapshot,
)
from dlgo.rng import make_rng

# How far a copy is played on beside its original.
FOLLOWED = 40


def check_queries(sample: Sample) -> None:
    """Asking about a position does not change it."""
    game = sample.game
    for state in sample.states(40):
        position = snapshot(state.kernel_state)
        first, second = look(state, position), look(state, position)
        if wrong := difference(second, first):
            raise broken("queries", f"asked twice, {wrong}", state)
        if not game.same_position(position, state.kernel_state):
            raise broken("queries", "looking at a position changed it", state)


def check_copies(sample: Sample) -> None:
    """`copy_into` copies everything; playing on a copy leaves the original alone."""
    for n, (line, ply) in enumerate(sample.places(24)):
        state = line.states[ply]
        before = bytes_of(state.kernel_state)
        target = sample.game.scratch_state(state.kernel_state, room=FOLLOWED + 1)
        for mine, other in zip(target, state.kernel_state, strict=True):
            if np.shares_memory(mine, other):
                raise broken("copies", "scratch_state shares memory with its model", state)
        if not sample.game.same_position(target, state.kernel_state):
            raise broken("copies", "scratch_state must return a copy of its model", state)
        # What the target held before must not matter: some other position, or nothing.
        for dirt in (sample.lines[n % len(sample.lines)].states[-1].kernel_state, None):
            overwrite(target, dirt)
            kernels.copy_into(target, state.kernel_state)
            if not sample.game.same_position(target, state.kernel_state):
                raise broken("copies", "same_position tells a copy from its original", state)
            _follow(line, ply, target, "copy_into left something out")
            for seed in range(4):
                overwrite(target, dirt)
                kernels.copy_into(target, state.kernel_state)
                if rolled(target, seed) != rolled(snapshot(state.kernel_state), seed):
                    text = "copy_into left something out: a rollout from a copy takes another way"
                    raise broken("copies", text, state)
        kernels.copy_into(target, state.kernel_state)
        _follow(line, ply, target, "copy_into does not undo what a rollout did")
        if bytes_of(state.kernel_state) != before:
            raise broken("copies", "playing on a copy changed the original", state)


def check_bounds(sample: Sample) -> None:
    """No kernel writes outside the arrays it is given."""
    for line in sample.lines[:2]:
        start = line.states[0]
        room = len(line.actions) + 1
        position, fences = fenced(sample.game.scratch_state(start.kernel_state, room))
        kernels.copy_into(position, start.kernel_state)
        for ply, action in enumerate(line.actions[:200]):
            state = line.states[ply]
            look(state, position)
            must_stand(fences, "a function that should only look", state)
            if ply % 8 == 0:
                work, around = fenced(clone(state))
                kernels.copy_into(work, position)
                must_stand(around, "copy_into", state)
                kernels.rollout(work, make_rng(ply))
                must_stand(around, "rollout", state)
            kernels.play(position, action)
            must_stand(fences, f"play({action})", state)
        kernels.reset(position)
        must_stand(fences, "reset", line.states[-1])


def _follow(line: Line, ply: int, position: Any, blame: str, rule: str = "copies") -> None:
    """Play the rest of the line in `position`; it must look like the line's states throughout."""
    for i in range(ply, min(ply + FOLLOWED, len(line.actions)) + 1):
        wrong = difference(look(line.states[i], position), line.views[i])
        if wrong:
            later = f" {i - ply} plies later" if i > ply else ""
            raise broken(rule, f"{blame}:{later} {wrong}", line.states[i])
        if i < len(line.actions):
            kernels.play(position, line.actions[i])


def check_batches(sample: Sample) -> None:
    """A row of a batch is a state like any other, and no row disturbs its neighbours."""
    for line, ply in sample.places(8):
        state = line.states[ply]
        batch = kernels.make_batch(
            sample.game.scratch_state(state.kernel_state, room=FOLLOWED + 1), 3
        )
        rows = [kernels.row(batch, i) for i in range(3)]
        for row in rows:
            kernels.copy_into(row, state.kernel_state)
        _follow(line, ply, rows[1], "a row of a batch plays otherwise", rule="batches")
        for i in (0, 2):
            blame = "playing in row 1 changed its neighbour"
            _follow(line, ply, rows[i], blame, rule="batches")


def check_reset(sample: Sample) -> None:
    """`reset` leads back to the start, whatever the arrays held."""
    game = sample.game
    one, two = game.new_kernel_state(), game.new_kernel_state()
    if any(np.shares_memory(a, b) for a, b in zip(one, two, strict=True)):
        raise broken("reset", "two calls of new_kernel_state return the same memory")
    for line in sample.lines:
        for state in (line.states[-1], line.states[len(line.states) // 2]):
            position = clone(state, room=FOLLOWED + 1)
            kernels.rollout(position, make_rng(sample.seed))
            kernels.reset(position)
            _follow(line, 0, position, "after a reset", rule="reset")
            kernels.reset(position)
            if not game.same_position(position, one):
                text = "same_position tells a reset state from a new one"
                raise broken("reset", f"{text} (scratch fields must not count)", state)


def check_immutability(sample: Sample) -> None:
    """States compare and hash by position; nothing can be assigned to them."""
    for line, ply in sample.places(20):
        state = line.states[ply]
        twin = GameState(sample.game, clone(state), state.previous_state, state.last_move)
        if state != twin or hash(state) != hash(twin):
            raise broken("immutability", "a copy of a state is not equal to it", state)
        other = line.states[ply + 1]
        if state == other:
            raise broken("immutability", "a state equals the one a ply later", other)
        if state == state.apply_move(Move.resign()):
            raise broken("immutability", "a state equals its resignation", state)
        for name in ("game", "kernel_state", "last_move", "anything"):
            try:
                setattr(state, name, None)
            except AttributeError:
                continue
            raise broken("immutability", f"{name} of a state can be assigned", state)


def check_pickling(sample: Sample) -> None:
    """Games and states survive pickling, history included."""
    for state in [*sample.states(4), *sample.states(2, finished=True)]:
        try:
            copy = pickle.loads(pickle.dumps(state))
        except Exception as error:
            raise broken("pickling", f"{type(error).__name__}: {error}", state) from error
        if copy.game != state.game or copy != state or hash(copy) != hash(state):
            raise broken("pickling", "a pickled state comes back as another", state)
        if copy.moves() != state.moves() or str(copy) != str(state):
            raise broken("pickling", "a pickled state has lost its history", state)


def check_render(sample: Sample) -> None:
    """The board shows every stone, and marks the last play."""
    for state in [*sample.states(30), *sample.states(4, finished=True)]:
        game, text = state.game, str(state)
        if not text.strip() or text != "\n".join(line.rstrip() for line in text.splitlines()):
            raise broken("render", "an empty board, or lines that end in blanks", state)
        cells = range(game.board_rows * game.board_cols)
        pieces = Counter(int(kernels.piece(state.kernel_state, cell)) for cell in cells)
        for piece, n in pieces.items():
            if piece >= 0 and text.count(symbol := game.piece_symbol(piece)) < n:
                raise broken("render", f"shows fewer than {n} {symbol!r}:\n{text}\n", state)
        # A finished game may be marked in another way: the stones that won, say.
        if not state.is_over() and state.last_move is not None and state.last_move.is_play:
            unmarked = game.render(GameState(game, state.kernel_state))
            if text == unmarked:
                raise broken("render", f"does not mark the last play:\n{text}\n", state)

