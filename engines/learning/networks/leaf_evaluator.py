"""A network in the tree search: positions in, priors and values out.

    load_leaf_evaluator("out/my-model", game)                          values from its value head
    load_leaf_evaluator("out/my-model", game, "onnx", LightRollout())  values from random games

The tree (`engines/search/leaf_evaluator.py`) gives leaves in batches; encoding, one call of
the network and a softmax answer for all of them. With a cache (`answer_cache.py`) the network is
not asked twice about a position in the same game.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.encoders import Encoder, encode_many, get_encoder
from dlgo.errors import DlgoError, ModelError
from dlgo.games import GAMES
from dlgo.jit import kernel
from dlgo.specs import Option
from engines.learning.networks.answer_cache import AnswerCache
from engines.learning.networks.card import Card
from engines.learning.networks.runtimes import KINDS, USUAL, NetworkRuntime, load_runtime
from engines.learning.networks.store import ONNX_FILE, load_card, shipped_models
from engines.search.leaf_evaluator import LeafEvaluator, LeafValues

RUNTIME_OPTION = Option(
    "runtime", USUAL, "network runtime; usual: compiled for networks of dense layers, else onnx",
    choices=(USUAL, *KINDS))
CACHE_OPTION = Option("cache", 20_000, "number of positions whose network answers are kept during "
                      "a game; 0: none", low=0, high=10_000_000)
MODEL_OPTION = Option(
    "model", None, "network with a value head, by name (`dlgo models`) or folder; "
    "default: the one shipped for the game", kind=str)
# Options of engines whose search asks a network.
NETWORK_OPTIONS = (RUNTIME_OPTION, CACHE_OPTION)


def encoder_of(card: Card, game: GameSpec) -> Encoder:
    """The encoder a network was trained with, for `game`. Raises ModelError if the network is for
    another game or another size of board."""
    trained, _ = GAMES.split(card.game)
    problem = f"it was trained on {card.game}, not on {game}"
    if trained != (game.spec_name or game.name):
        raise ModelError(f"model {card.name} cannot play {game}: {problem}")
    try:
        encoder = get_encoder(card.encoder, game)
    except DlgoError as error:
        raise ModelError(f"model {card.name} cannot play {game}: {error}") from None
    sizes = (tuple(encoder.shape), encoder.num_actions)
    if sizes != (card.shape, card.num_actions):
        raise ModelError(
            f"model {card.name} cannot play {game}: its planes are {card.shape} and its actions "
            f"{card.num_actions}, those of the game are {sizes[0]} and {sizes[1]}; {problem}"
        )
    return encoder


def model_for(game: GameSpec, method: str, file: str = ONNX_FILE) -> str:
    """The shipped model of a game that a method trained, such as "supervised". Raises ModelError if
    there is none; the message lists those of other methods that have `file`."""
    names = []
    for name in shipped_models():
        _, card = load_card(name)
        if file in card.files and can_play(card, game):
            if card.training.get("method") == method:
                return name
            names.append(name)
    alternatives = f", or model=NAME with one of {', '.join(names)}" if names else ""
    raise ModelError(f"no {method} model comes with the package for {game}; write "
                     "model=FOLDER with the folder of one that "
                     f"`dlgo train {method}` wrote{alternatives}")


def can_play(card: Card, game: GameSpec) -> bool:
    """Whether a network can play a game."""
    try:
        encoder_of(card, game)
    except ModelError:
        return False
    return True


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of logits, along the last axis, which may be empty."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=-1, keepdims=True)


def load_leaf_evaluator(
    name: str, game: GameSpec, kind: str = "onnx", values: Any = None, cache: int = 0
) -> NetworkEvaluator:
    """The model `name` as a leaf evaluator for the tree search. See `NetworkEvaluator`."""
    runtime = load_runtime(name, kind)
    return NetworkEvaluator(runtime, encoder_of(runtime.card, game), values, cache=cache)


class NetworkEvaluator(LeafEvaluator):
    """Priors and values of a network, or of two.

    Args:
        encoder: what it sees. Each thread needs its own instance: encoders have scratch.
        values: what else values the leaves (see `LeafValues`), a rollout for instance: the values
            are (1 - mixing) times the network's head "value" and mixing times these (Silver et
            al. 2016). At 1 no head "value" is asked, at 0 no compiled evaluator.
        critic: another network, whose head "value" is asked in place of the first one's.
        cache: number of positions whose answers are kept during a game; 0: none. Rollouts are
            played anew each time.

    Attributes:
        seconds: wall-clock time of all `evaluate`; a compiled evaluator is part of a search, and
            not measured.
    """

    def __init__(
        self, runtime: NetworkRuntime, encoder: Encoder, values: Any = None,
        mixing: float = 1.0, critic: NetworkRuntime | None = None, cache: int = 0,
    ) -> None:
        runtime.card.require("policy", "which guides a search")
        self._mixing, self._critic = 0.0 if values is None else mixing, critic
        if self._mixing < 1:
            (critic or runtime).card.require(
                "value", "so let rollouts value the leaves (evaluator=rollout)")
        self.network_id, self.runtime = runtime.network_id, runtime.kind
        self.training_cpu_seconds = runtime.card.total_cpu_seconds
        self.history = encoder.history
        self._runtime, self._encoder = runtime, encoder
        self._values = LeafValues(encoder.game, values)
        self._planes = np.empty((0, *encoder.shape), np.float32)
        self._answer_cache = AnswerCache(cache, encoder.num_actions) if cache else None
        self.seconds = 0.0
        self.new_game(0)

    def compiled(self) -> Any:
        # It is asked about each position anew: to remember answers would take longer.
        plain = self._mixing == 0 and self._critic is None and self.history == 0
        return self._runtime.compiled(self._encoder, ("policy", "value")) if plain else None

    def window(self, state: GameState) -> tuple[Any, int]:
        return self._encoder.window(state)

    @property
    def cache_hits(self) -> int:  # type: ignore[override]  # a number where nothing is kept
        return self._answer_cache.cache_hits if self._answer_cache is not None else 0

    def new_game(self, seed: int) -> None:
        self._values.new_game(seed)
        if self._answer_cache is not None:
            self._answer_cache.clear()

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        start = time.perf_counter()
        answer = self.evaluate_windows(leaves, leaves, np.ones(n, np.int64), n)
        self.seconds += time.perf_counter() - start
        return answer

    def evaluate_windows(
        self, leaves: Any, windows: Any, n_states: np.ndarray, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        if len(self._planes) < n:
            self._planes = np.empty((n, *self._encoder.shape), np.float32)
        planes = self._planes[:n]
        encode_many(self._encoder.kernel, windows, n_states, n, planes)
        if self._answer_cache is not None:
            policies, values = self._answer_cache.answers(planes, self._ask)
        else:
            policies, values = self._ask(planes)
        if self._encoder.turns is not None:
            turned = np.empty_like(policies)
            turn_back(leaves, n, self._encoder.turns.actions[1], policies, turned)
            policies = turned
        if self._mixing > 0:
            values = (1 - self._mixing) * values + self._mixing * self._values.of(leaves, n)
        return policies, values

    def _ask(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Policies and values of the networks; the values are 0 if no head is to be asked."""
        answers = self._runtime.evaluate(planes)
        policies = np.empty_like(answers["policy"])
        write_softmax(answers["policy"], policies)
        if self._mixing == 1:
            return policies, np.zeros(len(planes), np.float32)
        if self._critic is not None:
            answers = self._critic.evaluate(planes)
        return policies, answers["value"][:, 0]


