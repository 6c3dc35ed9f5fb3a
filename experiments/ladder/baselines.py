"""The anchors of scales for people who want an opponent of known strength: `dlgo.anchor`.

How other libraries' programs play against one: `engines/adapters`.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlgo.errors import SpecError
from dlgo.specs import split_version, suggest
from engines.base import Engine
from engines.learning.networks.store import ONNX_FILE, load_card, shipped_models
from experiments.calls import called, engine
from experiments.ladder.scales import GameScale, all_scales
from reports.text import short


@called
def anchor(name: str, seed: int = 0) -> Engine:
    """An engine of known strength, ready to play: an anchor of a scale (docs/baselines.md).

    Args:
        name: scale and anchor, such as "connect4-2026.12/mcts:sims=300"; with the digest of the
            scale, "connect4-2026.12@4b1f2a90/mcts:sims=300", no other file of this name will do.
        seed: the same seed gives the same moves.

    Raises:
        SpecError: for an unknown scale or anchor, or another digest than the scale's.
        DlgoError: if the anchor's network is not that of the scale.
    """
    cited, _, spec = str(name).partition("/")
    scale = scale_named(cited)
    anchors = scale.scale.anchors
    if spec not in anchors:
        raise SpecError(f"scale {scale.name} has no anchor {spec!r}{suggest(spec, anchors)}; "
                        "`dlgo ladder GAME` lists them")
    built = engine(spec, scale.game, seed)
    scale.check_network(spec, built.network_id)
    return built


def scale_named(cited: str) -> GameScale:
    """The scale of a name, with or without a digest. Raises SpecError."""
    name, digest = split_version(cited)
    scales = all_scales()
    if name not in scales:
        raise SpecError(f"unknown scale {name!r}{suggest(name, scales)}; there are "
                        f"{', '.join(scales)}")
    scale = scales[name]
    if not scale.digest.startswith(digest):
        raise SpecError(f"scale {name} has digest {scale.digest[:8]} here, not {digest}; use the "
                        "version of dlgo that it belongs to")
    return scale


def anchor_rows() -> Iterator[tuple[str, ...]]:
    """All anchors, the strongest of a scale first: scale, anchor, Elo, size of the network in MB,
    CPU ms a move, CPU hours of training."""
    models = {card.network_id: (folder, card)
              for folder, card in map(load_card, shipped_models())}
    for scale in all_scales().values():
        for name, elo, cpu_ms in reversed([*scale.anchors()]):
            size = hours = ""
            if name in scale.networks:
                folder, card = models[scale.networks[name]]
                size = short((folder / ONNX_FILE).stat().st_size / 1e6)
                hours = short((card.total_cpu_seconds or 0) / 3600)
            yield scale.name, f"`{name}`", f"{elo:z.0f}", size, short(cpu_ms), hours
