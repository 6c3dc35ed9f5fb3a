"""Chapter 7.5: SGD, decay, momentum, Adagrad, Adadelta and Adam on one task.

    python -m experiments.chapters.ch07_optimizers [--quick] [--game go9] [--games 500] ...

The same network, the same games, the same order of the same batches; only the steps differ.
Learning rates are the book's or Keras's where it gives none, and Adadelta's is the paper's.

What to look for: who is ahead after few epochs, and whether the others catch up with more. The
decay of listing 7.26, a percent a step, leaves a tenth of the rate after 900 steps: how much
does it still learn then?

Last run, 400 games of Connect Four, 2026-11-21 (docs/training.md): held-out moves 33% by SGD, 23%
with decay, 38% with momentum, 22% by Adagrad, 38% by Adadelta, 37% by Adam, 39% with cosine.
`--quick` (three epochs of a smaller network, 2026-11-22): SGD 22%, decay 21%,
momentum 33%, Adam 29%, each +-2 to 3%.
"""

from __future__ import annotations

from engines.supervised.config import SupervisedConfig
from experiments.command import run
from experiments.studies.ablation import Setting, compare, load_data, setting_options

VARIANTS = {
    "SGD": ("sgd:lr=0.1", "constant"),
    "SGD, decay 1% a step": ("sgd:lr=0.1", "decay:decay=0.01"),
    "momentum": ("momentum:lr=0.1", "constant"),
    "momentum, decay (7.26)": ("momentum:lr=0.1", "decay:decay=0.01"),
    "momentum, cosine": ("momentum:lr=0.1", "cosine"),
    "Adagrad": ("adagrad:lr=0.01", "constant"),
    "Adadelta": ("adadelta", "constant"),
    "Adam": ("adam", "constant"),
    "Adam, cosine": ("adam", "cosine"),
}


@setting_options("ch07_optimizers")
def main(setting: Setting) -> None:
    """Train the chapter's small network by each optimiser."""
    network = "cnn:filters=16,hidden=32,pool=none,dropout=0" if setting.quick else "small"
    chosen = {label: VARIANTS[label] for label in (
        ("SGD", "SGD, decay 1% a step", "momentum", "Adam") if setting.quick else VARIANTS
    )}
    compare(setting, load_data(setting), {
        label: SupervisedConfig(
            label, "oneplane", network, optimizer=optimizer, schedule=schedule,
            epochs=setting.epochs,
        ) for label, (optimizer, schedule) in chosen.items()
    })


if __name__ == "__main__":
    run(main)
