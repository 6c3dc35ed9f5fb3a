"""Conformance checks of what networks see: pieces, planes, and the symmetries of the board."""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance.keys import positions_of
from dlgo.conformance.sample import Line, Sample, broken, bytes_of, difference, look
from dlgo.encoders import Encoder, encode_many, encoder_names, get_encoder
from dlgo.symmetry import Symmetries, symmetries

# Lines of play that are mirrored, and every how many plies the planes are compared.
MIRRORED_LINES, MIRRORED_STEP = 2, 5


def check_pieces(sample: Sample) -> None:
    """`piece` names nobody, or a player and one of the kinds; `cell` says the same."""
    game = sample.game
    kinds = len(game.piece_kinds)
    for state in [*sample.states(20), *sample.states(4, finished=True)]:
        for cell in range(game.board_rows * game.board_cols):
            piece = int(kernels.piece(state.kernel_state, cell))
            if not (piece == kernels.NOBODY or 0 <= piece < 2 * kinds):
                text = f"piece of cell {cell} is {piece}, not -1 or 0 to {2 * kinds - 1}"
                raise broken("pieces", text, state)
            owner = game.cell(state, cell // game.board_cols + 1, cell % game.board_cols + 1)
            if (owner.index if owner else -1) != (piece % 2 if piece >= 0 else -1):
                raise broken("pieces", f"cell {cell}: piece is {piece}, cell {owner}", state)


def check_colours(sample: Sample) -> None:
    """What a player puts on an empty cell is their own."""
    game = sample.game
    own, other = 0, []
    for line, ply in sample.places(60):
        before, after = line.states[ply], line.states[ply + 1]
        for cell in range(game.board_rows * game.board_cols):
            piece = int(kernels.piece(after.kernel_state, cell))
            if piece >= 0 and kernels.piece(before.kernel_state, cell) == kernels.NOBODY:
                if piece % 2 == kernels.to_move(before.kernel_state):
                    own += 1
                else:
                    other.append(after)
    if not own and len(other) >= 5:
        raise broken("colours", "what a player puts down is shown as the other player's", other[0])


def check_planes(sample: Sample) -> None:
    """Encoders write all of their planes, finite numbers, alone or in batches, and no more."""
    game = sample.game
    states = [*sample.states(12), *sample.states(4, finished=True)]
    if not states:
        return
    for name in encoder_names(game):
        encoder = get_encoder(name, game)
        planes = []
        for state in states:
            window, known = encoder.window(state)
            before = bytes_of(window)
            written = []
            for poison in (np.nan, 7.0):
                out = np.full((1, *encoder.shape), poison, np.float32)
                encode_many(encoder.kernel, window, np.array([known]), 1, out)
                written.append(out[0])
            if not np.isfinite(written).all():
                raise broken("planes", f"{name} writes what is not a finite number", state)
            if not np.array_equal(*written):
                raise broken("planes", f"{name} leaves some of its planes unwritten", state)
            if not np.array_equal(written[0], encoder.encode(state)):
                raise broken("planes", f"{name} writes other planes the second time", state)
            if bytes_of(window) != before:
                raise broken("planes", f"{name} changes the position", state)
            planes.append(written[0])
        _check_batch(encoder, states, planes)


def _check_batch(encoder: Encoder, states: list[GameState], planes: list[np.ndarray]) -> None:
    n, length = len(states), encoder.history + 1
    longest = max((state.kernel_state for state in states), key=lambda s: sum(map(np.size, s)))
    windows = kernels.make_batch(encoder.game.scratch_state(longest), n * length)
    known = np.zeros(n, np.int64)
    for i, state in enumerate(states):
        window, known[i] = encoder.window(state)
        for j in range(known[i]):
            target = kernels.row(windows, i * length + j)
            kernels.copy_into(target, kernels.row(window, j))
    out = np.full((n, *encoder.shape), np.nan, np.float32)
    encode_many(encoder.kernel, windows, known, n, out)
    for i, state in enumerate(states):
        if not np.array_equal(out[i], planes[i]):
            raise broken("planes", f"{encoder.name} writes other planes in a batch", state)


def check_all_is_seen(sample: Sample) -> None:
    """Positions with different keys have different `planes`: nothing is hidden from a network.

    Finished games apart, which no network is asked about.
    """
    encoder = get_encoder("planes", sample.game)
    keys: dict[bytes, int] = {}
    for state in positions_of(sample):
        if state.is_over():
            continue
        planes = encoder.encode(state).tobytes()
        if keys.setdefault(planes, state.key()) != state.key():
            text = "a position with another key has the same planes: what differs is not a piece, "
            raise broken("all is seen", text + "and `extra_planes` does not show it", state)


def check_images(sample: Sample) -> None:
    """Under the game's symmetries, legal moves and the planes of every encoder are mirrored.

    `search_actions` and `evaluate` are mirrored, too, if the author declares them symmetric.
    """
    game = sample.game
    try:
        group = symmetries(game)
    except ValueError as error:
        raise broken("images", str(error)) from None
    encoders = [get_encoder(name, game) for name in encoder_names(game)]
    for line in sample.lines[:MIRRORED_LINES]:
        for k in range(1, len(group)):
            _check_image(line, group, k, encoders, sample.facts.symmetric)


def check_ownership(sample: Sample) -> None:
    """Where a game says whose cells are whose at the end: 1, 0 or -1, mirrored with the board.

    Only for games with an `ownership` of their own.
    """
    game = sample.game
    if not kernels.offers(game.new_kernel_state(), "ownership"):
        return
    group = symmetries(game)
    for line in sample.lines:
        if not line.over:
            continue
        state = line.states[-1]
        boards = []
        for poison in (9, -9):
            out = np.full((game.board_rows, game.board_cols), poison, np.int8)
            kernels.ownership(state.kernel_state, out)
            boards.append(out)
        if not np.array_equal(*boards) or np.abs(boards[0]).max() > 1:
            raise broken("ownership", "some cells are not written, or not 1, 0 or -1", state)
        if not game.same_position(game.new_kernel_state(), line.states[0].kernel_state):
            continue
        for k in range(1, len(group)):
            mirrored = GameState.new_game(game)
            for action in line.actions:
                mirrored = mirrored.apply_move(game.move_of(group.action(k, action)))
            kernels.ownership(mirrored.kernel_state, out)
            if not np.array_equal(out, group.planes(k, boards[0][..., None])[..., 0]):
                text = f"under {group.names[k]}, it is not mirrored"
                raise broken("ownership", text, state)


def _check_image(
    line: Line, group: Symmetries, k: int, encoders: list[Encoder], symmetric: bool
) -> None:
    game = line.states[0].game
    mirrored = GameState.new_game(game)
    if not game.same_position(mirrored.kernel_state, line.states[0].kernel_state):
        return  # not the start of a game, so it cannot be played again
    for ply, state in enumerate(line.states):
        name = group.names[k]
        legal, images = np.zeros((2, game.num_actions), bool)
        legal[state.legal_actions()] = True
        images[mirrored.legal_actions()] = True
        if not np.array_equal(group.policy(k, legal), images):
            raise broken("images", f"under {name}, other moves are legal", state)
        if symmetric:
            view, image = line.views[ply], look(mirrored)
            expected = view._replace(key=image.key, **{
                field: tuple(sorted(group.action(k, action) for action in getattr(view, field)))
                for field in ("legal_actions", "search_actions")
            })
            if wrong := difference(image, expected):
                raise broken("images", f"under {name}, {wrong}", state)
        if ply % MIRRORED_STEP == 0 or ply == len(line.actions):
            for encoder in encoders:
                expected = group.planes(k, encoder.encode(state))
                if not np.array_equal(encoder.encode(mirrored), expected):
                    text = f"under {name}, the planes of {encoder.name} are not mirrored"
                    raise broken("images", text, state)
        if ply < len(line.actions):
            mirrored = mirrored.apply_move(game.move_of(group.action(k, line.actions[ply])))
