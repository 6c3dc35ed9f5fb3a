"""Tables that spreadsheets write as text (CSV), in all dialects: one reader for all.

The separator is the comma, semicolon, tab or bar that the first line has most outside quotes, or
that of a line `sep=;` before it; the text is UTF-8, or UTF-16 with a byte order mark. `dlgo.files`
writes them.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from dlgo.errors import DlgoError, FormatError, system_reason
from dlgo.readers import read_bounded

_DELIMITERS = ",;\t|"
_MOST_BYTES = 1 << 28  # over a million games


class Table(NamedTuple):
    """A table as text."""

    header: list[str]  # the cells of the first line
    # For each other line that is not empty: its number in the file and its cells. Cells may be
    # missing at the end; those beyond the header are not empty.
    rows: list[tuple[int, list[str]]]


def read_table(path: Path) -> Table:
    """A table from a file. Raises DlgoError if the file cannot be read as a table."""
    try:
        data = read_bounded(path, _MOST_BYTES)
    except OSError as error:
        raise DlgoError(f"{path} cannot be read: {system_reason(error)}") from error
    except FormatError as error:
        raise DlgoError(f"{path} {error}") from None
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise DlgoError(
            f"{path} is not text in UTF-8 ({error.reason}); save it as CSV in UTF-8"
        ) from error
    if "\0" in text:  # UTF-16 without a mark, or no text at all
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DlgoError(f"{path} line {line} holds a zero byte; save it as CSV in UTF-8")
    lines = io.StringIO(text, newline="")
    first = lines.readline().rstrip("\r\n")
    skipped = first.lower().startswith("sep=")
    names = re.sub('"[^"]*"', "", first)
    delimiter = first[4:5] if skipped else max(_DELIMITERS, key=names.count)
    if delimiter not in tuple(_DELIMITERS):
        raise DlgoError(
            f"{path} line 1: the separator {delimiter!r} is not a comma, a semicolon, a tab or |"
        )
    if not skipped:
        lines.seek(0)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        header = next(reader, [])
        rows = [
            (reader.line_num + skipped, _without_empty_end(cells, len(header)))
            for cells in reader if any(cell.strip() for cell in cells)
        ]
    except csv.Error as error:
        raise DlgoError(f"{path} line {reader.line_num + skipped}: {error}") from error
    return Table(header, rows)


def _without_empty_end(cells: list[str], count: int) -> list[str]:
    """The cells without empty ones after the first `count`: some programs end lines with `;`."""
    while len(cells) > count and not cells[-1].strip():
        cells = cells[:-1]
    return cells
