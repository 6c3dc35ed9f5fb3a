"""JSON and TOML of strangers are refused in one line that says what is wrong and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo.errors import FormatError
from dlgo.readers import MALFORMED, MOST_LEVELS, read_json, read_toml


@pytest.mark.parametrize(("content", "message"), [
    (b'{"a": [1, 2}', r"x\.json is not JSON: .* \(at line 1, column 12\)"),
    (b"\xff", r"x\.json is not JSON: byte 1 is not UTF-8"),
    (b"9" * 5000, r"x\.json holds a number with too many digits"),
    (b"[" * 500 + b"]" * 500, rf"x\.json is nested deeper than {MOST_LEVELS} levels"),
    (b"[" * 200_000, rf"x\.json is nested deeper than {MOST_LEVELS} levels"),
    (b" " * 2000, r"x\.json is larger than 1,000 bytes"),
    (None, r"x\.json cannot be read: No such file or directory; check the name"),
])
def test_json(content: bytes | None, message: str, tmp_path: Path) -> None:
    path, most = tmp_path / "x.json", 1000 if content == b" " * 2000 else 1 << 20
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FormatError, match=f"{message}$"):
        read_json(path, most_bytes=most)
    assert issubclass(FormatError, MALFORMED)


@pytest.mark.parametrize(("content", "message"), [
    ("a = yes", r"it is not TOML: .* \(at line 1, column 5\); write a = true"),
    ("\ndue = 2026-13-45", r"it is not TOML: .*; 2026-13-45 is not a date: write year-month-day.*"),
    ("a = " + "[" * 2000, rf"it is nested deeper than {MOST_LEVELS} levels"),
])
def test_toml(content: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"^{message}$"):
        read_toml(content)


def test_what_is_right_is_read() -> None:
    assert read_json(b'\xef\xbb\xbf{"a": [null, 1.5]}') == {"a": [None, 1.5]}
    assert read_toml("a = [1, 2]") == {"a": [1, 2]}
