"""Conformance rules of the arrays of states: queries, copies, bounds and `reset`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance import kit, playing
from dlgo.rng import make_rng


@kit.at(40)
def queries(state: GameState) -> Iterator[str]:
    """Asking about a position does not change it."""
    first, second = kit.look(state), kit.look(state)
    if wrong := kit.difference(second, first):
        yield f"asked twice, {wrong}"


def copies(sample: kit.Sample) -> kit.Findings:
    """`copy_into` copies everything; playing on a copy does not change the original."""
    same = sample.game.same_position
    for n, (line, ply) in enumerate(sample.places(24)):
        state = line.states[ply]
        arrays, contents = state.kernel_state, kit.bytes_of(state.kernel_state)
        target = sample.game.scratch_state(arrays, room=kit.FOLLOWED + 1)
        if any(map(np.shares_memory, target, arrays)):
            yield "scratch_state shares memory with its model", state
        if not same(target, arrays):
            yield "scratch_state must return a copy of its model", state
        # The earlier content of the target must not matter: another position, or nothing.
        for dirt in (sample.lines[n % len(sample.lines)].states[-1].kernel_state, None):
            kit.overwrite(target, dirt)
            kernels.copy_into(target, arrays)
            if not same(target, arrays):
                yield "same_position tells a copy from its original", state
            if wrong := kit.follow(line, ply, target):
                yield f"copy_into left something out: {wrong}", state
            for seed in range(4):
                kit.overwrite(target, dirt)
                kernels.copy_into(target, arrays)
                if playing.rolled(target, seed) != playing.rolled(kit.snapshot(arrays), seed):
                    yield "copy_into left something out: a rollout from a copy differs", \
                        state
        kernels.copy_into(target, arrays)
        if wrong := kit.follow(line, ply, target):
            yield f"copy_into does not undo what a rollout did: {wrong}", state
        if kit.bytes_of(arrays) != contents:
            yield "playing on a copy changed the original", state
        if same(line.states[ply + 1].kernel_state, arrays):
            yield "same_position does not tell a position from the one a ply later", state


def bounds(sample: kit.Sample) -> kit.Findings:
    """No kernel writes outside the arrays it is given."""
    for line in sample.lines[:2]:
        start = line.states[0].kernel_state
        position, fences = kit.fenced(sample.game.scratch_state(start, room=len(line.actions) + 1))
        kernels.copy_into(position, start)
        for ply, action in enumerate(line.actions[:200]):
            state = line.states[ply]
            kit.look(state, position)
            yield from kit.overwritten(fences, "a function that must not write", state)
            if ply % 8 == 0:
                work, around = kit.fenced(kit.clone(state))
                kernels.copy_into(work, position)
                yield from kit.overwritten(around, "copy_into", state)
                kernels.rollout(work, make_rng(ply))
                yield from kit.overwritten(around, "rollout", state)
            kernels.play(position, action)
            yield from kit.overwritten(fences, f"play({action})", state)
        kernels.reset(position)
        yield from kit.overwritten(fences, "reset", line.states[-1])


def reset(sample: kit.Sample) -> kit.Findings:
    """`reset` restores the start position, for any content of the arrays."""
    game = sample.game
    first, second = game.new_kernel_state(), game.new_kernel_state()
    if any(map(np.shares_memory, first, second)):
        yield "two calls of new_kernel_state return the same memory", None
    for line in sample.lines:
        for state in (line.states[-1], line.states[len(line.states) // 2]):
            position = kit.clone(state, room=kit.FOLLOWED + 1)
            kernels.rollout(position, make_rng(sample.seed))
            kernels.reset(position)
            if wrong := kit.follow(line, 0, position):
                yield f"after a reset: {wrong}", line.states[0]
            kernels.reset(position)
            if not game.same_position(position, first):
                yield "same_position tells a reset state from a new one (scratch fields must " \
                    "not count)", state
