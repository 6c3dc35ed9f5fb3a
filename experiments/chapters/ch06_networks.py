"""Chapter 6: predicting moves, from dense layers to a convolutional network.

    python -m experiments.chapters.ch06_networks [--quick] [--game go9] [--games 500] ...

The chapter's networks in its order, each with one thing changed: dense layers or convolutions;
sigmoid and squared error, or ReLU and cross-entropy; pooling; dropout. All see one plane, as
in the book, and are trained on the games of a tree search.

On 9x9 Go the trained networks are shown the chapter's probe (figure 6.4): whoever moves captures
two stones. Black's capture is at index 20. The book takes the largest of its printed
probabilities, at index 21, for that capture; but there black only saves two stones.

What to look for: what the loss is worth against what the layers are worth. The book's first two
networks reach 2.3% on 9x9, its last 8%; most of that is the loss. Accuracy and score against
the reference need not agree, and a difference within the score's margin says nothing.

Last run, 400 games of Connect Four, 2026-11-21 (docs/training.md): held-out moves 18% by both of
the book's first networks, 31% by dense layers and 36% by convolutions with cross-entropy. `--quick`
(three epochs, 2026-11-22): 17.5%, 27.9%, 17.5%
and 36.1%, each +-2 to 3%.
"""

from __future__ import annotations

import numpy as np

from dlgo import GameState, get_game
from engines.registry import build_engine
from engines.supervised.config import SupervisedConfig
from experiments.command import run
from experiments.studies.ablation import Setting, compare, load_data, setting_options

# Rows of figure 6.4 from index 0 on; 1 is black, to move.
_PROBE = {27: ".x o x o", 36: ".x o x o", 45: ". . x o"}
CAPTURE, ESCAPE = 20, 21

_BOOK = {"optimizer": "sgd:lr=0.01", "loss": "mse"}
_PLAIN = "cnn:pool=none,dropout=0"
VARIANTS = {
    "mlp as in 6.3.4": ("mlp", _BOOK),
    "mlp, cross-entropy, ReLU": ("mlp:activation=relu", {}),
    "cnn as in 6.4.2": ("cnn_plain", _BOOK),
    "cnn, cross-entropy, ReLU": (_PLAIN, {}),
    "  + max pooling": ("cnn:dropout=0", {}),
    "  + average pooling": ("cnn:dropout=0,pool=average", {}),
    "  + dropout 0.25": ("cnn:pool=none,dropout=0.25", {}),
    "  + dropout 0.5": ("cnn:pool=none,dropout=0.5", {}),
    "cnn as in 6.7": ("cnn", {"optimizer": "sgd:lr=0.1"}),
    "cnn, three convolutions": (f"{_PLAIN},layers=3", {}),
    "cnn, 96 filters": (f"{_PLAIN},filters=96", {}),
    "cnn, small dense layer": (f"{_PLAIN},hidden=64", {}),
}


def probe() -> GameState:
    """The chapter's test position, black to move: 20 takes two stones."""
    game = get_game("go9")
    stones: dict[str, list[int]] = {"x": [], "o": []}
    for first, row in _PROBE.items():
        cells = row.replace(" ", "")
        for col, cell in enumerate(cells):
            if cell != ".":
                stones[cell].append(first + col)
    state = GameState.new_game(game)
    for black, white in zip(stones["x"], stones["o"], strict=True):
        for action in (black, white):
            state = state.apply_move(game.move_of(action))
    return state


@setting_options("ch06_networks")
def main(setting: Setting) -> None:
    """Train the chapter's networks on the same games and compare them."""
    data = load_data(setting)
    chosen = list(VARIANTS.items())
    if setting.quick:
        chosen = chosen[:4]
    plans = {
        label: SupervisedConfig(label, "oneplane", network, epochs=setting.epochs, **changes)
        for label, (network, changes) in chosen
    }
    compare(setting, data, plans)
    if str(data.game) == str(get_game("go9")):
        print(f"\nthe probe: black captures at {CAPTURE}, saves two stones at {ESCAPE}")
        for label in plans:
            engine = build_engine(f"supervised:model={setting.model_folder(label)}", data.game)
            shares = np.zeros(data.game.num_actions)
            for move, share in engine.select_move(probe()).policy.items():
                shares[data.game.action_of(move)] = share
            rank = int((shares > shares[CAPTURE]).sum()) + 1
            print(f"{label:<26}{shares[CAPTURE]:>8.1%} (rank {rank}){shares[ESCAPE]:>8.1%}")


if __name__ == "__main__":
    run(main)
