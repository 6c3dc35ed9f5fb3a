"""Games by policies alone, a thousand at once: drawn, played and recorded in compiled code.

A learner that plays without search needs one evaluation of its network for a move, and those of
all games in one call. So every board of a `VectorEnv` plays a game; in each step both sides answer
for the boards on which they are to move, and compiled code draws and plays. A board whose game is
over starts the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dlgo.api import GameSpec
from dlgo.encoders.base import Encoder
from dlgo.jit import kernel
from dlgo.rng import below, uniform
from dlgo.symmetry import by_symmetry, symmetries
from dlgo.vector import Episodes, VectorEnv
from engines.jobs import Amount
from engines.learning.data.experience import Experience
from engines.learning.data.records import LABELLED, NO_RESULT, PLAYER_1, SYMMETRY_SHIFT
from engines.learning.networks.leaf_evaluator import encoder_of
from engines.learning.networks.runtimes import NetworkRuntime, load_runtime, score_head
from engines.learning.selfplay.schedule import Schedule

if TYPE_CHECKING:
    from engines.learning.networks.trainable import KerasNetwork

_IDLE = -1
# What says how good each action is: float32[n, rows, cols, planes] -> scores float32[n,
# num_actions], values float32[n]. Scores are logits, in the order of actions in which the encoder
# shows them. Values are seen by the player to move; 0 where there is no critic.
Scorer = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Side:
    """A player, and how it draws a move from the scores.

    The policy that is played is `(1 - epsilon) softmax(scores / temperature) + epsilon / n` over
    the n sensible moves.
    """

    scorer: Scorer | None = None  # None: all moves alike, that is random play
    encoder: Encoder | None = None  # encoder of the scorer
    temperature: float = 1.0  # 0: the best
    epsilon: float = 0.0  # chance of a random move
    learns: bool = False  # whether its decisions are to be learned from
    # Show the scorer each position under a random symmetry of the board, and record which.
    symmetries: bool = False


class MoveLists(NamedTuple):
    """The sensible moves on all boards; see `VectorEnv`."""

    legal: np.ndarray  # int[all, num_actions], of which the first `counts` are moves
    counts: np.ndarray  # int[all]


class DrawnMoves(NamedTuple):
    """The moves drawn on all boards."""

    moves: np.ndarray  # int64[all]
    chances: np.ndarray  # float64[all], how likely each was
    shares: np.ndarray  # float64[num_actions], scratch


RANDOM = Side()


def network_scorer(network: NetworkRuntime | KerasNetwork) -> Scorer:
    """A network's policy, or its values of actions, as a `Scorer`."""
    head = score_head(network.heads) or "policy"

    def score(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        answers = network.evaluate(planes)
        values = answers["value"][:, 0] if "value" in answers else np.zeros(len(planes), np.float32)
        return answers[head], values

    return score


def network_side(model: str, game: GameSpec, kind: str, like: Side = RANDOM) -> Side:
    """A model, by name or folder, as it plays in a runtime of this kind, with the temperature and
    so on of `like`. Raises ModelError if it is not there, or not for the game."""
    runtime = load_runtime(model, kind)
    return replace(like, scorer=network_scorer(runtime), encoder=encoder_of(runtime.card, game))


def play(
    game: GameSpec, sides: Sequence[Side], schedule: Schedule, rows: int = 512,
    progress: Callable[[int, int], None] = lambda done, of: None, max_plies: int | None = None,
) -> Experience:
    """Play all games of a schedule, as `play_steps`; `progress` is called with the number of games
    that have ended, and of how many."""
    steps, done = play_steps(game, sides, schedule, rows, max_plies), 0
    while True:
        try:
            done += next(steps).items
        except StopIteration as end:
            return end.value
        progress(done, len(schedule))


def play_steps(
    game: GameSpec, sides: Sequence[Side], schedule: Schedule, rows: int,
    max_plies: int | None = None,
) -> Generator[Amount, None, Experience]:
    """Play all games of a schedule; after each step, yield how many games it has ended.

    Args:
        sides: those that the schedule numbers.
        schedule: a game depends on its row in it, on the sides, and on nothing else but
            rounding: a network's last digits may depend on the size of its batch.
        rows: how many games are played at once, at most.
        max_plies: a game of this length ends without a result; by default `longest_game`.

    Returns:
        The games with the decisions of the sides that learn; without returns.
    """
    games = len(schedule)
    env = VectorEnv(
        game, max(1, min(rows, games)), None, search=True,
        episodes=Episodes(max_plies=max_plies, autoreset=False),
        history=max((side.encoder.history for side in sides if side.encoder), default=0),
    )
    step = env.time_step
    group = symmetries(game) if any(side.symmetries for side in sides) else None
    flags = np.zeros((games, env.max_plies), np.uint8)
    actions, values = np.zeros(flags.shape, np.int32), np.zeros(flags.shape, np.float32)
    probabilities = np.ones(flags.shape, np.float32)
    plies, results = np.zeros(games, np.int64), np.full(games, NO_RESULT, np.int8)
    numbers = np.full(len(env), _IDLE)  # the game on each board
    generators = np.zeros((len(env), 2), np.uint64)
    offered = MoveLists(env.legal, env.counts)
    moves = DrawnMoves(
        np.zeros(len(env), np.int64), np.zeros(len(env)), np.empty(env.num_actions))
    begun = done = 0
    while True:
        free = np.flatnonzero(numbers == _IDLE)[: games - begun]
        if len(free):
            numbers[free] = np.arange(begun, begun + len(free))
            begun += len(free)
            seeds = schedule.seeds[numbers]
            generators[free] = seeds[free, :2]
            env.reset(boards=_mask(env, free), random_plies=schedule.openings[numbers],
                      generators=seeds[:, 2])
        ongoing = int((numbers != _IDLE).sum())
        if not ongoing:
            break
        for index, side in enumerate(sides):
            to_move = schedule.sides_to_move(numbers, env.plies, step.players)
            boards = np.flatnonzero((numbers != _IDLE) & (to_move == index))
            if not len(boards):
                continue
            players = step.players[boards]
            symmetry_numbers = np.zeros(len(boards), np.int64)
            if side.symmetries and group is not None:
                draw_symmetries(generators, boards, players, len(group), symmetry_numbers)
            scores, expected = _scored(side, env, boards, players, group, symmetry_numbers)
            draw_moves(generators, boards, players, offered, scores, side.temperature,
                       side.epsilon, moves)
            at = numbers[boards], env.plies[boards]
            flags[at] = players * PLAYER_1
            if side.learns:
                flags[at] |= (LABELLED | symmetry_numbers << SYMMETRY_SHIFT).astype(np.uint8)
                probabilities[at], values[at] = moves.chances[boards], expected
            env.step(moves.moves, _mask(env, boards))
            ended = boards[step.ended[boards]]
            which = numbers[ended]
            actions[which], plies[which] = env.actions[ended], env.plies[ended]
            results[which] = np.where(step.truncated[ended], NO_RESULT, step.rewards[ended, 0])
            numbers[ended] = _IDLE
        yield Amount(begun - ongoing - done)
        done = begun - ongoing
    yield Amount(games - done)
    mask = np.arange(env.max_plies) < plies[:, None]
    encoder = next((side.encoder.name for side in sides if side.learns and side.encoder), "")
    return Experience(
        game, plies, results, actions[mask], flags[mask], encoder, probabilities[mask],
        values[mask], np.zeros(int(plies.sum()), np.float32),
    )


def _scored(
    side: Side, env: VectorEnv, boards: np.ndarray, players: np.ndarray, group: Any,
    symmetry_numbers: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores in the game's order of actions, and values, of the positions on these boards. The
    scorer sees each under symmetry `symmetry_numbers` of the group: int64[n]."""
    n = len(boards)
    if side.scorer is None or side.encoder is None:
        return np.zeros((n, env.num_actions), np.float32), np.zeros(n, np.float32)
    planes = np.empty((n, *side.encoder.shape), np.float32)
    env.observe(side.encoder, boards, planes)
    for k, turned in by_symmetry(symmetry_numbers):
        planes[turned] = group.planes(k, planes[turned])
    scores, values = side.scorer(planes)
    scores = np.array(scores)  # a framework's own memory may not be written to
    for k, turned in by_symmetry(symmetry_numbers):
        scores[turned] = group.policy(int(group.inverse[k]), scores[turned])
    return side.encoder.to_network_order(scores, players), values


def _mask(env: VectorEnv, boards: np.ndarray) -> np.ndarray:
    mask = np.zeros(len(env), bool)
    mask[boards] = True
    return mask


@kernel
def draw_symmetries(generators, boards, players, count, symmetry_numbers):
    """Draw one of `count` symmetries for each of these boards; see `draw_moves`."""
    for k in range(len(boards)):
        symmetry_numbers[k] = below(generators[boards[k], players[k] : players[k] + 1], count)


@kernel
def draw_moves(generators, boards, players, offered, scores, temperature, epsilon, moves):
    """Draw a move on each of n boards, of which there are more.

    Args:
        generators: uint64[all, 2], of player 0 and of player 1.
        boards, players: int[n], their numbers, and who is to move.
        offered: `MoveLists`. scores: float32[n, num_actions], by the game's actions.
        temperature, epsilon: see `Side`.
        moves: `DrawnMoves`, written.
    """
    legal, counts, shares = offered.legal, offered.counts, moves.shares
    for k in range(len(boards)):
        i, player = boards[k], players[k]
        n = counts[i]
        _fill_shares(scores[k], legal[i], n, temperature, epsilon, shares)
        remainder = uniform(generators[i, player : player + 1])
        pick = 0
        while pick < n - 1 and remainder >= shares[pick]:
            remainder -= shares[pick]
            pick += 1
        while shares[pick] <= 0.0:  # rounding has led to the end of the list
            pick -= 1
        moves.moves[i] = legal[i, pick]
        moves.chances[i] = min(max(shares[pick], 1e-30), 1.0)


@kernel
def _fill_shares(scores, actions, n, temperature, epsilon, shares):
    """The policy over `actions[:n]`; shares[:n] sum to 1."""
    best = 0
    for j in range(1, n):
        if scores[actions[j]] > scores[actions[best]]:
            best = j
    total = 0.0
    for j in range(n):
        if temperature > 0.0:
            shares[j] = np.exp((scores[actions[j]] - scores[actions[best]]) / temperature)
        else:
            shares[j] = 1.0 if j == best else 0.0
        total += shares[j]
    for j in range(n):
        shares[j] = (1.0 - epsilon) * shares[j] / total + epsilon / n
