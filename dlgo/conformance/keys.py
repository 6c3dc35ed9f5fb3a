"""Conformance checks of Zobrist keys: equal for equal positions, different for different ones.

No check can see into a key; what it can see is positions. Two are taken for equal if they
look alike (`render`, without the mark of the last move), the same player is to move, the same
actions are legal, and each of them ends the game in both or in neither.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance.sample import (
    Line,
    RuleBroken,
    Sample,
    broken,
    bytes_of,
    clone,
    error_text,
    look,
)
from dlgo.encoders import get_encoder
from dlgo.rng import make_rng

# Positions times actions that are looked at, so that a large board does not take minutes.
LOOKED_AT = 3_000
# Positions all of whose children are looked at.
PARENTS = 40
# Ways to reach each of them that are tried.
REORDERINGS = 16
FRESH_PROCESS_SECONDS = 300
_SEEN = ("keys", "boards", "moves, turns, results or estimates", "planes", "rollouts")
ANSWER = "from dlgo.conformance.keys import answer; answer()"


def check_keys(sample: Sample) -> None:
    """Equal positions have equal keys by whatever moves they came up, different ones others."""
    by_looks: dict[tuple, GameState] = {}
    by_key: dict[int, tuple[GameState, tuple]] = {}
    for state in positions_of(sample):
        key = kernels.key(state.kernel_state)
        if not -(2**63) <= int(key) < 2**63 or isinstance(key, float):
            raise broken("keys", f"key {key!r} is not an int of 64 bits", state)
        looks = _looks(state)
        twin = by_looks.setdefault(looks, state)
        if twin.key() != state.key():
            text = "an equal position, reached otherwise, has another key"
            raise broken("keys", f"{text} (or render hides a difference): {_moves(twin)}", state)
        other, other_looks = by_key.setdefault(state.key(), (state, looks))
        _must_be_alike(state, looks, other, other_looks)
    _check_children(sample)


def _must_be_alike(state: GameState, looks: tuple, other: GameState, other_looks: tuple) -> None:
    """Raise RuleBroken if two positions with the same key look different."""
    # What is legal may depend on the history, which is not part of the key.
    compared = 2 if state.game.history_matters else len(looks)
    if other_looks[:compared] != looks[:compared]:
        text = "a different position has the same key"
        raise broken("keys", f"{text}: {_moves(other)}", state)


def _check_children(sample: Sample) -> None:
    """All that can follow on the start, and on other positions, has keys of its own.

    Random games hardly meet two positions that differ only in what a key lacks (an arrow in
    Amazons); among the children of one position there are some.
    """
    by_key: dict[int, tuple[GameState, list[bytes]]] = {}
    compared = 0
    for parent in sample.states(_affordable(sample, PARENTS)):
        for action in parent.legal_actions():
            child = _play(parent, [action])
            if child is None:
                continue
            arrays = bytes_of(child.kernel_state)
            other, other_arrays = by_key.setdefault(child.key(), (child, arrays))
            if other_arrays != arrays and compared < LOOKED_AT // 10:
                compared += 1
                _must_be_alike(child, _looks(child), other, _looks(other))


def _affordable(sample: Sample, most: int) -> int:
    """How many positions, `most` at most, have about `LOOKED_AT` actions together."""
    actions = sum(len(view.legal_actions) for view in sample.lines[0].views)
    return max(3, min(most, LOOKED_AT * len(sample.lines[0].views) // max(actions, 1)))


def _moves(state: GameState) -> str:
    return " ".join(state.game.move_text(move) for move in state.moves()) or "the start"


def positions_of(sample: Sample) -> Iterator[GameState]:
    """The sample's positions, and others reached by the same moves in another order.

    What several orders lead to with the same arrays comes once.
    """
    most = _affordable(sample, 300)
    generator = np.random.default_rng(sample.seed)
    seen: set[tuple[bytes, ...]] = set()
    for line, ply in [*sample.places(most), *sample.places(most // 3, finished=True)]:
        found = [line.states[ply]]
        for _ in range(REORDERINGS):
            reordered = _reorder(line, ply, int(generator.integers(3, 12)), generator)
            if reordered is not None:
                found.append(reordered)
        for state in found:
            arrays = tuple(bytes_of(state.kernel_state))
            if arrays not in seen:
                seen.add(arrays)
                yield state


def _reorder(
    line: Line, ply: int, span: int, generator: np.random.Generator
) -> GameState | None:
    """The state at `ply` after the last `span` plies in another order, or None if impossible.

    Each player makes the moves that were theirs, so that the same stones come to lie there.
    """
    first = max(0, ply - span)
    left: tuple[list[int], list[int]] = ([], [])
    for i in range(first, ply):
        left[line.views[i].to_move].append(line.actions[i])
    state = line.states[first]
    for _ in range(first, ply):
        own = left[kernels.to_move(state.kernel_state)]
        if not own:
            return None
        action = own.pop(int(generator.integers(len(own))))
        after = _play(state, [action])
        if after is None:
            return None
        state = after
    return state


def _play(state: GameState, actions: list[int]) -> GameState | None:
    """The state after some actions, or None if one of them is illegal."""
    game = state.game
    for action in actions:
        arrays = state.kernel_state
        if kernels.terminal(arrays) or not kernels.is_legal(arrays, action):
            return None
        target = clone(state)
        kernels.play(target, action)
        state = GameState(game, target, state, game.move_of(action))
    return state


def _looks(state: GameState) -> tuple:
    """What tells positions apart: the board, who is to move, what is legal and ends the game."""
    game, position = state.game, state.kernel_state
    view = look(state)
    ends = []
    for action in view.legal_actions:
        target = clone(state)
        kernels.play(target, action)
        over = bool(kernels.terminal(target))
        ends.append(kernels.result(target) if over else None)
    board = game.render(GameState(game, position))
    return board, view.to_move, view.legal_actions, view.result, tuple(ends)


def check_rebuilding(sample: Sample) -> None:
    """The key that `play` keeps is that of the same stones set up anew, side to move included.

    Only where the author gave `rebuild`.
    """
    rebuild = sample.facts.rebuild
    if rebuild is None:
        return
    for state in sample.states(100):
        position = rebuild(state, state.next_player)
        if position is None:
            if state.last_move is None:
                raise broken("rebuilding", "rebuild cannot even set up the start", state)
            continue
        if kernels.key(position) != state.key():
            text = "the key kept by play is not that of the same position set up anew"
            raise broken("rebuilding", text, state)
        turned = rebuild(state, state.next_player.other)
        if turned is not None and kernels.key(turned) == state.key():
            raise broken("rebuilding", "the key is the same with the other side to move", state)


def check_fresh_process(sample: Sample) -> None:
    """Another process compiles the game and sees the same: positions, keys, planes, rollouts.

    So keys can be stored, and what was checked without compiling holds for compiled code.
    """
    check_fresh_processes([sample])


def check_fresh_processes(samples: list[Sample]) -> None:
    """`check_fresh_process` for several games at the cost of one process."""
    lines = [(sample.game, sample.lines[0]) for sample in samples]
    try:
        task = pickle.dumps([(game, line.actions) for game, line in lines])
    except Exception as error:
        raise broken("fresh process", f"the game cannot be pickled: {error}") from error
    done = subprocess.run(
        [sys.executable, "-c", ANSWER], input=task, capture_output=True,
        timeout=FRESH_PROCESS_SECONDS, check=False,
        # Another seed of `hash`, which differs between processes and must not get into keys.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
             "PYTHONHASHSEED": "4711", "NUMBA_DISABLE_JIT": "0"},
    )
    if done.returncode:
        text = done.stderr.decode().strip() or f"it ends with status {done.returncode}"
        raise broken("fresh process", f"another process cannot compile and play the game: {text}")
    answers = json.loads(done.stdout.splitlines()[-1])
    for (game, line), answer in zip(lines, answers, strict=True):
        expected = _fingerprint(line)
        if answer != expected:
            ply = next(i for i, (a, b) in enumerate(zip(answer, expected, strict=True)) if a != b)
            what = [
                name for name, a, b in zip(_SEEN, answer[ply], expected[ply], strict=True) if a != b
            ]
            where = "in another process, which compiles anew"
            if numba.config.DISABLE_JIT:
                where = "between plain Python and compiled code"
            text = f"{game}: {', '.join(what)} differ {where}"
            raise broken("fresh process", text, line.states[ply])


def _fingerprint(line: Line) -> list[list[Any]]:
    """For each state what `_SEEN` names."""
    encoder = get_encoder("planes", line.states[0].game)
    return [
        [
            state.key(), zlib.crc32(str(state).encode()), list(map(str, view._replace(key=0))),
            zlib.crc32(encoder.encode(state).tobytes()),
            [int(kernels.rollout(clone(state), make_rng(seed))) for seed in range(4)],
        ]
        for state, view in zip(line.states, line.views, strict=True)
    ]


def answer() -> None:
    """The other process: read games and actions, print what it sees of their positions."""
    answers = []
    for game, actions in pickle.load(sys.stdin.buffer):
        states = [GameState.new_game(game)]
        try:
            for action in actions:
                states.append(_play(states[-1], [action]))
            answers.append(_fingerprint(Line(tuple(states), actions)))
        except RuleBroken as error:
            sys.exit(str(error))
        except Exception as error:
            sys.exit(error_text(error))
    print(json.dumps(answers))

