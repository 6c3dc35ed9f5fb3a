"""Positions of games that a network plays against itself, and how far answers about them differ.

A number format is judged by them: eight bits or bfloat16 in place of float32. Positions of random
play would not do: their activations are smaller than those that a search meets.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from dlgo.encoders import get_encoder
from dlgo.games import recorded_game
from dlgo.vector import VectorEnv
from engines.learning.networks.runtimes import NetworkRuntime

# Games at once: enough for batches that a network likes, few enough for Go, whose games are long.
_GAMES = 32
# Each game starts with up to this many random moves, and later has a random one now and then: a
# search, too, looks at positions that the network would not play for.
_MOST_OPENING, _RANDOM = 8, 0.1
# Of the heads that score each action, the first that a network has chooses its moves.
_SCORES = ("policy", "q", "q_pair")


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions as a network sees them.

    Attributes:
        planes: float32[n, rows, cols, planes].
        legal: bool[n, num_actions], the sensible moves, in the network's order of actions.
    """

    planes: np.ndarray
    legal: np.ndarray

    def __len__(self) -> int:
        return len(self.planes)


def self_play_positions(runtime: NetworkRuntime, count: int, seed: int) -> Positions:
    """Positions of games that a network plays against itself, drawing moves by its policy.

    Games are played to their ends before positions are drawn from all of them, so that the ends
    are there, too. A network that only has a value plays random moves.

    Args:
        runtime: runs the network. Another one that rounds differently may play other games.
        count: number of positions.
        seed: everything random comes from it.

    Raises:
        UnnamedGameError: for a network of a game that is a file of one's own, and not named.
    """
    game = recorded_game(runtime.card.game)
    encoder = get_encoder(runtime.card.encoder, game)
    head, rng = score_head(runtime), np.random.default_rng(seed)
    env = VectorEnv(game, _GAMES, encoder, seed, random_plies=_MOST_OPENING, autoreset=False,
                    search=True)
    step, actions = env.time_step, np.zeros(_GAMES, np.int64)
    planes: list[np.ndarray] = []
    legal: list[np.ndarray] = []
    while len(planes) < count:
        env.reset()
        while not step.ended.all():
            playing = ~step.ended
            shown, masks = step.observations[playing], step.masks[playing]
            players = step.players[playing]
            policies = masks / masks.sum(axis=1, keepdims=True)
            if head:
                scores = encoder.as_seen(runtime.evaluate(shown)[head], players)
                policies = _RANDOM * policies + (1 - _RANDOM) * masked_softmax(scores, masks)
            drawn = policies.cumsum(axis=1)
            actions[playing] = (
                drawn > rng.random((len(drawn), 1)) * drawn[:, -1:]).argmax(axis=1)
            planes.extend(shown)
            legal.extend(encoder.as_seen(masks, players))
            env.step(actions, playing)
    chosen = rng.permutation(len(planes))[:count].tolist()
    return Positions(np.stack([planes[i] for i in chosen]), np.stack([legal[i] for i in chosen]))


def score_head(runtime: NetworkRuntime) -> str | None:
    """The head by which a network would choose a move; None if it has only a value."""
    return next((head for head in _SCORES if head in runtime.heads), None)


def masked_softmax(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Probabilities of the legal actions: float64[n, num_actions]."""
    masked = np.where(legal, logits, -np.inf).astype(np.float64)
    powers = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class Difference:
    """How far answers are from those in float32, as means over positions.

    Attributes:
        positions: how many.
        policy: Kullback-Leibler divergence of the policies over the legal moves, in nats; 0 for a
            network without a policy.
        first_move: share of the positions in which another move is thought best.
        value: absolute difference of the values, which go from -1 to 1; or of what the actions are
            worth, for a network that says that instead.
    """

    positions: int
    policy: float = 0.0
    first_move: float = 0.0
    value: float = 0.0

    def to_json(self) -> dict[str, float]:
        """As a card holds it."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


def difference(
    wanted: dict[str, np.ndarray], answers: dict[str, np.ndarray], legal: np.ndarray
) -> Difference:
    """How far `answers` are from `wanted`, about the same positions.

    Args:
        wanted, answers: of each head: float32[n, ...].
        legal: bool[n, num_actions], the moves that count.
    """
    policy = first_move = value = 0.0
    head = next((head for head in _SCORES if head in wanted), None)
    if head:
        best = [np.where(legal, scores[head], -np.inf).argmax(axis=1)
                for scores in (wanted, answers)]
        first_move = float((best[0] != best[1]).mean())
    if head == "policy":
        true, other = (masked_softmax(scores[head], legal) for scores in (wanted, answers))
        tiny = np.finfo(np.float64).tiny
        ratio = np.log(np.maximum(true, tiny)) - np.log(np.maximum(other, tiny))
        policy = float((true * ratio).sum(axis=1).mean())
    if "value" in wanted:
        value = float(np.abs(wanted["value"] - answers["value"]).mean())
    elif head and head != "policy":
        value = float(np.abs(wanted[head] - answers[head])[legal].mean())
    return Difference(len(legal), policy, first_move, value)
