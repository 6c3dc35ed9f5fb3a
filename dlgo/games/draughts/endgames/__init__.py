"""Endgame tables of draughts: for every position with few pieces, the winner and the number of
turns to the end.

`places.py` numbers positions, `retrograde.py` computes the tables from the end backwards,
`tables.py` stores them and looks positions up.
"""

from dlgo.games.draughts.endgames.tables import EndgameTables, Score

__all__ = ["EndgameTables", "Score"]
