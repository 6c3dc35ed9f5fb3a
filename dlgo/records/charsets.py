"""The text of a game record: which charset its bytes are in.

A file is decoded before it is parsed: in Shift-JIS, GBK and Big5 the second byte of a character
can look like a backslash or a bracket.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

# Programs write more characters than their declared charset has: Windows' supersets.
_SUPERSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
    "big5": "big5hkscs", "iso8859-1": "cp1252",
}
# Candidates for an undeclared charset: the superset, and the charset of its frequent characters.
_GUESSES = (
    ("gb18030", "gb2312"), ("cp932", "shift_jis"), ("cp949", "iso2022_kr"), ("big5hkscs", "big5"),
)
_WESTERN = "cp1252"
_NARROW = re.compile("[\uff61-\uff9f]")  # kana of one byte, which are rare
# Text that a charset must leave unchanged, so that brackets and backslashes can be found. Encodings
# of Python such as `punycode`, `utf-7` and `unicode_escape` fail this test.
_PROBE = r"(;C[\u0041 +AGE- AZaz09-])"


def decoded(
    data: bytes, declared: str = "", is_sound: Callable[[str], bool] = lambda text: True
) -> tuple[str, str]:
    """The whole file as text, and a note if its charset had to be guessed, else "".

    The declared charset has priority, read as its superset, then UTF-8. If neither fits every byte,
    the invalid bytes of a declared charset are read as Latin-1, and an undeclared charset is
    guessed among those of China, Japan, Korea, Taiwan and Western Europe.

    Args:
        declared: the charset that the file names, "" if it names none.
        is_sound: whether a text can be parsed. Other texts are a last resort.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), ""
    data = data.removeprefix(codecs.BOM_UTF8)
    codec = _codec(declared)
    for encoding in filter(None, (codec, "utf-8")):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        named = encoding == codec or not declared or data.isascii()
        return text, "" if named else f"it is not written in {declared}; it is read as UTF-8"
    texts = {codec: data.decode(codec, _LATIN_1)} if codec else {}
    for encoding in _guesses(data):
        texts[encoding] = data.decode(encoding, _LATIN_1)
    encoding = next((name for name, text in texts.items() if is_sound(text)), codec or _WESTERN)
    if encoding == codec:
        return texts[codec], f"some bytes are not {declared}; they are read as Latin-1"
    reason = f"it is not written in {declared}" if declared else "it names no charset"
    return texts[encoding], f"{reason}; it is read as {encoding}, so names may be wrong"


def _codec(declared: str) -> str | None:
    """Python's name of a charset or of its superset; None if files cannot be in it."""
    name = re.sub(r"^windows-(?=9\d\d$)", "cp", declared.strip().lower().removeprefix("x-"))
    try:
        if _PROBE.encode("ascii").decode(name) != _PROBE:
            return None
        name = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(name, name)


def _guesses(data: bytes) -> list[str]:
    """The possible charsets of bytes, the one with the fewest rare characters first."""
    letters = data.decode(_WESTERN, "ignore")
    rare = {_WESTERN: sum(not (char.isascii() or char.isalpha()) for char in letters)}
    for encoding, frequent in _GUESSES:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        common = text.encode(frequent, "ignore").decode(frequent)
        rare[encoding] = len(text) - len(_NARROW.sub("", common))
    # Ties: an accented letter stands alone or beside other letters; the bytes of Asian characters
    # come in pairs.
    runs = re.findall(rb"[a-z]?[\x80-\xff]+[a-z]?", data)
    western = sum(len(run) == 1 or run[:1].isalpha() or run[-1:].isalpha() for run in runs)
    unlikely = {_WESTERN: 2 * western <= len(runs)}
    return sorted(rare, key=lambda encoding: (rare[encoding], unlikely.get(encoding, False)))


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start:error.end].decode("latin-1"), error.end


_LATIN_1 = "dlgo-latin-1"
codecs.register_error(_LATIN_1, _as_latin_1)
