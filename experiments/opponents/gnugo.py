"""GNU Go as an opponent that plays by our rules; docs/gtp.md explains its options."""

from __future__ import annotations

import shutil

from dlgo.errors import SpecError

# Debian's package installs games in a folder that is often not in the PATH.
_PLACES = ("gnugo", "/usr/games/gnugo")
_OPTIONS = "--chinese-rules --capture-all-dead --never-resign --situational-superko --seed {seed}"


def gnugo_spec(level: int) -> str:
    """GNU Go at a level, 0 to 20, as an entrant that scores by our rules.

    Raises:
        SpecError: if it is not installed.
    """
    program = next(filter(None, map(shutil.which, _PLACES)), None)
    if program is None:
        raise SpecError("GNU Go is not installed; install gnugo")
    return f"gtp:{program} --mode gtp --level {level} {_OPTIONS}"
