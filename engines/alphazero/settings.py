"""How games of self-play are played: settings with their ranges.

Part of `plan.py`'s plans; read by `selfplay.py` and `match.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dlgo.api import GameSpec
from dlgo.errors import SpecError
from engines.treesearch.forced import ForcedPUCT
from engines.treesearch.gumbel import GUMBEL_SCALES, Gumbel
from engines.treesearch.rules import PUCT


@dataclass(frozen=True)
class SelfPlaySettings:
    """How games are played.

    Attributes:
        sims: simulations of a full search. fast_sims: of a short one.
        full_share: share of plies with a full search; 1: all, as in AlphaZero.
        learn_fast: learn values from plies with a short search, too. If not, each step of
            training is spent on positions with a policy; Wu's paper has it so.
        games_at_once: trees in lockstep, the size of the network's batch.
        search: "puct", or "gumbel" for few simulations (`engines/treesearch/gumbel.py`): the
            network then learns the improved policy, and games differ by what is drawn at the
            root, so that `noise`, `temperature` and `reuse` have no meaning.
        c, first_play: of the rule PUCT. considered: moves that Gumbel tries at the root.
        noise_share, noise: of full searches, see `Forest.begin`.
        forced: k of forced playouts in searches with noise; 0: none, 2 in the paper.
        sample_plies: plies in which the move is drawn from the policy. (With Gumbel, those in
            which the short searches, too, are drawn at the root.)
        temperature: of these draws; 1 draws by visits, less prefers the most visited.
        random_share: share of games that begin with random plies, up to `random_plies`.
        first_pass: plies, in parts of the board's cells, before which nobody passes while there
            is another sensible move; 0: anybody may. Beginners of Go pass early, and a game that
            two beginners have passed away teaches nothing of Go.
        resign: a player whose value is below minus this resigns; 0: nobody does.
        play_on: share of games in which nobody resigns, to count how often that were wrong.
        finish_sims: of moves after a resignation, which are not learned from: for little, the
            game gets its true result and its last board, and every resignation is checked; 0:
            a game that is resigned is over. Not for games in which a win must be found move by
            move, as in draughts: a glance at each does not find it.
        reuse: keep the subtree of the move played.
        longest: plies after which a game has no result; 0: 4 a cell of the board and 100 more,
            since cycles of Go longer than a ko have no end.
    """

    sims: int = 64
    fast_sims: int = 16
    full_share: float = 0.5
    learn_fast: bool = True
    games_at_once: int = 128
    search: str = "puct"
    considered: int = 16
    c: float = 0.9
    first_play: float = 0.1
    noise_share: float = 0.25
    noise: float = 10.0
    forced: float = 0.0
    sample_plies: int = 12
    temperature: float = 1.0
    random_share: float = 0.05
    random_plies: int = 6
    first_pass: float = 0.0
    resign: float = 0.0
    play_on: float = 0.1
    finish_sims: int = 0
    reuse: bool = True
    longest: int = 0

    def check(self) -> None:
        """Raises SpecError for a setting out of range."""
        ranges = {
            "sims": (2, 1e6), "fast_sims": (2, 1e6), "full_share": (0.001, 1),
            "games_at_once": (1, 1e5), "considered": (1, 1e5), "c": (0, 100),
            "first_play": (-1, 1), "noise_share": (0, 0.99), "noise": (0.001, 1e4),
            "forced": (0, 100), "sample_plies": (0, 1e5), "temperature": (0, 100),
            "random_share": (0, 1), "random_plies": (1, 1000), "first_pass": (0, 2),
            "resign": (0, 1), "play_on": (0, 1), "finish_sims": (0, 1e6), "longest": (0, 1e6),
        }
        for name, (low, high) in ranges.items():
            if not low <= getattr(self, name) <= high:
                raise SpecError(
                    f"{name}={getattr(self, name):g} is out of range ({low:g} to {high:g})"
                )
        if self.finish_sims == 1:
            raise SpecError("finish_sims=1 looks at no move; take 0 or at least 2")
        if self.search not in ("puct", "gumbel"):
            raise SpecError(f"search={self.search!r} is not one of puct, gumbel")
        if self.forced and (self.search != "puct" or self.noise_share == 0):
            raise SpecError(
                f"forced={self.forced:g} has a meaning only with search=puct and noise; leave it "
                "out, or set noise_share above 0"
            )

    def rules(self) -> tuple[Any, Any]:
        """The rules of searches without and with noise, both of one class."""
        if self.search == "gumbel":
            gumbel = Gumbel(self.considered, *GUMBEL_SCALES)
            return gumbel, gumbel
        if not self.forced:
            puct = PUCT(self.c, self.first_play)
            return puct, puct
        plain = ForcedPUCT(self.c, self.first_play, 0.0)
        return plain, plain._replace(forced=float(self.forced))


def longest_game(game: GameSpec, settings: SelfPlaySettings) -> int:
    """Plies after which a game has no result."""
    return settings.longest or 4 * game.board_rows * game.board_cols + 100


def plies_without_pass(game: GameSpec, settings: SelfPlaySettings) -> int:
    """Plies before which nobody passes."""
    return round(settings.first_pass * game.board_rows * game.board_cols)
