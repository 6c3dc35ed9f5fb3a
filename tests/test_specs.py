"""Specifications: numbers are checked in one place, texts are canonical."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from dlgo.errors import ModelError, SpecError
from dlgo.specs import Option, check_number, check_settings, format_spec, split_spec
from experiments.options import Number

WEIGHT = Option("weight", 0.5, "of something", low=0, high=10)
COUNT = Option("count", None, "how many", kind=int)


@pytest.mark.parametrize(("value", "kind", "expected"), [
    ("1e4", int, 10_000), ("-3", int, -3), (7, int, 7), ("0.25", float, 0.25), (3, float, 3.0),
    (str(2**63 - 1), int, 2**63 - 1), (3.0, int, 3), ("3.0", int, 3), ("3.", int, 3),
])
def test_numbers_and_their_texts_are_read(value, kind, expected) -> None:
    number = check_number(value, "x", kind)
    assert number == expected
    assert type(number) is kind


@pytest.mark.parametrize("value", [
    "nan", "-nan", "inf", "-inf", "Infinity", "1e999", "-1e999", float("nan"), float("inf"),
])
@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("bounds", [{}, {"low": 0}, {"low": 0, "high": 1}])
def test_what_is_not_finite_is_refused_whatever_the_bounds(value, kind, bounds) -> None:
    with pytest.raises(SpecError):
        check_number(value, "x", kind, **bounds)


@pytest.mark.parametrize(("value", "kind", "bounds", "message"), [
    ("11", int, {"low": 1, "high": 10}, "x=11 is out of range (1 to 10)"),
    ("0", int, {"low": 1}, "x=0 is out of range (at least 1)"),
    ("3", float, {"high": 2}, "x=3 is out of range (at most 2)"),
    ("9" * 20, int, {}, "x=99999999999999999999 is out of range (-9.22e+18 to 9.22e+18)"),
    ("1e300", float, {"low": 0}, "x=1e300 is out of range (0 to 1e+100)"),
    ("2.5", int, {}, "x='2.5' is not a whole number"),
    ("1e-1", int, {}, "x='1e-1' is not a whole number"),
    (True, int, {}, "x='True' is not a whole number"),
    ("", float, {}, "x='' is not a number"),
])
def test_a_refusal_names_the_value_and_the_range(value, kind, bounds, message) -> None:
    with pytest.raises(ModelError) as caught:
        check_number(value, "x", kind, **bounds, error=ModelError)
    assert str(caught.value) == message


def test_a_number_of_thousands_of_digits_is_not_repeated_in_the_message() -> None:
    with pytest.raises(SpecError) as caught:
        check_number("9" * 5000, "x", int)
    assert len(str(caught.value)) < 200


def test_the_command_line_checks_numbers_in_the_same_way() -> None:
    @click.command()
    @click.option("--pairs", type=Number(int, 1, 1000))
    def command(pairs: int) -> None:
        click.echo(pairs)

    assert CliRunner().invoke(command, ["--pairs", "1e2"]).output == "100\n"
    refused = CliRunner().invoke(command, ["--pairs", "nan"])
    assert refused.exit_code == 2
    refused = CliRunner().invoke(command, ["--pairs", "99999999999999999999"])
    assert "--pairs=99999999999999999999 is out of range (1 to 1,000)" in refused.output


def test_a_canonical_text_leaves_out_defaults() -> None:
    values = check_settings("engine x", [WEIGHT, COUNT], {"weight": "2"})
    assert values == {"weight": 2.0, "count": None}
    assert format_spec("x", [WEIGHT, COUNT], values) == "x:weight=2"


def test_quoted_values_keep_their_commas() -> None:
    assert split_spec('puct:agent="mcts:sims=5,c_uct=1",batch=2', "engine") == (
        "puct", {"agent": "mcts:sims=5,c_uct=1", "batch": "2"},
    )
