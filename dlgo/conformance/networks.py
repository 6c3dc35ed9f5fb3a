"""Conformance rules of network inputs: planes, and the symmetries of the board."""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance import kit
from dlgo.conformance.keys import positions_of
from dlgo.encoders import Encoder, encode_many, encoder_names, get_encoder
from dlgo.symmetry import Symmetries, symmetries

# Number of lines of play that are mirrored, and of plies between comparisons of planes.
MIRRORED_LINES, MIRRORED_STEP = 2, 5


def planes(sample: kit.Sample) -> kit.Findings:
    """Encoders write all of their planes, finite numbers, alone or in batches, and no more."""
    states = [*sample.states(12), *sample.states(4, finished=True)]
    for name in encoder_names(sample.game) if states else ():
        encoder = get_encoder(name, sample.game)
        expected = []
        for state in states:
            window, n_states = encoder.window(state)
            contents = kit.bytes_of(window)
            outputs = []
            for poison in (np.nan, 7.0):
                out = np.full((1, *encoder.shape), poison, np.float32)
                encode_many(encoder.kernel, window, np.array([n_states]), 1, out)
                outputs.append(out[0])
            if not np.isfinite(outputs).all():
                yield f"{name} writes what is not a finite number", state
            if not np.array_equal(*outputs):
                yield f"{name} leaves some of its planes unwritten", state
            if not np.array_equal(outputs[0], encoder.encode(state)):
                yield f"{name} writes other planes the second time", state
            if kit.bytes_of(window) != contents:
                yield f"{name} changes the position", state
            expected.append(outputs[0])
        for i, batch in enumerate(_in_a_batch(encoder, states)):
            if not np.array_equal(batch, expected[i]):
                yield f"{name} writes other planes in a batch", states[i]


def _in_a_batch(encoder: Encoder, states: list[GameState]) -> np.ndarray:
    n, length = len(states), encoder.history + 1
    longest = max((state.kernel_state for state in states), key=lambda s: sum(map(np.size, s)))
    windows = kernels.make_batch(encoder.game.scratch_state(longest), n * length)
    n_states = np.zeros(n, np.int64)
    for i, state in enumerate(states):
        window, n_states[i] = encoder.window(state)
        for j in range(n_states[i]):
            kernels.copy_into(kernels.row(windows, i * length + j), kernels.row(window, j))
    out = np.full((n, *encoder.shape), np.nan, np.float32)
    encode_many(encoder.kernel, windows, n_states, n, out)
    return out


def all_is_seen(sample: kit.Sample) -> kit.Findings:
    """Positions with different keys have different `planes`: nothing is hidden from a network.

    Finished games are excluded: no network evaluates them.
    """
    encoder = get_encoder("planes", sample.game)
    keys: dict[bytes, int] = {}
    for state in positions_of(sample):
        if not state.is_over():
            key = keys.setdefault(encoder.encode(state).tobytes(), state.key())
            if key != state.key():
                yield "a position with another key has the same planes: the difference is not a " \
                    "piece, and `extra_planes` does not show it", state


def images(sample: kit.Sample) -> kit.Findings:
    """Under the game's symmetries, legal moves, planes and `ownership` are mirrored.

    `search_actions` and `evaluate`, too, if the author declares them symmetric.
    """
    game = sample.game
    try:
        group = symmetries(game)
    except ValueError as error:
        yield str(error), None
        return
    encoders = [get_encoder(name, game) for name in encoder_names(game)]
    for line in sample.lines[:MIRRORED_LINES]:
        for k in range(1, len(group)):
            for text, state in _image(line, group, k, encoders, sample.symmetric):
                yield f"under {group.names[k]}, {text}", state


def _image(
    line: kit.Line, group: Symmetries, k: int, encoders: list[Encoder], symmetric: bool
) -> kit.Findings:
    game = line.states[0].game
    mirrored = GameState.new_game(game)
    for ply, state in enumerate(line.states):
        legal, image = np.zeros((2, game.num_actions), bool)
        legal[state.legal_actions()] = True
        image[mirrored.legal_actions()] = True
        if not np.array_equal(group.policy(k, legal), image):
            yield "other moves are legal", state
        view, image_view = line.views[ply], kit.look(mirrored)
        for name in ("to_move", "terminal", "result"):
            if (here := getattr(view, name)) != (there := getattr(image_view, name)):
                yield f"{name} is {there}, not {here}", state
        if symmetric:
            legal_actions, search_actions = (
                tuple(sorted(group.action(k, action) for action in actions))
                for actions in (view.legal_actions, view.search_actions)
            )
            expected = view._replace(key=image_view.key, legal_actions=legal_actions,
                                     search_actions=search_actions)
            if wrong := kit.difference(image_view, expected):
                yield wrong, state
        if ply % MIRRORED_STEP == 0 or ply == len(line.actions):
            for encoder in encoders:
                planes_of_image = group.planes(k, encoder.encode(state))
                if not np.array_equal(encoder.encode(mirrored), planes_of_image):
                    yield f"the planes of {encoder.name} are not mirrored", state
        if ply < len(line.actions):
            mirrored = mirrored.apply_move(game.move_of(group.action(k, line.actions[ply])))
    if line.over and kernels.offers(mirrored.kernel_state, "ownership"):
        owners = np.empty((2, game.board_rows, game.board_cols), np.int8)
        kernels.ownership(state.kernel_state, owners[0])
        kernels.ownership(mirrored.kernel_state, owners[1])
        if not np.array_equal(owners[1], group.planes(k, owners[0][..., None])[..., 0]):
            yield "`ownership` is not mirrored", state
