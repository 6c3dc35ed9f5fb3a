"""Bots that nobody vouches for, on other machines: their files travel, and each plays in a sandbox
that is made where it plays.

Nothing of such a bot is run outside of a sandbox, and its files lie in a folder of their own, from
which no process imports. A machine without a working sandbox takes no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.games import get_game
from dlgo.jit import shared_cache
from engines.programs.sandbox import Allowance, Sandbox, check_sandbox
from experiments.arena.launch import Launch, Launches, compile_rules
from experiments.cluster import parcels


@dataclass(frozen=True)
class SentLaunch:
    """How a bot is started where its files have been sent.

    Attributes:
        parcel: of its folder.
        folder: the folder's name.
        bot: what is built, below the folder: `FILE.py` or `FILE.py:Class`.
        allowance: what it may use.
        given_code: whether it may load the machine code of that machine.
    """

    parcel: bytes
    folder: str
    bot: str
    allowance: Allowance
    given_code: bool


def send(launches: Launches) -> dict[str, SentLaunch]:
    """Launches as they travel.

    Raises:
        DlgoError: for a bot without a sandbox, or if files cannot be sent.
    """
    sent = {}
    for entrant, launch in launches.items():
        walls = launch.sandbox
        if walls is None:
            raise DlgoError(f"{entrant} has no sandbox: --trust is for this machine alone; leave "
                            "out --cluster or --trust")
        [place] = walls.readable
        sent[entrant] = SentLaunch(
            parcels.pack([place]), place.name, str(Path(launch.spec).relative_to(place)),
            walls.allowance, walls.code_cache is not None,
        )
    return sent


def unpack(sent: Mapping[str, SentLaunch], games: Iterable[str], folder: Path) -> Launches:
    """The launches on this machine.

    Args:
        games: what is played; their rules are compiled first, so that bots find that done.
        folder: for the files; made by this.

    Raises:
        SandboxError: if there is no working sandbox here.
    """
    if not sent:
        return {}
    check_sandbox()
    for game in dict.fromkeys(games):
        compile_rules(get_game(game))
    launches = {}
    for number, (entrant, one) in enumerate(sent.items()):
        place = folder / str(number)
        parcels.unpack(one.parcel, place)
        place = place.resolve() / one.folder
        code = shared_cache() if one.given_code else None
        launches[entrant] = Launch(
            str(place / one.bot), Sandbox([place], one.allowance, code))
    return launches
