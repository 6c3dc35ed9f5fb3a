"""Settings of an AlphaZero run: game, network, self-play, training. Equal settings give equal
networks.

`PRESETS` holds settings by game, or by game and board size; docs/lab_notebook.md has the results.
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
from engines.learning.settings import (
    AUTO,
    Settings,
    cpu_minutes_setting,
    curves_setting,
    preset_of,
    setting,
)
from engines.search.gumbel import GUMBEL_SCALES, Gumbel
from engines.search.rules import PUCT

ALPHAGO_ZERO = "Silver et al. 2017"
ALPHAZERO = "Silver et al. 2018"
KATAGO = "Wu 2019"
GUMBEL = "Danihelka et al. 2022"
# Iterations in the window at first; it grows by one every other iteration (Wu 2019), since an
# untrained player made the first games.
_FIRST_WINDOW = 2
# Weights of heads about the end of the game, and the kernel that a game must offer for each.
_FINAL_HEADS = {"ownership": "ownership", "score": "margin"}


@dataclass(frozen=True)
class SelfPlaySettings(Settings):
    """The settings of self-play."""

    owner = "train alphazero"

    sims: int = setting(64, "simulations of a full search", low=2, high=1e6)
    fast_sims: int = setting(16, "simulations of a short search", low=2, high=1e6, source=KATAGO)
    full_share: float = setting(
        0.5, "share of moves that get a full search; only these teach the policy. 1: every move, "
        "as in AlphaZero", low=0.001, high=1, source=KATAGO)
    learn_fast: bool = setting(
        True, "also learn values from moves with a short search", source=KATAGO)
    games_at_once: int = setting(
        128, "games played side by side; the network evaluates a position of each in one batch",
        low=1, high=1e5)
    search: str = setting(
        "puct", "search rule; gumbel suits few simulations and needs no noise and no temperature",
        choices=("puct", "gumbel"), source=GUMBEL)
    considered: int = setting(
        16, "moves that gumbel tries at the root", low=1, high=1e5, source=GUMBEL)
    c_puct: float = setting(
        0.9, "weight of the prior in PUCT; values count from 0 to 1", low=0, high=100,
        source=ALPHAGO_ZERO)
    fpu_reduction: float = setting(
        0.1, "value of a move without visits: that of its position minus this", low=-1, high=1,
        source=KATAGO)
    visits_exponent: float = setting(
        0.5, "power of the position's visits in PUCT; 1: as in the published search of Jones 2021",
        low=0, high=1, source=ALPHAGO_ZERO)
    dirichlet_epsilon: float = setting(
        0.25, "share of noise in the priors of the root, in full searches", low=0, high=0.99,
        source=ALPHAGO_ZERO)
    dirichlet_alpha_total: float = setting(
        10.0, "alpha of the noise, summed over all moves; 10 gives each of 40 moves 0.25",
        low=0.001, high=1e4, source=KATAGO)
    sample_plies: int = setting(
        12, "number of first plies in which the move is drawn at random by its visits", low=0,
        high=1e5, source=ALPHAGO_ZERO)
    temperature: float = setting(
        1.0, "temperature of these draws; smaller values favour the most visited move",
        low=0, high=100, source=ALPHAGO_ZERO)
    random_share: float = setting(
        0.05, "share of games that begin with random moves", low=0, high=1)
    random_plies: int = setting(6, "maximum number of random moves", low=1, high=1000)
    first_pass: float = setting(
        0.0, "plies before a pass is allowed, as a multiple of the number of cells; beginners at "
        "Go pass too early", low=0, high=2)
    resign_below: float = setting(
        0.0, "resign when the expected score stays below this; a draw is 0.5. 0: never resign",
        low=0, high=0.5, source=ALPHAGO_ZERO)
    no_resign_fraction: float = setting(
        0.1, "share of games that are never resigned, to count wrong resignations", low=0, high=1,
        source=ALPHAGO_ZERO)
    finish_sims: int = setting(
        0, "simulations a move after a resignation: the game gets its true result, and these "
        "moves are not learned. 0: the game ends at once", low=0, high=1e6)

    def check(self) -> None:
        super().check()
        if self.finish_sims == 1:
            raise SpecError(f"{self.owner}: finish_sims=1 examines no move; use 0, or at "
                            "least 2")

    def rule(self) -> Any:
        """The selection rule of the searches."""
        if self.search == "gumbel":
            return Gumbel(self.considered, *GUMBEL_SCALES)
        return PUCT(self.c_puct, self.fpu_reduction, self.visits_exponent)


@dataclass(frozen=True)
class AlphaZeroConfig(SelfPlayConfig):
    """The settings that determine what is learned."""

    owner = "train alphazero"

    game: str = setting(None, "game to learn")
    network: str = setting("resnet:blocks=4,filters=32", "network architecture", source=ALPHAZERO)
    encoder: str = setting("", "input encoding of the network; empty: the default of the game")
    iterations: int = setting(20, "iterations of self-play and training", low=1)
    cpu_minutes: float = cpu_minutes_setting()
    games: int = setting(1000, "self-play games in each iteration", low=1)
    window: int = setting(
        10, "number of iterations whose games are learned from; fewer at first", low=1)
    epochs_per_position: float = setting(
        2.0, "average number of times that a position is learned from", low=0.001, high=100)
    batch_size: int = setting(256, "positions in a training step", low=1)
    optimizer: str = setting("adam:lr=0.002", "optimizer and its learning rate")
    decay: float = setting(
        0.1, "learning rate of the last iteration as a fraction of the first; it falls "
        "exponentially", low=1e-9, high=1)
    first_network: str = setting(
        "", "model, by name or folder, whose weights the run begins with; empty: random weights")
    first_games: str = setting(
        "", "folder of games by other players to learn before the first iteration; empty: none",
        source="Silver et al. 2016")
    ownership: float = setting(
        0.0, "loss weight of an extra head that predicts the final owner of each cell; 0: no head",
        low=0, high=100, source=KATAGO)
    score: float = setting(
        0.0, "loss weight of an extra head that predicts the final margin; 0: no head", low=0,
        high=100, source=KATAGO)
    search_value_weight: float = setting(
        0.0, "weight of the search's value in the value target; the rest is the game's result",
        low=0, high=1)
    margin_share: float = setting(
        0.0, "share of the result that depends on the final margin, so that a losing player still "
        "plays for points", low=0, high=1, source=KATAGO)
    precision: str = setting(
        AUTO, "number format of training; mixed uses bfloat16 and is faster on hardware that "
        "supports it; auto: mixed on a GPU, else float32", choices=(AUTO, "float32", "mixed"))
    symmetries: bool = setting(
        True, "learn each position from a random side of the board", source=ALPHAGO_ZERO)
    runtime: str = setting(
        AUTO, "what runs the network in self-play; auto: the fastest of those that do not "
        "quantise it", choices=(AUTO, *KINDS))
    workers: int = setting(
        2, "self-play processes; the games depend on their number. 0: the learning process plays "
        "the games of workers=1", low=0)
    ahead: bool = setting(
        False, "play the games of the next iteration while the network learns")
    gating_threshold: float = setting(
        0.0, "score that a new network must reach against the current one before it plays the "
        "self-play games; 0: no match. AlphaGo Zero: 0.55", low=0, high=1, source=ALPHAGO_ZERO)
    gating_games: int = setting(
        40, "games of that match, half of them with each colour", low=2, source=ALPHAGO_ZERO)
    seed: int = setting(1, "seed of all random numbers")
    curves: bool = curves_setting()
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)

    def check(self) -> None:
        super().check()
        if self.gating_games % 2:
            raise SpecError(f"{self.owner}: gating_games={self.gating_games} is odd; use an "
                            "even number, since games come in pairs with colours swapped")
        if self.ahead and self.cpu_minutes:
            raise SpecError(f"{self.owner}: ahead=yes needs a number of iterations; leave out "
                            "cpu_minutes")
        if self.gating_threshold and not self.selfplay.sample_plies:
            raise SpecError(f"{self.owner}: gating_threshold={self.gating_threshold:g} needs "
                            "a match of different games; set sample_plies to 1 or more")

    def _check_game(self, game: GameSpec) -> None:
        for name, needed in (*_FINAL_HEADS.items(), ("margin_share", "margin")):
            weight = getattr(self, name)
            if weight and not kernels.offers(game.new_kernel_state(), needed):
                raise SpecError(f"{name}={weight:g} needs the final {needed} of a game, "
                                f"which {game.name} does not report; set {name}=0")

    @property
    def shares(self) -> int:
        """The number of tasks, and of shards, that an iteration's games are divided into."""
        return max(self.workers, 1)

    @property
    def final_heads(self) -> tuple[str, ...]:
        """The network's extra heads in training, which predict the end of the game."""
        return tuple(name for name in _FINAL_HEADS if getattr(self, name) > 0)

    def window_of(self, iteration: int) -> range:
        """The iterations whose games iteration number `iteration` (from 1) learns from."""
        size = min(self.window, _FIRST_WINDOW + iteration // 2)
        return range(max(1, iteration - size + 1), iteration + 1)

    def player_of(self, history: Sequence[Mapping[str, float]], iteration: int) -> int:
        """The iteration whose network plays the games of `iteration`; 0: the initial network."""
        return playing_network(history, max(1, iteration - self.ahead))


# A small network within the search, asked often (docs/networks.md).
_SMALL = {"network": "wide:hidden=512", "window": 8, "epochs_per_position": 2.5, "batch_size": 512,
          "decay": 0.05, "search_value_weight": 0.3}
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
        **_SMALL, "encoder": "captures", "iterations": 24, "games": 2000,
        "epochs_per_position": 4.0,
        "selfplay": {"sims": 160, "fast_sims": 32, "full_share": 0.35,
                     "sample_plies": 20, "games_at_once": 128,
                     "random_share": 0.3, "random_plies": 10,
                     "resign_below": 0.05, "no_resign_fraction": 0.15},
    },
    "othello 6x6": {
        **_SMALL, "encoder": "plays", "iterations": 40, "games": 1500, "ownership": 0.5,
        "selfplay": {"sims": 200, "fast_sims": 40, "full_share": 0.5, "sample_plies": 10,
                     "games_at_once": 192, "random_share": 0.3, "random_plies": 8},
    },
    "othello": {
        **_SMALL, "encoder": "plays", "iterations": 40, "games": 1200, "ownership": 0.5,
        "selfplay": {"sims": 200, "fast_sims": 40, "full_share": 0.4, "sample_plies": 16,
                     "games_at_once": 128, "random_share": 0.3, "random_plies": 12},
    },
    "breakthrough": {
        **_SMALL, "iterations": 12, "games": 1500,
        "selfplay": {"sims": 200, "fast_sims": 40, "full_share": 0.4, "sample_plies": 16,
                     "games_at_once": 128, "random_share": 0.3, "random_plies": 8},
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


def make_config(game: str, **settings: Any) -> AlphaZeroConfig:
    """The preset of a game, changed by `settings`; None: the preset's."""
    preset = preset_of(PRESETS, get_game(game))
    settings = {name: value for name, value in settings.items() if value is not None}
    usual = dict(preset.get("selfplay", {}))
    inner = SelfPlaySettings.options().keys() & settings.keys()
    selfplay = SelfPlaySettings(**{**usual, **{name: settings.pop(name) for name in inner}})
    defaults = {name: value for name, value in preset.items() if name != "selfplay"}
    return AlphaZeroConfig(game=game, selfplay=selfplay, **{**defaults, **settings}).canonical()
