"""Tables that spreadsheets write as text (CSV), in all dialects: one reader for all.

The separator is a comma, a semicolon, a tab or a bar, recognised by the first line, best by names
of columns in it, or by a line `sep=;` before it; the text is UTF-8, or UTF-16 with a byte order
mark. `dlgo.files` writes them.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dlgo.errors import DlgoError

_DELIMITERS = ",;\t|"


class Table(NamedTuple):
    """A table as text."""

    header: list[str]  # the cells of the first line
    # For each other line that is not empty: its number in the file and its cells. Cells may be
    # missing at the end; those beyond the header are not empty.
    rows: list[tuple[int, list[str]]]


def read_table(path: Path, needed: Collection[str] = ()) -> Table:
    """A table from a file; `needed` are columns, in lower case, that tell the separator. Raises
    DlgoError if the file cannot be read as a table."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DlgoError(f"{path} cannot be read: {error.strerror or error}") from error
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
    delimiter = first[4:5] if skipped else _delimiter(first, needed)
    if delimiter not in tuple(_DELIMITERS):
        raise DlgoError(
            f"{path} line 1: the separator {delimiter!r} is not a comma, a semicolon, a tab or |"
        )
    if not skipped:
        lines.seek(0)
    read = [int(skipped)]
    try:
        reader = csv.reader(
            _counting(lines, read), delimiter=delimiter, skipinitialspace=True, strict=True
        )
        header = next(reader, [])
        rows = [
            (reader.line_num + skipped, _without_empty_end(cells, len(header)))
            for cells in reader if any(cell.strip() for cell in cells)
        ]
    except csv.Error as error:
        raise DlgoError(f"{path} line {read[0]}: {error}") from error
    return Table(header, rows)


def _delimiter(header: str, needed: Collection[str]) -> str:
    """The character between the names of the columns: one that separates needed names, if any."""
    try:
        names = {
            delimiter: {cell.strip().lower() for line in csv.reader(
                [header], delimiter=delimiter, skipinitialspace=True) for cell in line}
            for delimiter in _DELIMITERS
        }
        best = max(names, key=lambda delimiter: len(names[delimiter] & {*needed}))
        if len(names[best] & {*needed}) > 1:
            return best
        return csv.Sniffer().sniff(header, _DELIMITERS).delimiter
    except csv.Error:  # a single column
        return ","


def _without_empty_end(cells: list[str], count: int) -> list[str]:
    """The cells without empty ones after the first `count`: some programs end lines with `;`."""
    while len(cells) > count and not cells[-1].strip():
        cells = cells[:-1]
    return cells


def _counting(lines: Iterable[str], read: list[int]) -> Iterator[str]:
    """The lines; `read[0]` is the number of the current one, which the reader's own count lags."""
    for line in lines:
        read[0] += 1
        yield line
