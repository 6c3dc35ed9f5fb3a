"""An engine reviews a game: the values of positions, and mistakes."""
