"""Chapter 7.6: what more planes, more games, symmetries and a larger network are worth.

    python -m experiments.chapters.ch07_scaling [--quick] [--game go9] [--games 500] ...

Four questions, one change at a time from the same base: which encoder, how many games, every
position from random sides or not, and which network of chapter 7.

What to look for: the gap between train and held-out accuracy. Where it is wide, the network
knows its games by heart: do more games close it, and symmetries, which cost nothing? A larger
network is paid for in training, and again with every move (the last two columns): is its score
worth that?

Last run, `--quick` (three epochs, Connect Four, 2026-11-22): 23% of the held-out
moves after 42 games, 27% after 170, 32% after 340, 33% with symmetries, each +-2 to 3%. The fewer
games, the fewer steps as well: all learn for three epochs.
"""

from __future__ import annotations

from dlgo.encoders import encoder_names
from engines.supervised.config import SupervisedConfig
from experiments.command import run
from experiments.studies.ablation import Setting, compare, load_data, setting_options

NETWORKS = ("small", "medium", "large", "resnet:blocks=4,filters=64")


@setting_options("ch07_scaling")
def main(setting: Setting) -> None:
    """Train the variants on the same games and compare them."""
    data = load_data(setting)
    base = "cnn:filters=16,hidden=32,pool=none,dropout=0" if setting.quick else "small"

    def plan(**changes: object) -> SupervisedConfig:
        fields = {"encoder": "threeplane", "network": base, "value_head": False,
                  "epochs": setting.epochs} | changes
        return SupervisedConfig("", **fields)

    variants = {f"encoder {name}": plan(encoder=name) for name in encoder_names(data.game)}
    available = int(0.85 * data.n_games)  # 10% are held out, more where games are equal
    variants |= {
        f"{available // part} games": plan(games=available // part) for part in (8, 4, 2, 1)
    }
    variants["symmetries"] = plan(symmetries=True)
    variants |= {f"network {name.partition(':')[0]}": plan(network=name) for name in NETWORKS}
    if setting.quick:
        variants = {name: variants[name] for name in (
            f"{available // 8} games", f"{available // 2} games", f"{available} games",
            "symmetries",
        )}
    compare(setting, data, variants)


if __name__ == "__main__":
    run(main)
