"""What a run of AlphaZero is: game, network, self-play, training. Equal plans, equal networks.

`PRESETS` holds settings by game, or by game and size of board. docs/lab_notebook.md says what came
of them. Tic-tac-toe's, Connect Four's and that of Go on 5x5 have been run to their end as they
are, that of draughts with `finish_sims=2`, that of larger Go boards on 9x9 and in two parts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.encoders import default_encoder, get_encoder
from dlgo.errors import SpecError
from dlgo.games import get_game
from dlgo.specs import suggest
from engines.alphazero.settings import SelfPlaySettings
from engines.learning.networks import catalog
from engines.learning.networks.runtimes import KINDS

AUTO = "auto"
# Weights of heads about the end of the game, and what a game must offer for each.
_FINAL_HEADS = {"ownership": "ownership", "score": "margin"}


@dataclass(frozen=True)
class AlphaZeroPlan:
    """All that decides what is learned.

    Attributes:
        game: what is played.
        network: architecture; encoder: what it sees, the game's usual one by default.
        iterations: rounds of self-play and training.
        games: of self-play in each round.
        window: rounds whose games are learned from; at first fewer, see `first_window`.
        first_window: the window begins with so many rounds and grows by one every other round:
            the first games are of a player who knows nothing, and are soon to be forgotten.
        passes: how often a new position is learned from, on average over its time in the window.
        batch_size: positions a step.
        optimizer: with its learning rate, which falls by `decay` in all, evenly by the
            logarithm, from the first round to the last.
        first_network: model, by name or folder, whose weights the run begins with; "": random
            ones. Its architecture, encoder and shape must be the run's; komi, say, may differ. Its
            optimiser and games are not known any more: choose a smaller learning rate.
        first_games: folder of games of other players (`dlgo generate`, `dlgo data import-sgf`)
            that are learned before the first round, as AlphaGo did; "": begin with nothing, as
            AlphaZero. first_passes: how often.
        value_weight: of the value's squared error beside the policy's cross-entropy.
        ownership: weight of what training alone asks besides: whose each cell of the board will
            be at the end; score: the same for the final margin. 0: not asked. For games that
            offer it (Wu, "Accelerating self-play learning in Go", 2019).
        searched: part of the value to be learned that is what the search expected, the rest
            being the game's result. The result is the truth about the game as it was played,
            with the moves that were drawn for variety; the search errs, but says more of the
            position.
        margin_share: part of the result to be learned that is by how much the game was won, where
            the final board is known (Wu 2019): who is sure to lose then still plays for points.
        precision: "float32", or "mixed": training computes in bfloat16 where that is exact
            enough, which is faster on processors and GPUs that can; "auto": as the run began, and
            mixed on a GPU.
        symmetries: learn positions from random sides. sides: in self-play, too, the network is
            shown them from random sides.
        runtime: what runs the network in self-play, one of `evaluators.KINDS`; "auto": what is
            fastest here when the run begins, which the run then keeps. Each rounds in its own
            way, so that games equal to the last bit need the same.
        workers: processes of self-play; the games depend on their number, since it decides
            which positions share a batch.
        promote: a new network plays the games of self-play only if it scores so much, at
            least, of a match against the one that plays them now; 0: there is no match, the
            newest plays, as in AlphaZero. AlphaGo Zero: 0.55. The learner goes on from
            its latest weights whatever the match says.
        promote_games: of that match, half of them with each colour.
        seed: everything comes from it.
        selfplay: how games are played.
    """

    game: str
    network: str = "resnet:blocks=4,filters=32"
    encoder: str = ""
    iterations: int = 20
    games: int = 1000
    window: int = 10
    first_window: int = 2
    passes: float = 2.0
    batch_size: int = 256
    optimizer: str = "adam:lr=0.002"
    decay: float = 0.1
    first_network: str = ""
    first_games: str = ""
    first_passes: float = 4.0
    value_weight: float = 1.0
    ownership: float = 0.0
    score: float = 0.0
    searched: float = 0.0
    margin_share: float = 0.0
    precision: str = AUTO
    symmetries: bool = True
    sides: bool = False
    runtime: str = AUTO
    workers: int = 2
    promote: float = 0.0
    promote_games: int = 40
    seed: int = 1
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)

    def canonical(self) -> AlphaZeroPlan:
        """The same with canonical specifications.

        Raises:
            SpecError: for an unknown game, network, encoder or optimiser, or a number out of
                range.
        """
        game = get_game(self.game)
        encoder = get_encoder(self.encoder or default_encoder(game), game)
        if encoder.history:
            raise SpecError(f"encoder {encoder.name} looks at earlier positions, which self-play "
                            "does not offer; choose another")
        self._check(game)
        self.selfplay.check()
        return dataclasses.replace(
            self, game=str(game), encoder=encoder.name,
            network=catalog.canonical("network", catalog.NETWORKS, self.network),
            optimizer=catalog.canonical("optimizer", catalog.OPTIMIZERS, self.optimizer),
        )

    def _check(self, game: GameSpec) -> None:
        """Raises SpecError for a number or a word out of range."""
        for name, least in (("iterations", 1), ("games", 1), ("window", 1), ("first_window", 1),
                            ("batch_size", 1), ("workers", 1)):
            if getattr(self, name) < least:
                raise SpecError(f"{name}={getattr(self, name)} is less than {least}")
        if self.runtime not in (AUTO, *KINDS):
            raise SpecError(f"runtime={self.runtime!r} is not one of {', '.join((AUTO, *KINDS))}")
        for name in ("passes", "first_passes"):
            if not 0 < getattr(self, name) <= 100:
                raise SpecError(f"{name}={getattr(self, name):g} is out of range (above 0, to 100)")
        for name in ("searched", "margin_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise SpecError(f"{name}={getattr(self, name):g} is out of range (0 to 1)")
        if self.precision not in (AUTO, "float32", "mixed"):
            raise SpecError(f"precision={self.precision!r} is not one of auto, float32, mixed")
        if not 0 <= self.promote <= 1:
            raise SpecError(f"promote={self.promote:g} is out of range (0 to 1)")
        if self.promote_games < 2 or self.promote_games % 2:
            raise SpecError(f"promote_games={self.promote_games} is not an even number above 0: "
                            "games come in pairs with colours changed")
        if self.promote and not self.selfplay.sample_plies:
            raise SpecError(f"promote={self.promote:g} needs a match of different games: set "
                            "sample_plies above 0")
        for name, needed in (*_FINAL_HEADS.items(), ("margin_share", "margin")):
            weight = getattr(self, name)
            if not 0 <= weight <= 100:
                raise SpecError(f"{name}={weight:g} is out of range (0 to 100)")
            if weight and not kernels.offers(game.new_kernel_state(), needed):
                raise SpecError(f"{name}={weight:g} needs the kernel `{needed}`, which "
                                f"{game.name} does not have; leave {name} at 0")

    @property
    def final_heads(self) -> tuple[str, ...]:
        """The heads about the end of the game that the network has in training."""
        return tuple(name for name in _FINAL_HEADS if getattr(self, name) > 0)

    @property
    def needs_finals(self) -> bool:
        """Whether there is something to learn from final boards."""
        return bool(self.final_heads) or self.margin_share > 0

    def window_of(self, iteration: int) -> range:
        """The rounds whose games round `iteration` (from 1) learns from."""
        size = min(self.window, self.first_window + iteration // 2)
        return range(max(1, iteration - size + 1), iteration + 1)

    def learning_rate(self, iteration: int, rate: float) -> float:
        """The rate of a round, given that of the first."""
        done = (iteration - 1) / max(self.iterations - 1, 1)
        return rate * self.decay**done

    def to_json(self) -> dict[str, Any]:
        """As plain JSON data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AlphaZeroPlan:
        """The plan that `to_json` gave. Raises KeyError or TypeError for other data."""
        return cls(**{**data, "selfplay": SelfPlaySettings(**data["selfplay"])})


