"""Conformance rules of Zobrist keys: equal for equal positions, different for different ones.

A rule cannot inspect a key; it compares positions. Two positions count as equal if they look alike
(`render`, without the mark of the last move), the same player is to move, the same actions are
legal, and each action ends the game in both or in neither.
"""

from __future__ import annotations

import collections
import itertools
import json
import os
import pickle
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.bits import INTERPRETED
from dlgo.conformance import kit
from dlgo.conformance.broken import Kind, RuleBroken, broken, explain
from dlgo.conformance.plain import use_plain_integers
from dlgo.encoders import get_encoder
from dlgo.faults import fault_text, is_user_file
from dlgo.plugins import import_path
from dlgo.rng import make_rng

# Limit of positions times actions, so that a large board does not take minutes.
LOOKED_AT = 3_000
# Number of positions whose neighbours, a few plies later, are compared, and of these for each.
PARENTS, NEIGHBOURS = 40, 240
# Most pairs with the same key that are compared closely: those whose planes differ or are equal.
COMPARED = {False: 300, True: 20}
# Random games that go on from both positions of a pair.
CONTINUATIONS = 3
# Number of move orders tried for each of them.
REORDERINGS = 16
FRESH_PROCESS_SECONDS = 300
_SEEN = ("keys", "boards", "moves, turns, results or estimates", "planes", "rollouts")
ANSWER = "from dlgo.conformance.keys import answer; answer()"


def keys(sample: kit.Sample) -> kit.Findings:
    """Equal positions have equal keys for all move orders, different positions different keys."""
    by_planes: dict[tuple[Any, ...], GameState] = {}
    by_key: dict[int, tuple[GameState, tuple[Any, ...]]] = {}
    encoder = get_encoder("planes", sample.game)
    compared = {True: 0, False: 0}  # pairs with the same key, by whether their planes are equal
    for state in itertools.chain(positions_of(sample), _neighbours(sample)):
        key = kernels.key(state.kernel_state)
        if not -(2**63) <= int(key) < 2**63 or isinstance(key, float):
            yield f"key {key!r} is not an int of 64 bits", state
        planes = (encoder.encode(state).tobytes(), *state._survey()[:2])
        twin = by_planes.setdefault(planes, state)
        if twin.key() != key:
            _check_equal((state, twin))
        twin, its_planes = by_key.setdefault(int(key), (state, planes))
        if compared[planes == its_planes] < COMPARED[planes == its_planes] and (
            kit.bytes_of(twin.kernel_state) != kit.bytes_of(state.kernel_state)
        ):
            compared[planes == its_planes] += 1
            _check_alike((state, twin))


def _check_equal(states: Sequence[GameState]) -> None:
    """Raise RuleBroken if two positions look alike but have different keys."""
    state, twin = states
    if state.key() != twin.key() and _looks(state) == _looks(twin) and not _parted(state, twin):
        text = "an equal position, reached by other moves, has another key (or render hides a " \
            f"difference): {_moves(twin)}"
        raise broken("keys", text, state, twin=twin, again=_check_equal)


def _check_alike(states: Sequence[GameState]) -> None:
    """Raise RuleBroken if two positions with the same key do not play alike."""
    state, twin = states
    if state.key() != twin.key() or kit.bytes_of(state.kernel_state) == kit.bytes_of(
        twin.kernel_state
    ):
        return
    # The legal actions may depend on the history, which is not part of the key.
    matters = not state.game.history_matters
    looks, others = _looks(state), _looks(twin)
    different = state.game.stones(state) != twin.game.stones(twin) or looks[1] != others[1]
    if different or matters and (looks[2:] != others[2:] or _parted(state, twin)):
        text = f"a different position has the same key: {_moves(twin)}"
        raise broken("keys", text, state, Kind.SAME_KEY, twin, _check_alike)


def _parted(state: GameState, twin: GameState) -> bool:
    """Whether some game that goes on from two positions with the same actions shows a
    difference of the rules."""
    generator = np.random.default_rng(0)
    for _ in range(CONTINUATIONS):
        choices = map(int, generator.integers(1 << 30, size=kit.LONGEST_GAME))
        line = kit.play_line(state.game, choices, start=state)
        position = kit.clone(twin, room=kit.LONGEST_GAME)
        if kit.follow(line, 0, position, kit.LONGEST_GAME, ignoring=("key", "evaluate")):
            return True
    return False


def _neighbours(sample: kit.Sample) -> Iterator[GameState]:
    """Positions a few plies after some of the sample, all ways to go on or as many as are
    affordable.

    Random games rarely contain two positions that differ only in something that a key lacks (an
    arrow in Amazons), or that are equal after a removal; the neighbours of one position often do.
    """
    known: set[tuple[bytes, ...]] = set()
    for parent in sample.states(PARENTS):
        queue, n = collections.deque([parent]), 0
        while queue and n < NEIGHBOURS:
            state = queue.popleft()
            for action in state.legal_actions()[:NEIGHBOURS].tolist():
                child = kit.step_if_legal(state, action)
                if child and (arrays := tuple(kit.bytes_of(child.kernel_state))) not in known:
                    known.add(arrays)
                    n += 1
                    queue.append(child)
                    yield child


