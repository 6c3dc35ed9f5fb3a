"""Tables of the reference pages."""

from __future__ import annotations

import pytest

from engines.alphago.bundle import read_bundle, shipped_bundles
from engines.learning.networks.store import SHIPPED, load_card, shipped_models
from tests.command import ROOT


def cost(name: str) -> tuple[str, float]:
    """The encoder of a shipped model, and the CPU seconds of all that it took."""
    if name in shipped_bundles():
        bundle = read_bundle(SHIPPED / name)
        return load_card(bundle.network("supervised"))[1].encoder, bundle.cpu_seconds
    _, card = load_card(name)
    return card.encoder, card.total_cpu_seconds


@pytest.mark.parametrize("name", [*shipped_models(), *shipped_bundles()])
def test_a_shipped_model_is_listed_with_its_encoder_and_cost(name: str) -> None:
    encoder, seconds = cost(name)
    text = (ROOT / "docs/networks.md").read_text(encoding="utf-8")
    assert f"\n| `{name}` | `{encoder}` | {seconds:,.0f} | " in text