PRESETS: dict[str, dict[str, Any]] = {
    "tictactoe": {
        "network": "resnet:blocks=2,filters=32", "iterations": 36, "games": 800, "window": 10,
        "passes": 4.0,
        "selfplay": {"sims": 50, "fast_sims": 10, "sample_plies": 9, "games_at_once": 256,
                     "random_share": 0.3, "random_plies": 4},
    },
    "connect4": {
        "network": "resnet:blocks=5,filters=64", "iterations": 40, "games": 3000, "window": 10,
        "passes": 2.3, "batch_size": 512, "decay": 0.05, "searched": 0.5,
        "selfplay": {"sims": 100, "fast_sims": 20, "full_share": 0.6, "sample_plies": 14,
                     "games_at_once": 192, "random_share": 0.4, "random_plies": 16},
    },
    "draughts": {
        "network": "resnet:blocks=5,filters=32", "iterations": 24, "games": 1500, "window": 8,
        "passes": 4.0, "batch_size": 512, "decay": 0.05, "searched": 0.3,
        "selfplay": {"sims": 80, "fast_sims": 16, "full_share": 0.35, "learn_fast": False,
                     "forced": 2.0, "sample_plies": 20, "games_at_once": 128,
                     "random_share": 0.3, "random_plies": 10, "resign": 0.8, "play_on": 0.15},
    },
    # Komi 24.5 makes winning by 25 the goal (`experiments/chapters/ch14_go5.py`).
    "go 5x5": {
        "network": "resnet:blocks=4,filters=48", "encoder": "zero11", "iterations": 24,
        "games": 1600, "window": 8, "passes": 2.5, "batch_size": 512, "searched": 0.3,
        "selfplay": {"sims": 100, "fast_sims": 20, "sample_plies": 8, "games_at_once": 192,
                     "random_share": 0.3, "random_plies": 8},
    },
    "go": {
        "network": "resnet:blocks=8,filters=32", "encoder": "alphago41", "iterations": 50,
        "games": 1000, "window": 10, "passes": 4.0, "batch_size": 512, "decay": 0.05,
        "ownership": 1.0, "score": 0.3, "searched": 0.25, "margin_share": 0.3,
        "selfplay": {"sims": 120, "fast_sims": 16, "full_share": 0.25, "learn_fast": False,
                     "forced": 2.0, "sample_plies": 16, "games_at_once": 128,
                     "random_share": 0.1, "random_plies": 6, "first_pass": 0.6,
                     "resign": 0.85, "play_on": 0.2, "finish_sims": 2},
    },
}