class ValueEvaluator(LeafEvaluator):
    """The values of a network, for a search without priors.

    Args:
        encoder: as of `NetworkEvaluator`, without history.
    """

    def __init__(self, runtime: NetworkRuntime, encoder: Encoder) -> None:
        runtime.card.require("value", "which values the leaves")
        if encoder.history:
            raise ModelError(f"model {runtime.card.name} needs earlier positions, which this "
                             "search does not provide; choose another model")
        self._runtime, self._encoder = runtime, encoder

    def compiled(self) -> Any:
        return self._runtime.compiled(self._encoder, ("value",))

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        planes = np.empty((n, *self._encoder.shape), np.float32)
        encode_many(self._encoder.kernel, leaves, np.ones(n, np.int64), n, planes)
        policies = np.zeros((n, self._encoder.num_actions), np.float32)
        return policies, self._runtime.evaluate(planes)["value"][:, 0]


@kernel
def write_softmax(logits, out):
    """`softmax`, compiled, which is faster for single rows. Both: float32[n, num_actions]."""
    for i in range(logits.shape[0]):
        largest = logits[i, 0]
        for j in range(1, logits.shape[1]):
            largest = max(largest, logits[i, j])
        total = 0.0
        for j in range(logits.shape[1]):
            out[i, j] = math.exp(logits[i, j] - largest)
            total += out[i, j]
        scale = np.float32(1.0 / total)
        for j in range(logits.shape[1]):
            out[i, j] *= scale


@kernel
def turn_back(leaves, n, actions, policies, out):
    """Write the policies of a batch of states into `out`, in the game's order of actions.

    The reverse of `Encoder.to_network_order`. `policies` and `out`: float32[n, num_actions];
    `actions`: int64[num_actions], for each action the one that it is turned into.
    """
    for i in range(n):
        second = kernels.to_move(kernels.row(leaves, i)) == 1
        for action in range(policies.shape[1]):
            out[i, action] = policies[i, actions[action] if second else action]
