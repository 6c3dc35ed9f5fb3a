"""Settings of learners: one declaration checks, reads, lists and documents them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dlgo.errors import SpecError
from engines.alphago.config import AlphaGoConfig
from engines.alphazero.config import AlphaZeroConfig, make_config, parse_settings
from engines.alphazero.settings import FORMER_NAMES, SelfPlaySettings
from engines.learners import LEARNERS, learner_class
from engines.learning.reinforcement.config import ReinforcementConfig
from engines.learning.settings import Former, Settings, markdown_table, setting
from engines.supervised.config import SupervisedConfig

DOCS = Path(__file__).resolve().parents[2] / "docs"


@dataclass(frozen=True)
class Play(Settings):
    owner = "train toy"
    former = {"heat": Former("temperature", lambda heat: heat / 100)}
    temperature: float = setting(1.0, "how moves are drawn", low=0, high=2, source="Somebody 1999")


@dataclass(frozen=True)
class Toy(Settings):
    owner = "train toy"
    former = Play.former
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
    ("heat=300", "temperature=3 is out of range (0 to 2) (given as heat=300)"),
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


def test_former_names_stay_readable_in_files_and_on_the_command_line() -> None:
    assert Toy.parse(["heat=50"]) == {"temperature": 0.5}
    stored = {"game": "go", "steps": 3, "play": {"heat": 150}}
    assert Toy.from_json(stored) == Toy("go", 3, play=Play(1.5))
    again = Toy("go", fast=True)
    assert Toy.from_json(again.to_json()) == again
    with pytest.raises(SpecError, match="given twice"):
        Toy.current({"heat": 1, "temperature": 1})


def test_a_run_of_version_0_1_is_read_under_todays_names() -> None:
    """plan.json as `dlgo train alphazero --game draughts` wrote it, in part."""
    stored = {
        "game": "draughts", "passes": 4.0, "searched": 0.3, "sides": True, "promote": 0.55,
        "promote_games": 20, "first_passes": 3.0,
        "selfplay": {
            "c": 1.2, "first_play": 0.2, "noise_share": 0.3, "noise": 8.0, "resign": 0.8,
            "play_on": 0.15, "longest": 200,
        },
    }
    config = AlphaZeroConfig.from_json(stored)
    play = config.selfplay
    assert (config.epochs_per_position, config.search_value_weight) == (4.0, 0.3)
    assert (config.random_symmetry, config.gating_threshold, config.gating_games) == (
        True, 0.55, 20)
    assert config.first_games_epochs == 3.0
    assert (play.c_puct, play.fpu_reduction) == (1.2, 0.2)
    assert (play.dirichlet_epsilon, play.dirichlet_alpha_total) == (0.3, 8.0)
    assert (play.resign_below, play.no_resign_fraction, play.max_plies) == (0.1, 0.15, 200)
    assert AlphaZeroConfig.from_json({"game": "go", "selfplay": {"resign": 0.0}}).selfplay \
        .resign_below == 0.0
    assert parse_settings(["resign=0.85", "sides=yes"]) == {
        "resign_below": 0.075, "random_symmetry": True,
    }
    # The preset of 9x9 Go says today what it said then.
    assert make_config("go9").selfplay.resign_below == pytest.approx((1 - 0.85) / 2)


def test_every_former_name_has_a_setting_and_no_name_means_two() -> None:
    names = AlphaZeroConfig.options()
    assert all(former.name in names for former in FORMER_NAMES.values())
    assert not FORMER_NAMES.keys() & names
    inner = set(SelfPlaySettings.options())
    own = {f.name for f in dataclasses.fields(AlphaZeroConfig)}
    assert not inner & own


def test_the_table_in_the_docs_is_that_of_the_fields() -> None:
    """Print `markdown_table(AlphaZeroConfig)` into the page where this fails."""
    assert markdown_table(SupervisedConfig) in (DOCS / "training.md").read_text()
    assert markdown_table(AlphaZeroConfig) in (DOCS / "engines/alphazero.md").read_text()
    assert markdown_table(AlphaGoConfig) in (DOCS / "engines/alphago.md").read_text()
    assert markdown_table(ReinforcementConfig) in (DOCS / "reinforcement.md").read_text()
    for name in LEARNERS:
        own = markdown_table(learner_class(name).config, ReinforcementConfig)
        assert own in (DOCS / f"engines/{name}.md").read_text(), name
    page = (DOCS / "engines/alphazero.md").read_text()
    for old, former in FORMER_NAMES.items():
        assert f"| `{old}` | `{former.name}` |" in page