def preset_of(game: GameSpec) -> dict[str, Any]:
    """Settings for a game: those of its size of board if there are any, else of its name."""
    size = f"{game.name} {game.board_rows}x{game.board_cols}"
    return PRESETS.get(size, PRESETS.get(game.name, {}))


def parse_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Settings of a plan or of its self-play as they are typed: "batch_size=512", "reuse=no".

    Raises:
        SpecError: for one that is not known or has no such value.
    """
    kinds = {
        f.name: type(f.default) for one in (AlphaZeroPlan, SelfPlaySettings)
        for f in dataclasses.fields(one) if f.name not in ("game", "selfplay")
    }
    found: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in kinds:
            raise SpecError(f"unknown setting {name!r}{suggest(name, kinds)}; settings are "
                            f"{', '.join(sorted(kinds))}")
        try:
            found[name] = _SWITCH[value] if kinds[name] is bool else kinds[name](value)
        except (ValueError, KeyError):
            raise SpecError(f"{text}: {name} takes {_KINDS[kinds[name]]}") from None
    return found


_SWITCH = {"yes": True, "no": False}
_KINDS = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}


def make_plan(game: str, **given: Any) -> AlphaZeroPlan:
    """The preset of a game with changes; None counts as not given. Self-play's go in by name."""
    preset = preset_of(get_game(game))
    given = {key: value for key, value in given.items() if value is not None}
    own = {f.name for f in dataclasses.fields(SelfPlaySettings)}
    usual = dict(preset.get("selfplay", {}))
    if given.get("search", "puct") != "puct":
        usual.pop("forced", None)  # a preset's; it has no meaning there
    selfplay = SelfPlaySettings(**{
        **usual, **{key: given.pop(key) for key in own & given.keys()},
    })
    rest = {key: value for key, value in preset.items() if key != "selfplay"}
    return AlphaZeroPlan(game=game, selfplay=selfplay, **{**rest, **given}).canonical()
