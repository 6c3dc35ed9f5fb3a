"""Beginnings of engines and games: what `dlgo new` copies. Each file plays as it stands."""
