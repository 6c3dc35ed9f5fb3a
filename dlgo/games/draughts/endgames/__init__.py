"""Endgame tables of draughts: with few pieces, who wins and how soon, for every position.

`places.py` numbers positions, `retrograde.py` computes the tables from the end backwards,
`tables.py` keeps and asks them.
"""

from dlgo.games.draughts.endgames.tables import EndgameTables, Score

__all__ = ["EndgameTables", "Score"]
