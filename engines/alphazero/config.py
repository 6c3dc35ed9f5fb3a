"""What a run of AlphaZero is: game, network, self-play, training. Equal configs, equal networks.

`PRESETS` holds settings by game, or by game and size of board; docs/lab_notebook.md says what came
of them. Tic-tac-toe's, Connect Four's and that of Go on 5x5 have been run to their end as they
are, that of draughts with `finish_sims=2`, that of larger Go boards on 9x9 and in two parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.errors import SpecError
from dlgo.games import get_game
from engines.learning.networks.runtimes import KINDS
from engines.learning.runs.records import playing_network
from engines.learning.selfplay.config import SelfPlayConfig
from engines.learning.settings import AUTO, Settings, preset_of, setting
from engines.search.gumbel import GUMBEL_SCALES, Gumbel
from engines.search.rules import PUCT

ALPHAGO_ZERO = "Silver et al. 2017"
ALPHAZERO = "Silver et al. 2018"
KATAGO = "Wu 2019"
GUMBEL = "Danihelka et al. 2022"
# Iterations in the window at first; it grows by one every other iteration (Wu 2019), since the
# first games are those of a player who knows nothing.
_FIRST_WINDOW = 2
# Weights of heads about the end of the game, and what a game must offer for each.
_FINAL_HEADS = {"ownership": "ownership", "score": "margin"}


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
        "draws its variables at the root, so that noise and temperature have no effect",
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
    no_resign_fraction: float = setting(
        0.1, "share of games in which nobody resigns, to count how often resigning would have been "
        "wrong", low=0, high=1, source=ALPHAGO_ZERO)
    finish_sims: int = setting(
        0, "simulations of moves after a resignation, which are not learned: the game gets its "
        "true result and its last board, and every resignation is checked; 0: a resigned game is "
        "over. Not for games in which a win must be found move by move, as in draughts",
        low=0, high=1e6)

    def check(self) -> None:
        super().check()
        if self.finish_sims == 1:
            raise SpecError(f"{self.owner}: finish_sims=1 looks at no move; take 0 or at least 2")

    def rule(self) -> Any:
        """The rule of searches."""
        if self.search == "gumbel":
            return Gumbel(self.considered, *GUMBEL_SCALES)
        return PUCT(self.c_puct, self.fpu_reduction)


@dataclass(frozen=True)
class AlphaZeroConfig(SelfPlayConfig):
    """All that decides what is learned; the help of each setting says what it is."""

    owner = "train alphazero"

    game: str = setting(None, "what is played")
    network: str = setting("resnet:blocks=4,filters=32", "architecture", source=ALPHAZERO)
    encoder: str = setting("", "what the network sees; empty: the game's usual encoder")
    iterations: int = setting(20, "iterations of self-play and training", low=1)
    games: int = setting(1000, "games of self-play in each iteration", low=1)
    window: int = setting(
        10, "iterations whose games are learned from; at first fewer", low=1)
    epochs_per_position: float = setting(
        2.0, "times that a new position is learned from, on average over its time in the window",
        low=0.001, high=100)
    batch_size: int = setting(256, "positions in a step of training", low=1)
    optimizer: str = setting("adam:lr=0.002", "optimizer, with its learning rate")
    decay: float = setting(
        0.1, "factor by which the learning rate falls from the first iteration to the last, evenly "
        "by its logarithm", low=1e-9, high=1)
    first_network: str = setting(
        "", "model, by name or folder, whose weights the run begins with; empty: random weights. "
        "Architecture, encoder and shape must be the run's; komi, say, may differ. The optimizer "
        "begins anew: choose a smaller learning rate")
    first_games: str = setting(
        "", "folder of games of other players (`dlgo generate`, `dlgo data import-sgf`) that are "
        "learned before the first iteration; empty: begin with nothing, as AlphaZero",
        source="Silver et al. 2016")
    ownership: float = setting(
        0.0, "weight of a head that training alone has: whose each cell of the board will be at "
        "the end; 0: no such head", low=0, high=100, source=KATAGO)
    score: float = setting(
        0.0, "weight of a head for the final margin, as ownership", low=0, high=100, source=KATAGO)
    search_value_weight: float = setting(
        0.0, "part of the value target that is the search's value, the rest being the game's "
        "result. The result is the truth about the game as it was played, with the moves that were "
        "drawn for variety; the search errs, but says more of the position", low=0, high=1)
    margin_share: float = setting(
        0.0, "part of the result to be learned that is by how much the game was won, where the "
        "final board is known: a player who is sure to lose then still plays for points",
        low=0, high=1, source=KATAGO)
    precision: str = setting(
        AUTO, "numbers that training computes with; mixed: bfloat16 where that is exact enough, "
        "which is faster on processors and GPUs that can; auto: as the run began, and mixed on a "
        "GPU", choices=(AUTO, "float32", "mixed"))
    symmetries: bool = setting(
        True, "learn each position from a random side of the board", source=ALPHAGO_ZERO)
    runtime: str = setting(
        AUTO, "what runs the network in self-play; auto: compiled if it is of dense layers alone, "
        "else the fastest here when the run begins, which the run then keeps; int8 or "
        "openvino-int8, which auto never takes: each new network is quantised before it plays. "
        "Each rounds in its own way, so that games equal to the last bit need the same",
        choices=(AUTO, *KINDS))
    workers: int = setting(
        2, "processes of self-play; the games depend on their number, since it decides which "
        "positions share a batch", low=1)
    ahead: bool = setting(
        False, "play the next iteration's games while the network learns, by the one before it, "
        "instead of waiting for the new one")
    gating_threshold: float = setting(
        0.0, "score that a new network needs in a match against the one that plays now, to play "
        "the games of self-play; 0: no match, the newest plays, as in AlphaZero. The learner goes "
        "on from its latest weights whatever the match says. AlphaGo Zero has 0.55",
        low=0, high=1, source=ALPHAGO_ZERO)
    gating_games: int = setting(
        40, "games of that match, half of them with each colour", low=2, source=ALPHAGO_ZERO)
    seed: int = setting(1, "number that everything random comes from")
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)

    def check(self) -> None:
        super().check()
        if self.gating_games % 2:
            raise SpecError(f"{self.owner}: gating_games={self.gating_games} is not an even "
                            "number: games come in pairs with colours changed")
        if self.gating_threshold and not self.selfplay.sample_plies:
            raise SpecError(f"{self.owner}: gating_threshold={self.gating_threshold:g} needs a "
                            "match of different games: set sample_plies above 0")

    def _check_game(self, game: GameSpec) -> None:
        for name, needed in (*_FINAL_HEADS.items(), ("margin_share", "margin")):
            weight = getattr(self, name)
            if weight and not kernels.offers(game.new_kernel_state(), needed):
                raise SpecError(f"{name}={weight:g} needs the kernel `{needed}`, which "
                                f"{game.name} does not have; leave {name} at 0")

    @property
    def final_heads(self) -> tuple[str, ...]:
        """The heads about the end of the game that the network has in training."""
        return tuple(name for name in _FINAL_HEADS if getattr(self, name) > 0)

    def window_of(self, iteration: int) -> range:
        """The iterations whose games `iteration` (from 1) learns from."""
        size = min(self.window, _FIRST_WINDOW + iteration // 2)
        return range(max(1, iteration - size + 1), iteration + 1)

    def player_of(self, history: Sequence[Mapping[str, float]], iteration: int) -> int:
        """The iteration whose network plays the games of another one; 0: the first network."""
        return playing_network(history, max(1, iteration - self.ahead))


PRESETS: dict[str, dict[str, Any]] = {
    "tictactoe": {
        "network": "resnet:blocks=2,filters=32", "iterations": 36, "games": 800, "window": 10,
        "epochs_per_position": 4.0,
        "selfplay": {"sims": 50, "fast_sims": 10, "sample_plies": 9, "games_at_once": 256,
                     "random_share": 0.3, "random_plies": 4},
    },
    "connect4": {
        "network": "resnet:blocks=5,filters=64", "iterations": 40, "games": 3000, "window": 10,
        "epochs_per_position": 2.3, "batch_size": 512, "decay": 0.05, "search_value_weight": 0.5,
        "selfplay": {"sims": 100, "fast_sims": 20, "full_share": 0.6, "sample_plies": 14,
                     "games_at_once": 192, "random_share": 0.4, "random_plies": 16},
    },
    "draughts": {
        # Within the search (docs/networks.md) a small network is worth more than a large one here.
        "network": "wide:hidden=512", "encoder": "captures",
        "iterations": 24, "games": 2000, "window": 8,
        "epochs_per_position": 4.0, "batch_size": 512, "decay": 0.05, "search_value_weight": 0.3,
        "selfplay": {"sims": 160, "fast_sims": 32, "full_share": 0.35,
                     "sample_plies": 20, "games_at_once": 128,
                     "random_share": 0.3, "random_plies": 10,
                     "resign_below": 0.05, "no_resign_fraction": 0.15},
    },
    # Komi 24.5 makes winning by 25 the goal.
    "go 5x5": {
        "network": "resnet:blocks=4,filters=48", "encoder": "zero11", "iterations": 24,
        "games": 1600, "window": 8, "epochs_per_position": 2.5, "batch_size": 512,
        "search_value_weight": 0.3,
        "selfplay": {"sims": 100, "fast_sims": 20, "sample_plies": 8, "games_at_once": 192,
                     "random_share": 0.3, "random_plies": 8},
    },
    "go": {
        "network": "resnet:blocks=8,filters=32", "encoder": "alphago41", "iterations": 50,
        "games": 1000, "window": 10, "epochs_per_position": 4.0, "batch_size": 512, "decay": 0.05,
        "ownership": 1.0, "score": 0.3, "search_value_weight": 0.25, "margin_share": 0.3,
        "selfplay": {"sims": 120, "fast_sims": 16, "full_share": 0.25, "learn_fast": False,
                     "sample_plies": 16, "games_at_once": 128,
                     "random_share": 0.1, "random_plies": 6, "first_pass": 0.6,
                     "resign_below": 0.075, "no_resign_fraction": 0.2, "finish_sims": 2},
    },
}


def make_config(game: str, **given: Any) -> AlphaZeroConfig:
    """The preset of a game with changes; None counts as not given. Self-play's go in by name."""
    preset = preset_of(PRESETS, get_game(game))
    given = {name: value for name, value in given.items() if value is not None}
    usual = dict(preset.get("selfplay", {}))
    inner = SelfPlaySettings.options().keys() & given.keys()
    selfplay = SelfPlaySettings(**{**usual, **{name: given.pop(name) for name in inner}})
    rest = {name: value for name, value in preset.items() if name != "selfplay"}
    return AlphaZeroConfig(game=game, selfplay=selfplay, **{**rest, **given}).canonical()
