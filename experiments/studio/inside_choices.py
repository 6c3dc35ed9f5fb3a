"""What the view Inside offers: algorithms that can be watched, and searches for a lecture."""

from __future__ import annotations

from dataclasses import dataclass

# The longest searches that are recorded.
MOST_SIMULATIONS, MOST_DEPTH = 500, 20


@dataclass(frozen=True)
class Algorithm:
    """A way to search.

    Attributes:
        engine: its name. title, summary: for the list.
        kind: `uct`, `puct`, `gumbel` or `alphabeta`: how its numbers are read.
        budget: what limits it. usual: how much of it, where nobody says.
        explore: the option that weighs exploration, or "".
    """

    engine: str
    title: str
    summary: str
    kind: str
    budget: str
    usual: int
    explore: str = ""


ALGORITHMS = (
    Algorithm("textbook-mcts", "UCT", "tree search with random games", "uct", "sims", 60, "c_uct"),
    Algorithm("textbook-puct", "PUCT", "AlphaZero's tree search, with a network where the game "
              "has one", "puct", "sims", 60, "c_puct"),
    Algorithm("textbook-gumbel", "Gumbel", "AlphaZero's search with sequential halving: a few "
              "simulations, well planned", "gumbel", "sims", 32),
    Algorithm("textbook-alphabeta", "Alpha-beta", "looks so many moves ahead, and leaves out what "
              "cannot matter", "alphabeta", "depth", 3),
    Algorithm("minimax", "Minimax", "the same without cuts: every move is looked at",
              "alphabeta", "depth", 2),
)


@dataclass(frozen=True)
class Preset:
    """A search that shows something.

    Attributes:
        name: in addresses. title: for people.
        look_for: one sentence: what is to be seen.
        game, moves: the position. engine, seed: the search.
        step: where to begin.
    """

    name: str
    title: str
    look_for: str
    game: str
    engine: str
    moves: str = ""
    seed: int = 1
    step: int = 0


_BLOCK_OR_WIN = "4 1 4 5 6 4 7 5 6 1 4 1"  # column 5 wins at once, column 1 blocks
_ENDING = "B2 A1 A3 C1 B1"

PRESETS = (
    Preset(
        "uct", "A threat must be met", "UCT first tries every move of o; all but A3 lose, and "
        "the visits go to A3 long before the others are proved to lose.",
        "tictactoe", "textbook-mcts:sims=80", "B2 A1 C1",
    ),
    Preset(
        "overlooked-win", "A win in one that the prior misses", "Column 5 wins at once, but the "
        "network wants to block column 1 (prior 94%): 33 simulations go there before a single "
        "visit to 5 proves the win.",
        "connect4", "textbook-puct:sims=60", _BLOCK_OR_WIN,
    ),
    Preset(
        "gumbel", "The same win by Gumbel's plan", "Sequential halving gives every candidate a "
        "visit before any gets a second, so the third simulation finds the win in column 5.",
        "connect4", "textbook-gumbel:sims=16", _BLOCK_OR_WIN,
    ),
    Preset(
        "visits-shift", "Visits leave the prior's favourite", "The network favours column 4 "
        "(prior 60%), and the first visits go there; what comes back from column 7 (18%) is "
        "better, so 7 overtakes it and is proved to win.",
        "connect4", "textbook-puct:sims=80", "5 6 2 1 7 4 7 6 3 1 6 2 1 2 6 5 1 6",
    ),
    Preset(
        "halving", "Sequential halving", "32 simulations are planned before the search: 7 moves "
        "get 1 visit each, the better 3 get 3 more, and the best 2 share the rest.",
        "connect4", "textbook-gumbel:sims=32", "4 3 4",
    ),
    Preset(
        "cut-off", "Alpha-beta cuts", "Once o is sure of a draw by B3, every other move is left "
        "as soon as one answer of x is no worse for x: what is struck out was never looked at.",
        "tictactoe", "textbook-alphabeta:depth=9", _ENDING, seed=6,
    ),
    Preset(
        "no-cuts", "The same without cuts", "Minimax finds the same value, and looks at 50 "
        "positions instead of 32.",
        "tictactoe", "minimax:depth=9", _ENDING, seed=6,
    ),
    Preset(
        "ko", "A ko in Go", "White has just taken a stone at B2, and black may not take back at "
        "C2: the root has no such move, but two moves later it has, and the expected line plays "
        "it.",
        "go:size=4,komi=0.5", "textbook-mcts:sims=150", "B1 C1 A2 D2 B3 C3 C2 B2", seed=3,
    ),
    Preset(
        "twice", "A player moves twice", "White's capture 22x13 goes on with a second jump: two "
        "min nodes follow each other, and the value is not turned round between them.",
        "draughts", "textbook-alphabeta:depth=4", "10-15 21-17 6-10 17-14",
    ),
)
