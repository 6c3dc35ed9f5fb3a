"""The method of a report in words, with every setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlgo.text import one_line
from reports.rating_table import RatingTable

# Title and text of each paragraph. docs/ratings.md has the formulas and the sources.
METHOD = (
    ("Ratings", """Each game's results are fitted by maximum likelihood with the model of
Bradley and Terry, with draws (Davidson 1970) and an advantage of the first move (Davidson and
Beaver 1977). Elo is on the scale of the expected score: near equality, a difference of D points
stands for a score of 1 / (1 + 10^(-D/400)), a draw being half a win. Unless a rating is anchored,
0 is the mean of the field, without those whose distance to it only the prior bounds (see Notes).
Ratings of different games cannot be compared."""),
    ("Intervals", """They are made to hold the true distance to that zero in 95 of 100 tournaments,
as far as games are independent, and come from the curvature of the likelihood. Two entrants whose
intervals overlap may still differ clearly: lead is the distance to the next entrant with a 95%
margin of its own, and the likelihood of superiority (LOS) says how probable it is that one is
stronger than the other. Where a second interval is given, it comes from resampling: as many opening
pairs as were played are drawn with replacement and rated anew, and the middle 95% of the ratings
are taken. It allows for the two games of a pair not being independent. Where the two differ much,
trust neither before more games are played."""),
    ("Notes", """An entrant that won or lost every game has no finite maximum-likelihood rating.
There, and only there, one virtual game between neighbouring parts of the field, half won and half
lost, makes the rating finite, and a note says so."""),
    ("Repetitions", """A game with the same players, the same first mover, the same moves and
the same result as an earlier one is counted once: deterministic engines that repeat a game add
no information."""),
    ("Failures", """A crash, a hang, an illegal move: the engine loses that game, which counts
like any other loss."""),
    ("Cost", """Cost is measured, not budgeted: the mean CPU time (all threads), wall time, nodes,
simulations and network evaluations of all moves the entrant chose, in won and lost games
alike. Compiling and loading happen before the clocks start."""),
    ("Frontier", """An entrant is best for its cost if nobody who takes as little CPU time is
stronger. How likely that is, and the grey band of the plots, come from 4,000 draws of all ratings
together, as uncertain as the fit says; costs count as known. What the same strength costs is
compared at nine ratings that both families reach, the logarithm of the cost interpolated between
two budgets; budgets that are no stronger than a cheaper one of the same family are left out."""),
)


def paragraphs() -> list[tuple[str, str]]:
    """Titles and texts, each text on one line."""
    return [(title, text.replace("\n", " ")) for title, text in METHOD]


def settings(
    plan: Any, tables: Mapping[str, RatingTable], anchor: tuple[str, float] | None,
    replicates: int,
) -> list[tuple[str, str]]:
    """Every number that the results depend on, as name and value."""
    rows = [
        ("Model", "Bradley-Terry with Davidson's draws and a first-move term"),
        ("Scale", "of the expected score: 2 / (2 + nu) * 400 log10(strength)"),
        ("Anchor", f"{anchor[0]} = {anchor[1]:g}" if anchor else "none"),
        ("Prior", "1 virtual game where the likelihood is unbounded, none elsewhere"),
        ("Intervals", "95%, from the observed information"),
        ("Bootstrap", f"{replicates} replicates of the opening pairs, middle 95%; seed 1"
         if replicates else "none"),
        ("Repeated games", "counted once"),
    ]
    rows += [(f"Zero, {game}", table.zero_text()) for game, table in tables.items()]
    if isinstance(plan, dict):
        rows += [
            (one_line(f"Plan: {key.replace('_', ' ')}"), one_line(_plain(value, key)))
            for key, value in plan.items() if key != "names"  # the report shows them everywhere
        ]
    return rows


def _plain(value: Any, key: str) -> str:
    if value is None:
        return "each game's own number" if key == "opening_plies" else "not set"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
