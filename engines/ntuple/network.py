"""N-tuple networks: the value of a position is a sum of weights from large tables (Lucas 2007).

A tuple is a sequence of cells. Their contents, read as the digits of a number, name one weight in
the tuple's table:

    . x o .         contents: 0 empty, 1 a stone of player 0, 2 of player 1
    cells b c       digits 1 2, so weight number 1 * 3 + 2 = 5

The value for player 0 is tanh(sum of the weights of all tuples). Each tuple is also read at its
images under the symmetries of the game, from the same table. There are tables for each player to
move.
"""

from __future__ import annotations

import io
import zipfile
from itertools import islice
from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.errors import ModelError, SpecError
from dlgo.jit import inline_kernel, kernel
from dlgo.specs import Option
from dlgo.symmetry import symmetries
from engines.learning.networks.card import Card
from engines.learning.networks.catalog import Entry, parse
from engines.learning.networks.leaf_evaluator import encoder_of
from engines.learning.networks.store import load_card, read_file
from engines.minimax.evaluation import ESTIMATE_SCALE, score_of
from engines.minimax.stack import PROVEN

FILE = "network-ntuple.npz"
MOST_WEIGHTS = 20_000_000
NETWORKS = {"walks": Entry("tuples are random walks over neighbouring cells (Thill et al. 2014)", (
    Option("count", 70, "number of tuples", low=1, high=10_000, always=True),
    Option("length", 8, "number of cells of a tuple", low=1, high=16, always=True),
    Option("seed", 1, "seed of the walks"),
))}


class Tuples(NamedTuple):
    """A network for the kernels: `images` are all tuples and their images."""

    cells: np.ndarray  # int16[length, images]
    first: np.ndarray  # int32[2, images], where the table begins in `weights`, by player to move
    weights: np.ndarray  # float32[n], or int16 of a saved network: all tables
    contents: int  # number of contents of a cell
    unit: float  # what a weight of 1 is worth
    digits: np.ndarray  # int32[cells of the board], scratch
    used: np.ndarray  # int32[images], scratch


@inline_kernel
def total(tuples, state, indices):
    """The sum of the weights of a position; writes their numbers into `indices`."""
    cells, player, contents = tuples.cells, kernels.to_move(state), np.int32(tuples.contents)
    for i in range(len(tuples.digits)):
        tuples.digits[i] = 1 + kernels.piece(state, i)
    # All tuples at once, digit by digit: the processor computes several in one step.
    for k in range(len(indices)):
        indices[k] = tuples.digits[cells[0, k]]
    for i in range(1, len(cells)):
        for k in range(len(indices)):
            indices[k] = indices[k] * contents + tuples.digits[cells[i, k]]
    value = 0.0
    for k in range(len(indices)):
        indices[k] += tuples.first[player, k]
        value += tuples.weights[indices[k]]
    return tuples.unit * value


@kernel
def _score(tuples, state, info):
    sign = 1 - 2 * kernels.to_move(state)
    score = np.int64(round(sign * ESTIMATE_SCALE * total(tuples, state, tuples.used)))
    return min(max(score, 1 - PROVEN), PROVEN - 1)


score_of.register(Tuples, _score)


def make_tuples(game: GameSpec, network: str) -> np.ndarray:
    """The tuples of a network of `NETWORKS`: int16[tuples, length]. Raises SpecError if the board
    is too small for them, or there would be too many weights."""
    _, settings = parse("network", NETWORKS, network)
    count, length = settings["count"], settings["length"]
    rng = np.random.default_rng(settings["seed"])
    # A walk that ends early is drawn again; where nearly all do, the board is too small.
    walks = (_walk(game, length, rng) for _ in range(100 * count))
    cells = list(islice((walk for walk in walks if len(walk) == length), count))
    weights = 2 * count * (1 + 2 * len(game.piece_kinds)) ** length
    if len(cells) < count or weights > MOST_WEIGHTS:
        raise SpecError(f"network {network} does not suit {game}: it has {weights:,} weights (at "
                        f"most {MOST_WEIGHTS:,}) and walks of {length} cells on a board of "
                        f"{game.board_rows}x{game.board_cols}; choose a smaller length")
    return np.array(cells, np.int16)


def _walk(game: GameSpec, length: int, rng: np.random.Generator) -> list[int]:
    """Cells on the way of a king that enters none twice; fewer if no neighbour is left."""
    rows, cols = game.board_rows, game.board_cols
    walk, free = [int(rng.integers(rows * cols))], {0}
    while len(walk) < length and free:
        row, col = divmod(walk[-1], cols)
        free = {r * cols + c for r in range(max(row - 1, 0), min(row + 2, rows))
                for c in range(max(col - 1, 0), min(col + 2, cols))} - {*walk}
        walk += [int(rng.choice(sorted(free)))] if free else []
    return walk


def new_tuples(
    game: GameSpec, cells: np.ndarray, weights: np.ndarray | None = None, unit: float = 1.0
) -> Tuples:
    """A network for the kernels, of tuples as of `make_tuples`; by default all weights are 0.
    Raises ValueError if there is another number of weights."""
    contents = 1 + 2 * len(game.piece_kinds)
    size = contents ** cells.shape[1]
    n = 2 * size * len(cells)
    weights = np.zeros(n, np.float32) if weights is None else weights
    if weights.shape != (n,):
        raise ValueError(f"{len(cells)} tuples need {n:,} weights, not {weights.shape}")
    board = symmetries(game).cells
    images = [(image, k) for k, walk in enumerate(cells)
              for image in dict.fromkeys(tuple(sides[walk].tolist()) for sides in board)]
    first = np.array([size * k for _, k in images], np.int32)
    return Tuples(
        np.array([image for image, _ in images], np.int16).T.copy(),
        np.array([first, first + n // 2]), weights, contents, unit,
        np.zeros(board.shape[1], np.int32), np.zeros(len(images), np.int32))


def packed(tuples: Tuples, cells: np.ndarray) -> bytes:
    """The content of the file of a network. Eight bits hold the square root of a weight: most
    weights are small, and count more exactly so."""
    largest = float(np.abs(tuples.weights).max()) or 1.0
    roots = 127 * np.sign(tuples.weights) * np.sqrt(np.abs(tuples.weights) / largest)
    content = io.BytesIO()
    np.savez_compressed(content, cells=cells, roots=np.round(roots).astype(np.int8),
                        unit=largest / 127**2)
    return content.getvalue()


def load_tuples(name: str, game: GameSpec) -> tuple[Tuples, Card]:
    """A model, by name or folder, for `game`. Raises ModelError if it is not an n-tuple network of
    the game, or damaged."""
    folder, card = load_card(name)
    encoder_of(card, game)
    if FILE not in card.files:
        raise ModelError(f"model {card.name} is not an n-tuple network ({card.network}); train one "
                         f"with `dlgo train ntuple --game {game}`")
    content = read_file(folder, card, FILE)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            cells, roots = arrays["cells"].astype(np.int16), arrays["roots"].astype(np.int16)
            return new_tuples(game, cells, roots * np.abs(roots), float(arrays["unit"])), card
    except (OSError, EOFError, ValueError, LookupError, TypeError, zipfile.BadZipFile) as error:
        raise ModelError(f"model {card.name}: {FILE} cannot be read: {error}; copy the folder "
                         "again") from None
