"""Tables of the reference pages."""

from __future__ import annotations

import pytest

from dlgo.errors import SpecError
from dlgo.specs import options_table
from engines.alphago.bundle import read_bundle, shipped_bundles
from engines.learners import LEARNERS
from engines.learning.networks.store import SHIPPED, load_card, shipped_models
from engines.registry import engine_class
from experiments.docs.tables import MARK, table
from tests.command import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))
MARKS = [mark for page in PAGES for mark in MARK.findall(page.read_text(encoding="utf-8"))]
TRAINERS = ["alphago", "alphazero", "shared", "supervised",
            *(f"{name} without shared" for name in LEARNERS)]


def test_every_trainer_and_every_kind_of_table_is_on_a_page() -> None:
    assert {f"settings {name}" for name in TRAINERS} <= set(MARKS)
    assert {"encoders", "networks", "heads", "keys plan", "keys league", "keys class",
            "keys recipe", "options alphazero", "options mcts", "options alphabeta"} <= set(MARKS)


def test_a_table_leaves_out_what_another_one_shows() -> None:
    own = [option for option in engine_class("puct").options
           if option not in engine_class("alphazero").options]
    assert table("options puct without alphazero") == options_table(own, "option")
    assert 0 < len(own) < len(engine_class("puct").options)


def test_keys_of_toml_files_have_values_of_toml() -> None:
    assert "| `feedback` | `true` |" in table("keys class") and "`yes`" not in table("keys class")


@pytest.mark.parametrize("about", ["options", "options nobody", "settings nobody", "keys nobody",
                                   "planes"])
def test_an_unknown_table_is_one_line(about: str) -> None:
    with pytest.raises(SpecError) as caught:
        table(about)
    assert "\n" not in str(caught.value)


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
