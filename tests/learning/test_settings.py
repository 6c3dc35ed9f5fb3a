"""Settings of learners: one declaration checks, reads, lists and documents them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from dlgo.errors import SpecError
from engines.learning.settings import Settings, setting


@dataclass(frozen=True)
class Play(Settings):
    owner = "train toy"
    temperature: float = setting(1.0, "how moves are drawn", low=0, high=2, source="Somebody 1999")


@dataclass(frozen=True)
class Toy(Settings):
    owner = "train toy"
    game: str = setting(None, "what is played")
    steps: int = setting(10, "steps of training", low=1)
    kind: str = setting("a", "one of two", choices=("a", "b"))
    fast: bool = setting(False, "whether to hurry")
    most: int | None = setting(None, "most steps; by default no limit", kind=int, low=1)
    play: Play = field(default_factory=Play)


def test_settings_are_read_as_they_are_typed() -> None:
    assert Toy.parse(["steps=1e3", "kind=b", "fast=yes", "temperature=0.5"]) == {
        "steps": 1000, "kind": "b", "fast": True, "temperature": 0.5,
    }


@pytest.mark.parametrize("text, part", [
    ("step=3", "did you mean steps?"), ("steps=0", "steps=0 is out of range (at least 1)"),
    ("steps=1.5", "not a whole number"), ("kind=c", "not one of a, b"),
    ("fast=soon", "not yes or no"), ("temperature=nan", "out of range (0 to 2)"),
])
def test_a_mistake_is_one_line_with_the_range(text: str, part: str) -> None:
    with pytest.raises(SpecError) as caught:
        Toy.parse([text])
    assert part in str(caught.value) and str(caught.value).startswith("train toy")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given, part", [
    ({"steps": 0}, "steps=0"), ({"steps": 2.5}, "whole number"), ({"kind": "c"}, "kind='c'"),
    ({"fast": "perhaps"}, "fast"), ({"most": 0}, "most=0"), ({"play": Play(9.0)}, "temperature=9"),
])
def test_values_are_checked_wherever_they_come_from(given: dict, part: str) -> None:
    with pytest.raises(SpecError) as caught:
        Toy(game="go", **given).check()
    assert part in str(caught.value)
    Toy(game="go").check()


def test_stored_settings_are_read_back() -> None:
    again = Toy("go", fast=True, play=Play(1.5))
    assert Toy.from_json(again.to_json()) == again
