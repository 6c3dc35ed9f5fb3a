"""A game from a file, for the example of `help(dlgo)`. Its rules are Go's: they are there already."""

from dlgo.games.go.state import Go


class Othello(Go):
    name = "othello"
    title = "Othello, played like Go"
