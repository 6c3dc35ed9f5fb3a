"""Prepared examples for the chapters of the course, each opened by its name: `#/course/fork`.

A chapter page names its first one. What `look_for` promises, tests/studio/test_course.py checks.
"""

from __future__ import annotations

from typing import NamedTuple

# The chapter pages with something to show: notebooks/NAME.py, and their titles.
CHAPTERS = {
    "02_rules": "Rules and state", "04_search": "Tree search",
    "05_networks": "A network from scratch", "07_data": "Data and honest tests",
    "08_programs": "Among other programs", "09_policy_gradients": "Policy gradients",
    "11_values": "Q-learning, critics and PPO", "13_alphago": "AlphaGo",
    "14_alphazero": "AlphaZero in one file",
}


class Preset(NamedTuple):
    """A prepared example."""

    name: str  # in addresses
    chapter: str  # of CHAPTERS
    view: str  # `inside`, `analyse`, `play` or `review`
    title: str
    look_for: str
    game: str
    moves: str = ""
    engine: str = ""  # of the views Inside and Analyse; "exact" in Analyse: exact values
    players: tuple[str, str] = ("human", "human")
    seed: int = 1


_BLOCK_OR_WIN = "4 1 4 5 6 4 7 5 6 1 4 1"  # column 5 wins at once, column 1 blocks
_ENDING = "B2 A1 A3 C1 B1"
_KO = "B1 C1 A2 D2 B3 C3 C2 B2"

PRESETS = (
    Preset(
        "take-back", "02_rules", "play", "A ko", "White has just captured a stone at B2. Click C2: "
        "the studio says why black may not capture back at once. Play A4 and D4 first, and black "
        "may.",
        "go:size=4,komi=0.5", _KO,
    ),
    Preset(
        "random-players", "02_rules", "play", "Two random players", "Random moves fill the board. "
        "The players pass when only their own eyes are left, so the game ends.",
        "go:size=5", players=("random", "random"),
    ),
    Preset(
        "ko", "02_rules", "inside", "A ko in a search", "White has just captured a stone at B2, "
        "and the ko rule forbids black to recapture at C2. The root does not have this move. Two "
        "moves later it is legal, and the expected line plays it.",
        "go:size=4,komi=0.5", _KO, "textbook-mcts:sims=150", seed=3,
    ),
    Preset(
        "fork", "04_search", "analyse", "A fork", "Only C3 wins for x: it makes two threats at "
        "once. The exact values prove it. Three moves draw, and A2 loses.",
        "tictactoe", "A1 A3 C1 B1", "exact",
    ),
    Preset(
        "uct", "04_search", "inside", "A threat must be met", "UCT first tries every move of o. "
        "All but A3 lose, and A3 gets most visits long before the others are proved to lose.",
        "tictactoe", "B2 A1 C1", "textbook-mcts:sims=80",
    ),
    Preset(
        "cut-off", "04_search", "inside", "Alpha-beta cuts", "Once o has a certain draw by B3, the "
        "search leaves every other move as soon as x has an answer at least as good for x. It "
        "never searches moves that are crossed out.",
        "tictactoe", _ENDING, "textbook-alphabeta:depth=9", seed=6,
    ),
    Preset(
        "no-cuts", "04_search", "inside", "The same without cuts", "Minimax finds the same value, "
        "but searches 50 positions instead of 32.",
        "tictactoe", _ENDING, "minimax:depth=9", seed=6,
    ),
    Preset(
        "twice", "04_search", "inside", "A player moves twice", "White's capture 22x13 continues "
        "with a second jump. Two min nodes follow each other, and the value keeps its sign between "
        "them.",
        "draughts", "10-15 21-17 6-10 17-14", "textbook-alphabeta:depth=4",
    ),
    Preset(
        "prediction", "05_networks", "analyse", "What a network predicts", "The network looks at "
        "the empty board once and gives column 4 a probability of 62%. Play 4 1 4 1 4: it gives "
        "the block 95%.",
        "connect4", engine="supervised",
    ),
    Preset(
        "one-winner", "07_data", "review", "A game has one winner", "Yellow won this game of two "
        "weak searches. But after 12 of the moves from the eighth on, yellow was not winning: a "
        "network that learns the winner of the game learns these positions wrongly.",
        "connect4",
        "1 6 6 6 2 3 6 7 4 4 4 2 2 4 3 3 2 3 5 2 3 7 3 4 6 7 7 4 6 2 5 7 1 7 1 1 1 1 5 5",
    ),
    Preset(
        "thirteenth-move", "08_programs", "analyse", "From a prediction to a move", "The bot has "
        "played twelve moves. For the next one, its network gives D7 27% and F3 19%. The bot plays "
        "the likeliest legal move.",
        "go:size=9", "C5 D5 D4 E4 E5 D6 E3 F4 E6 D3 C4 E2", "supervised",
    ),
    Preset(
        "one-look", "08_programs", "play", "One look against a search", "Black looks at each "
        "position once; white plays 1,000 random games a move. The list of moves shows the time "
        "that each move takes.",
        "go:size=9", players=("supervised", "mcts:sims=1000"),
    ),
    Preset(
        "policy", "09_policy_gradients", "analyse", "A policy", "This network learned from won and "
        "lost games only. It draws its first move: column 4 with a probability of 40%, column 5 "
        "with 23%, column 3 with 19%.",
        "connect4", engine="policy_gradient",
    ),
    Preset(
        "drawn-moves", "09_policy_gradients", "play", "Moves are drawn", "A policy plays against "
        "itself. It draws its moves, so every game is different: press New game for another.",
        "connect4", players=("policy_gradient", "policy_gradient"),
    ),
    Preset(
        "worth", "11_values", "analyse", "What a move is worth", "The exact value of each answer "
        "to a corner: B2 draws, all others lose. Q-learning must find these numbers from results.",
        "tictactoe", "A1", "exact",
    ),
    Preset(
        "alphago", "13_alphago", "inside", "AlphaGo's leaves", "The policy network prefers column "
        "3 (prior 28%). But the value network and the fast policy's games like column 4 better, so "
        "20 of 40 visits go there.",
        "connect4", "4 4", "textbook-alphago:sims=40",
    ),
    Preset(
        "overlooked-win", "14_alphazero", "inside", "A win in one that the prior misses", "Column "
        "5 wins at once, but the network wants to block column 1 (prior 94%): 33 simulations go "
        "there before a single visit to 5 proves the win.",
        "connect4", _BLOCK_OR_WIN, "textbook-puct:sims=60",
    ),
    Preset(
        "visits-shift", "14_alphazero", "inside", "Visits leave the prior's favourite", "The "
        "network favours column 4 (prior 60%), and the first visits go there. Column 7 (18%) "
        "returns better results, so it overtakes 4 and is proved to win.",
        "connect4", "5 6 2 1 7 4 7 6 3 1 6 2 1 2 6 5 1 6", "textbook-puct:sims=80",
    ),
    Preset(
        "gumbel", "14_alphazero", "inside", "The same win by Gumbel's plan", "Sequential halving "
        "gives every candidate a visit before any gets a second, so the third simulation finds the "
        "win in column 5.",
        "connect4", _BLOCK_OR_WIN, "textbook-gumbel:sims=16",
    ),
    Preset(
        "halving", "14_alphazero", "inside", "Sequential halving", "32 simulations are planned "
        "before the search: 7 moves get 1 visit each, the better 3 get 3 more, and the best 2 "
        "share the rest.",
        "connect4", "4 3 4", "textbook-gumbel:sims=32",
    ),
)
BY_NAME = {preset.name: preset for preset in PRESETS}