def _affordable(sample: kit.Sample, most: int) -> int:
    """The number of positions, at most `most`, that have about `LOOKED_AT` actions together."""
    views = sample.lines[0].views
    actions = sum(len(view.legal_actions) for view in views)
    return max(3, min(most, LOOKED_AT * len(views) // max(actions, 1)))


def _moves(state: GameState) -> str:
    return " ".join(state.game.move_text(move) for move in state.moves()) or "the start"


def positions_of(sample: kit.Sample) -> Iterator[GameState]:
    """The sample's positions, and others reached by the same moves in another order.

    Positions with equal arrays are yielded once.
    """
    most = _affordable(sample, 300)
    generator = np.random.default_rng(sample.seed)
    keys: set[tuple[bytes, ...]] = set()
    for line, ply in [*sample.places(most), *sample.places(most // 3, finished=True)]:
        spans = generator.integers(3, 12, size=REORDERINGS)
        for state in (line.states[ply], *(_reorder(line, ply, n, generator) for n in spans)):
            arrays = tuple(kit.bytes_of(state.kernel_state)) if state else ()
            if state and arrays not in keys:
                keys.add(arrays)
                yield state


def _reorder(
    line: kit.Line, ply: int, span: int, generator: np.random.Generator
) -> GameState | None:
    """The state at `ply` after the last `span` plies in another order, or None if impossible.

    Each player makes their own moves, so that the stones are the same.
    """
    first = max(0, ply - span)
    remaining: tuple[list[int], list[int]] = ([], [])
    for i in range(first, ply):
        remaining[line.views[i].to_move].append(line.actions[i])
    state = line.states[first]
    for _ in range(first, ply):
        own = remaining[kernels.to_move(state.kernel_state)]
        if not own:
            return None
        action = own.pop(int(generator.integers(len(own))))
        if (successor := kit.step_if_legal(state, action)) is None:
            return None
        state = successor
    return state


def _looks(state: GameState) -> tuple[Any, ...]:
    """The properties that distinguish positions: board, player to move, legal and final actions."""
    view = kit.look(state)
    ends = []
    for action in view.legal_actions:
        target = kit.clone(state)
        kernels.play(target, action)
        ends.append(kernels.result(target) if kernels.terminal(target) else None)
    board = state.game.render(GameState(state.game, state.kernel_state))
    return board, view.to_move, view.legal_actions, view.result, tuple(ends)


def fresh_process(sample: kit.Sample) -> kit.Findings:
    """Another process compiles the game and gets the same positions, keys, planes and rollouts.

    So keys can be stored, and checks without compiling hold for compiled code.
    """
    yield from fresh_processes([sample])


def fresh_processes(samples: list[kit.Sample]) -> kit.Findings:
    """`fresh_process` for several games at the cost of one process."""
    lines = [(sample.game, sample.lines[0]) for sample in samples]
    try:
        task = pickle.dumps([(game, line.actions) for game, line in lines])
    except Exception as error:
        yield f"the game cannot be pickled: {error}", None
        return
    plain = samples[0].against_plain
    done = subprocess.run(
        [sys.executable, "-P", "-c", ANSWER], input=task, capture_output=True,
        timeout=FRESH_PROCESS_SECONDS, check=False,
        # Another seed of `hash`, which differs between processes and must not affect keys.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, import_path())),
             "PYTHONHASHSEED": "4711", "NUMBA_DISABLE_JIT": str(int(plain))},
    )
    if done.returncode:
        text = done.stderr.decode().strip() or f"it ends with status {done.returncode}"
        yield f"another process cannot play the game: {text}", None
        return
    answers = json.loads(done.stdout.splitlines()[-1])
    if isinstance(answers, dict):
        text = f"another process cannot play the game: {answers['text']}"
        kind = Kind(answers["kind"]) if answers["kind"] else None
        raise RuleBroken("fresh process", text, kind, answers["line"])
    plain = plain != INTERPRETED
    kind = Kind.ARITHMETIC if plain else None
    where = "between plain Python and compiled code" if plain else (
        "in another process, which compiles anew")
    for (game, line), answer in zip(lines, answers, strict=True):
        for state, theirs, ours in zip(line.states, answer, _fingerprint(line), strict=True):
            names = [name for name, a, b in zip(_SEEN, theirs, ours, strict=True) if a != b]
            if names:
                text = f"{game}: {', '.join(names)} differ {where}"
                raise broken("fresh process", text, state, kind)


def _fingerprint(line: kit.Line) -> list[list[Any]]:
    """For each state, the values that `_SEEN` names."""
    encoder = get_encoder("planes", line.states[0].game)
    return [
        [
            state.key(), zlib.crc32(str(state).encode()), list(map(str, view._replace(key=0))),
            zlib.crc32(encoder.encode(state).tobytes()),
            [int(kernels.rollout(kit.clone(state), make_rng(seed))) for seed in range(4)],
        ]
        for state, view in zip(line.states, line.views, strict=True)
    ]


def answer() -> None:
    """The other process: read games and actions, print the properties of their positions."""
    answers = []
    for game, actions in pickle.load(sys.stdin.buffer):
        if INTERPRETED:
            use_plain_integers(game)
        states = [GameState.new_game(game)]
        try:
            for action in actions:
                if (state := kit.step_if_legal(states[-1], action)) is None:
                    raise broken("legality", f"action {action} is illegal there", states[-1])
                states.append(state)
            answers.append(_fingerprint(kit.Line(tuple(states), actions)))
        except Exception as error:
            text = str(error) if isinstance(error, RuleBroken) else fault_text(error)
            kind, line = explain(error, is_user_file)
            print(json.dumps({"text": text, "kind": kind, "line": line}))
            return
    print(json.dumps(answers))
