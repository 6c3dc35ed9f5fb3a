"""Moments of a class: deadlines, dates in names of folders, the class's time zone.

A moment is a datetime without a time zone, meant in the class's zone; None is the machine's zone.
"""

from __future__ import annotations

from datetime import date, datetime, time, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dlgo.errors import DlgoError
from engines.learning.settings import setting


def due_setting() -> Any:
    """The setting `due`, of plans of a class; `deadline` reads its value."""
    return setting(None, "deadline, after which hand-ins are late; of a day, its end",
                   kind=datetime)


def time_zone(name: str | None) -> tzinfo | None:
    """A time zone by its name; None for the machine's. Raises DlgoError if there is none."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise DlgoError(f"time zone {name!r} is unknown; write a name such as Europe/Berlin"
                        ) from None


def deadline(value: str | date | None, zone: tzinfo | None = None) -> datetime | None:
    """The deadline in a plan or an option; for a day without a time, the end of that day. Raises
    DlgoError if the text is not a date."""
    moment = moment_in(value, zone) if isinstance(value, str) else value
    if moment is None and value is not None:
        raise DlgoError(f"{value!r} is not a date; write 2026-11-20 or 2026-11-20T23:59")
    day_only = len(value) == 10 if isinstance(value, str) else not isinstance(value, datetime)
    if moment is not None and day_only:
        return datetime.combine(moment, time(23, 59, 59))
    return _in_zone(moment, zone) if isinstance(moment, datetime) else None


def moment_in(name: str, zone: tzinfo | None = None) -> datetime | None:
    """The moment that a name is, `2026-11-20T2310` or `2026-11-20` (its start); else None."""
    try:
        return _in_zone(datetime.fromisoformat(name), zone) if name[4:5] == "-" else None
    except (ValueError, OverflowError):  # the 31st of February
        return None


def _in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


def moment_text(moment: datetime, zone: tzinfo | None) -> str:
    """A moment with the name of its time zone."""
    name = str(zone) if zone else moment.astimezone().tzname()
    return f"{moment:%Y-%m-%d %H:%M:%S} {name}"
