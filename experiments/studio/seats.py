"""The seats of a game: links with which others play one side of it, or watch.

The page that made a game knows its name, and plays all sides. A link has another name for the same
game. It gives its side away: from then on, the maker's page does not play this side.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import NamedTuple

from experiments.studio.replies import StudioError

NAMES = ("black", "white", "watch")
_WATCHES = "this link is for watching; it changes nothing in the game"


class Seat(NamedTuple):
    """What the page of a name may do."""

    name: str
    guest: str  # one of NAMES; "" for the maker of the game
    sides: Collection[int]  # the sides that it plays

    def check_plays(self) -> None:
        """Raise StudioError if the page only watches."""
        if not self.sides:
            raise StudioError(_WATCHES, 403)

    def check_turn(self, player: int) -> None:
        """Raise StudioError if the page does not play the side to move."""
        self.check_plays()
        if player not in self.sides:
            raise StudioError("it is the other player's turn", 403)


class Seats:
    """The seats of one game, by their links."""

    def __init__(self) -> None:
        self.maker = _new_name()
        self.links: dict[str, str] = {}  # seat -> its name

    @property
    def shared(self) -> bool:
        """Whether a side has been given away."""
        return bool({"black", "white"} & self.links.keys())

    def of(self, name: str) -> Seat:
        """The seat of a name. Raises StudioError if the link has been withdrawn."""
        if name == self.maker:
            return Seat(name, "", [side for side in (0, 1) if NAMES[side] not in self.links])
        for seat, link in self.links.items():
            if link == name:
                return Seat(name, seat, [side for side in (0, 1) if NAMES[side] == seat])
        raise StudioError("this link has been withdrawn; ask for another", 404)

    def invite(self, seat: str, is_open: bool = True) -> None:
        """Make the link of a seat, or withdraw it. Raises StudioError for a seat that is none."""
        if seat not in NAMES:
            raise StudioError(f"a seat is one of {', '.join(NAMES)}")
        if is_open:
            self.links.setdefault(seat, _new_name())
        else:
            self.links.pop(seat, None)


def _new_name() -> str:
    """A name that nobody can guess."""
    return secrets.token_urlsafe(12)
