"""The texts of GTP against the words of its specification (version 2, draft 2)."""

from __future__ import annotations

import pytest

from dlgo import Player
from dlgo.gtp import (
    Command,
    GtpError,
    format_response,
    parse_color,
    parse_command,
    parse_float,
    parse_int,
    parse_response,
)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("name", Command(None, "name")),
        ("12 play white h10\n", Command(12, "play", ("white", "h10"))),
        ("play\tB\tF5\r\n", Command(None, "play", ("B", "F5"))),  # HT to SPACE, CR removed
        ("na\x07me\x7f", Command(None, "name")),  # control characters removed
        ("name # and a comment", Command(None, "name")),
        ("genmove b#lack", Command(None, "genmove", ("b",))),
        ("  komi   6.5  ", Command(None, "komi", ("6.5",))),
        ("0 name", Command(0, "name")),
        ("2147483647 name", Command(2**31 - 1, "name")),
        ("7", Command(7, "")),
        ("", None), ("  \t ", None), ("# only a comment", None), ("\r", None),
    ],
)
def test_commands_are_read_after_the_four_steps_of_section_3_1(
    line: str, command: Command | None
) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ((None, "2", True), "= 2\n\n"),
        ((5, "", True), "=5\n\n"),
        ((5, "D4", True), "=5 D4\n\n"),
        ((None, "illegal move", False), "? illegal move\n\n"),
        ((0, "a\nb", True), "=0 a\nb\n\n"),
        ((None, "a\n\n\nb\n", True), "= a\n \n \nb\n\n"),  # no empty line inside
        ((None, "\n1 .\nA", True), "= \n1 .\nA\n\n"),
        ((None, "x\r\x00\ty", True), "= x y\n\n"),
    ],
)
def test_a_response_ends_with_its_only_empty_line(
    response: tuple[int | None, str, bool], text: str
) -> None:
    assert format_response(*response) == text
    assert text.index("\n\n") == len(text) - 2
    ok, number, result = parse_response(text)
    assert (number, ok) == (response[0], response[2])
    assert result.split() == response[1].replace("\r", "").replace("\x00", "").split()


@pytest.mark.parametrize("text", ["", "D4", "ok", "=x", "=1.5", "=12345678901", "!"])
def test_what_is_no_response_is_refused(text: str) -> None:
    with pytest.raises(GtpError):
        parse_response(text)


def test_simple_entities_of_section_3_2_1() -> None:
    assert [parse_color(c) for c in ("w", "White", "BLACK", "b")] == [
        Player.white, Player.white, Player.black, Player.black
    ]
    assert [parse_int(n, "n") for n in ("0", "19", "2147483647")] == [0, 19, 2**31 - 1]
    assert [parse_float(x, "x") for x in ("7.5", "-3", "1e3", ".5")] == [7.5, -3, 1000, 0.5]
    for bad in ("-1", "2147483648", "1.5", "", "x", "٣", "1_0", "9" * 5000):
        with pytest.raises(GtpError):
            parse_int(bad, "n")
    for bad in ("nan", "inf", "1e39", "x", "", "1_0", "--1", "0x10", "9" * 5000):
        with pytest.raises(GtpError):
            parse_float(bad, "x")
    for bad in ("blue", "", "bl", "white "):
        with pytest.raises(GtpError):
            parse_color(bad)
