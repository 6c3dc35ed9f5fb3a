"""A game from a file, for the example of `help(dlgo)`: Go under another name, to be short."""

from dlgo.games.go.state import Go


class Othello(Go):
    name = "othello"
    title = "Othello, played like Go"
