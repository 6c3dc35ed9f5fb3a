"""How games of self-play are played: the settings of the search and of the games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dlgo.api import GameSpec
from dlgo.errors import SpecError
from dlgo.vector import longest_game
from engines.learning.settings import Settings, setting
from engines.termination import Resignation
from engines.treesearch.forced import ForcedPUCT
from engines.treesearch.gumbel import GUMBEL_SCALES, Gumbel
from engines.treesearch.rules import PUCT

ALPHAGO_ZERO = "Silver et al. 2017"
ALPHAZERO = "Silver et al. 2018"
KATAGO = "Wu 2019"
GUMBEL = "Danihelka et al. 2022"


@dataclass(frozen=True)
class SelfPlaySettings(Settings):
    """How games are played; the help of each setting says what it is."""

    owner = "train alphazero"

    sims: int = setting(64, "simulations of a full search", low=2, high=1e6)
    fast_sims: int = setting(16, "simulations of a short search", low=2, high=1e6, source=KATAGO)
    full_share: float = setting(
        0.5, "share of plies with a full search; only their policies are learned. 1: all plies, "
        "as in AlphaZero", low=0.001, high=1, source=KATAGO)
    learn_fast: bool = setting(
        True, "learn values from plies with a short search, too; no: each step of training is "
        "spent on positions with a policy", source=KATAGO)
    games_at_once: int = setting(
        128, "games in lockstep, the size of the network's batch", low=1, high=1e5)
    search: str = setting(
        "puct", "the search's rule; gumbel, for few simulations, learns the improved policy and "
        "draws its variables at the root, so that noise, temperature and reuse have no effect",
        choices=("puct", "gumbel"), source=GUMBEL)
    considered: int = setting(
        16, "moves that gumbel tries at the root", low=1, high=1e5, source=GUMBEL)
    c_puct: float = setting(
        0.9, "weight of the prior in PUCT; wins count on a scale of 0 to 1", low=0, high=100,
        source=ALPHAGO_ZERO)
    fpu_reduction: float = setting(
        0.1, "a move without visits counts as this much worse than its position, on the same "
        "scale", low=-1, high=1, source=KATAGO)
    dirichlet_epsilon: float = setting(
        0.25, "share of noise in the root's priors, in full searches", low=0, high=0.99,
        source=ALPHAGO_ZERO)
    dirichlet_alpha_total: float = setting(
        10.0, "alpha of the noise, summed over all moves: with 10, each of 40 moves has 0.25",
        low=0.001, high=1e4, source=KATAGO)
    forced: float = setting(
        0.0, "k of forced playouts in searches with noise, and of the pruning of their policies; "
        "0: none, the paper has 2", low=0, high=100, source=KATAGO)
    sample_plies: int = setting(
        12, "plies in which the move is drawn from the policy (with gumbel: in which short "
        "searches, too, are drawn at the root)", low=0, high=1e5, source=ALPHAGO_ZERO)
    temperature: float = setting(
        1.0, "temperature of these draws; 1 draws by visits, less prefers the most visited",
        low=0, high=100, source=ALPHAGO_ZERO)
    random_share: float = setting(
        0.05, "share of games that begin with random plies", low=0, high=1)
    random_plies: int = setting(6, "random plies at most", low=1, high=1000)
    first_pass: float = setting(
        0.0, "plies, in parts of the board's cells, before which nobody passes while there is "
        "another sensible move; 0: anybody may pass. Beginners of Go pass early, and a game that "
        "two beginners have passed away teaches nothing of Go", low=0, high=2)
    resign_below: float = setting(
        0.0, "a player resigns whose expected share of the wins stays below this; 0: nobody "
        "resigns", low=0, high=0.5, source=ALPHAGO_ZERO)
    resign_patience: int = setting(
        2, "number of own searches in a row that must be below it", low=1, high=1000)
    no_resign_fraction: float = setting(
        0.1, "share of games in which nobody resigns, to count how often resigning would have been "
        "wrong", low=0, high=1, source=ALPHAGO_ZERO)
    finish_sims: int = setting(
        0, "simulations of moves after a resignation, which are not learned: the game gets its "
        "true result and its last board, and every resignation is checked; 0: a resigned game is "
        "over. Not for games in which a win must be found move by move, as in draughts",
        low=0, high=1e6)
    reuse: bool = setting(True, "keep the subtree of the move played")
    tables: int = setting(
        0, "pieces of the endgame tables, in games that have them (draughts): searches see "
        "their results, and a game is over where they have the position. What comes after is not "
        "learned, so let the network play with these tables; 0: none", low=0, high=5)
    max_plies: int = setting(
        0, "plies after which a game has no result; 0: 4 for each cell of the board and 100 more",
        low=0, high=1e6)

    def check(self) -> None:
        """Raise SpecError for a setting out of range, or for two that contradict each other."""
        super().check()
        if self.finish_sims == 1:
            raise SpecError(f"{self.owner}: finish_sims=1 looks at no move; take 0 or at least 2")
        if self.tables == 1:
            raise SpecError(f"{self.owner}: tables=1 knows no position; take 0 or at least 2")
        if self.forced and (self.search != "puct" or self.dirichlet_epsilon == 0):
            raise SpecError(
                f"{self.owner}: forced={self.forced:g} has an effect only with search=puct and "
                "noise; leave it out, or set dirichlet_epsilon above 0"
            )

    def rule(self) -> Any:
        """The rule of searches."""
        if self.search == "gumbel":
            return Gumbel(self.considered, *GUMBEL_SCALES)
        if self.forced:
            return ForcedPUCT(self.c_puct, self.fpu_reduction, float(self.forced))
        return PUCT(self.c_puct, self.fpu_reduction)

    def resignation(self) -> Resignation:
        """A watch on one player's estimates in one game."""
        return Resignation(self.resign_below, self.resign_patience)

    def game_played(self, game: GameSpec) -> GameSpec:
        """The game as self-play has it: with endgame tables, if they are asked for."""
        return game.informed(self.tables) if self.tables else game

    def ply_limit(self, game: GameSpec) -> int:
        """Plies after which a game has no result."""
        return self.max_plies or longest_game(game)

    def plies_without_pass(self, game: GameSpec) -> int:
        """Plies before which nobody passes."""
        return round(self.first_pass * game.board_rows * game.board_cols)
