"""The games that two entrants played against each other, one by one and pair by pair.

Repetitions are left out, as in the ratings.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlgo.errors import DlgoError
from dlgo.games import get_game
from dlgo.specs import split_version
from dlgo.text import listing, one_line
from reports.differences import Counts, counts_of_games, counts_of_pairs

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class HeadToHead:
    """All games of an entrant against an opponent at one game."""

    game: str
    entrant: str
    opponent: str
    scores: tuple[float, ...]  # of `entrant` in each game, in the order of the plan
    # Points in each complete pair: both games of an opening, colours swapped, both counted. In the
    # order of the plan; the order in which games end would bring short ones first.
    pair_points: tuple[float, ...]
    unpaired: int  # games that belong to no complete pair; 0 if nothing is known of pairs
    repeated: int  # games left out because they repeat an earlier one
    failures: tuple[int, int]  # games lost by a breakdown, of `entrant` and of `opponent`

    @property
    def games(self) -> Counts:
        """Losses, draws and wins."""
        return counts_of_games(self.scores)

    @property
    def pairs(self) -> Counts:
        """How often a pair brought 0, 1/2, 1, 3/2 and 2 points."""
        return counts_of_pairs(self.pair_points)

    @property
    def paired(self) -> bool:
        """Whether the pairs tell the story: there are some, and hardly a game outside."""
        return bool(self.pair_points) and self.unpaired <= len(self.pair_points)


def head_to_heads(
    games: pd.DataFrame, entrant: str, opponent: str, game: str = "",
    canonical: Callable[[str], str] = str,
) -> list[HeadToHead]:
    """What two entrants played against each other, game by game.

    Args:
        games: from `load_games`.
        entrant, opponent: their names in reports or in the ledger; an external engine also without
            its version, if it has one there.
        game: only this game, in any spelling; every one by default.
        canonical: the specification as the ledger writes it, of a name that is not found.

    Raises DlgoError if a name is unknown or they never met.
    """
    entrant, opponent = (name_of(games, text, canonical) for text in (entrant, opponent))
    if entrant == opponent:
        raise DlgoError(f"entrant {entrant} is named twice; name two to compare")
    names_of_games = _games_of(games, game)
    names = [entrant, opponent]
    ours = games[games["first"].isin(names) & games["second"].isin(names)
                 & (games["first"] != games["second"])]
    ours = ours[ours["game"].isin(names_of_games)]
    if ours.empty:
        raise DlgoError(f"{entrant} and {opponent} never met" + (f" at {game}" if game else ""))
    has_pairs = games.attrs.get("has_pairs", True)  # False: a list without that column
    return [
        _head_to_head(str(name), entrant, opponent, part, has_pairs)
        for name, part in ours.groupby("game")
    ]


def _games_of(games: pd.DataFrame, text: str) -> list[str]:
    """How the table calls the game, each of its versions; all games of "". Raises DlgoError."""
    names, full_name = sorted(set(games["game"])), text
    if text and text not in names:
        with suppress(DlgoError):  # a name from another program
            full_name = str(get_game(text))
    matches = [name for name in names if full_name in ("", name, split_version(name)[0])]
    if not matches:
        raise DlgoError(f"no game of {text} was played; there are {listing(names, most=8)}")
    return matches


def name_of(
    games: pd.DataFrame, text: str, canonical: Callable[[str], str], role: str = "entrant"
) -> str:
    """How the table calls an entrant. Raises DlgoError if it is not there, or in versions."""
    names: list[str] = sorted(set(games["first"]) | set(games["second"]))
    label = one_line(text)
    if label in names:
        return label
    specifications = games.attrs.get("specifications", {})
    ledgers = {name: specifications.get(name, name) for name in names}
    specs = {text, canonical(text)}
    matches = [name for name in names if ledgers[name] in specs] or [
        name for name in names if split_version(ledgers[name])[0] in specs]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise DlgoError(f"{role} {label} played in several versions; name one of "
                        f"{listing(sorted(ledgers[name] for name in matches), most=8)}")
    close = difflib.get_close_matches(label, names, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {listing(names, most=8)}"
    raise DlgoError(f"{role} {label} played no game; {hint}")


def named_anchor(
    games: pd.DataFrame, anchor: tuple[str, float] | None, canonical: Callable[[str], str]
) -> tuple[str, float] | None:
    """The anchor as the table calls it. Raises DlgoError if it is not there."""
    return anchor and (name_of(games, anchor[0], canonical, "anchor"), anchor[1])


def _head_to_head(
    game: str, entrant: str, opponent: str, games: pd.DataFrame, has_pairs: bool
) -> HeadToHead:
    games = games.sort_values("pair", kind="stable")
    counted = games[games["counted"]]
    score = counted["result"].where(counted["first"] == entrant, 1 - counted["result"])
    points = [
        float(score[rows.index].sum()) for _, rows in counted.groupby("pair", sort=True)
        if len(rows) == 2 and rows["first"].nunique() == 2
    ]
    failed = games[games["failed"]]
    own = int(((failed["result"] == 0) == (failed["first"] == entrant)).sum())
    return HeadToHead(
        game, entrant, opponent, tuple(score.tolist()), tuple(points),
        len(counted) - 2 * len(points) if has_pairs else 0, len(games) - len(counted),
        (own, len(failed) - own),
    )
