"""Tables of the reference pages: what a program can list is as the program lists it.

Where a test fails, paste the table that it expects into the page.
"""

from __future__ import annotations

from importlib import import_module

import pytest

import dlgo.encoders
from dlgo.encoders import encoder_names, get_encoder
from dlgo.games import game_names, get_game
from engines.alphago.bundle import read_bundle, shipped_bundles
from engines.learning.networks.catalog import HEADS, NETWORKS
from engines.learning.networks.store import SHIPPED, load_card, shipped_models
from tests.command import ROOT


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def table(heads: str, rows: list[tuple[str, ...]]) -> str:
    lines = [heads, "|" + "---|" * (heads.count("|") - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def encoders_table() -> str:
    """Every encoder, of the first game that has it alone, or of Go."""
    games = {name: get_game(name) for name in game_names()}
    functions = dlgo.encoders._GENERIC | dlgo.encoders._TURNED
    for of_game in dlgo.encoders._OF_GAME.values():
        functions |= of_game
    rows = []
    for name, target in functions.items():
        owners = [game for game in games if name in encoder_names(games[game])]
        shown = "all" if len(owners) == len(games) else ", ".join(owners)
        encoder = get_encoder(name, games["go" if "go" in owners else owners[0]])
        module, _, function = target.partition(":")
        summary = getattr(import_module(module), function).__doc__.splitlines()[0]
        rows.append((f"`{name}`", shown, "x".join(map(str, encoder.shape)), summary))
    return table("| encoder | games | shape (Go: 9x9) | what it shows |", rows)


def test_encoders_are_listed() -> None:
    assert encoders_table() in page("encoders.md")


def test_architectures_are_listed() -> None:
    rows = [(f"`{name}`", entry.summary) for name, entry in NETWORKS.items()]
    assert table("| network | what it is |", rows) in page("networks.md")


def test_heads_are_listed() -> None:
    rows = [(f"`{name}`", kind.form, kind.meaning) for name, kind in HEADS.items()]
    assert table("| head | form | meaning |", rows) in page("networks.md")


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
    assert f"\n| `{name}` | `{encoder}` | {seconds:,.0f} | " in page("networks.md")
