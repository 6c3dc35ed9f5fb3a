"""Names under which students appear on pages that everybody can see.

They are drawn once and kept in a file: not from the students' names, or anybody could compute whose
they are.
"""

from __future__ import annotations

import csv
import secrets
from collections.abc import Iterable
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.files import write_csv

_QUALITIES = (
    "Amber", "Brave", "Calm", "Clever", "Coral", "Early", "Gentle", "Golden", "Happy", "Honest",
    "Keen", "Lively", "Lucky", "Merry", "Noble", "Patient", "Proud", "Quick", "Quiet", "Silver",
    "Steady", "Swift", "Tidy", "Wise",
)
_ANIMALS = (
    "Badger", "Beaver", "Bison", "Crane", "Dolphin", "Falcon", "Finch", "Fox", "Hare", "Heron",
    "Ibex", "Lynx", "Marten", "Mole", "Newt", "Otter", "Owl", "Panda", "Puffin", "Raven", "Robin",
    "Seal", "Stork", "Wren",
)


def pseudonyms(path: Path, students: Iterable[str]) -> dict[str, str]:
    """The pseudonym of each student; those who have none yet are given one.

    Args:
        path: the CSV file that keeps them.

    Raises:
        DlgoError: if the file is something else.
    """
    names = _read(path)
    missing = [student for student in students if student not in names]
    draw = secrets.SystemRandom()
    for student in missing:
        taken = set(names.values())
        free = [
            name for quality in _QUALITIES for animal in _ANIMALS
            if (name := f"{quality} {animal}") not in taken
        ]
        names[student] = draw.choice(free) if free else f"Player {len(names) + 1}"
    if missing:
        write_csv(path, ["student", "pseudonym"], names.items())
    return names


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file)) or [[]]
        names = dict(rows)
        if header != ["student", "pseudonym"] or len(set(names.values())) != len(rows):
            raise ValueError("it has other columns, or a name twice")
    except (OSError, ValueError, csv.Error) as error:
        raise DlgoError(
            f"{path} is damaged ({error}); delete it, and new pseudonyms are drawn"
        ) from None
    return names
