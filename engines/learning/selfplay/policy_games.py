"""Games by policies alone, a thousand at once: drawn, played and recorded in compiled code.

A learner that plays without search needs one evaluation of its network for a move, and those of
all games in one call. So every board of a `VectorEnv` plays a game; in each step both sides answer
for the boards on which they are to move, and compiled code draws and plays. A board whose game is
over starts the next one.

Both games of a pair (2k and 2k + 1) draw the same random numbers for the same colour. So a network
that plays against itself scores exactly one half, if the sides of the games of a pair are swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dlgo.api import GameSpec
from dlgo.encoders.base import Encoder
from dlgo.jit import kernel
from dlgo.rng import below, uniform
from dlgo.symmetry import symmetries
from dlgo.vector import VectorEnv
from engines.jobs import Amount
from engines.learning.data.experience import LEARNED, PLAYER_1, SYMMETRY_SHIFT, Experience
from engines.learning.data.records import NO_RESULT
from engines.learning.networks.leaf_evaluator import encoder_of
from engines.learning.networks.runtimes import NetworkRuntime, load_runtime, score_head
from engines.learning.selfplay.schedule import Schedule

if TYPE_CHECKING:
    from engines.learning.networks.trainable import KerasNetwork

_IDLE = -1


class Scorer(Protocol):
    """What says how good each action is, such as a network's policy."""

    def score(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scores float32[n, num_actions] and values float32[n] of float32[n, rows, cols, planes].

        Scores are logits, in the order of actions in which the encoder shows them. Values are
        seen by the player to move; 0 where there is no critic.
        """


@dataclass(frozen=True)
class Side:
    """Who plays, and how a move is drawn from the scores.

    The policy that is played is `(1 - epsilon) softmax(scores / temperature) + epsilon / n` over
    the n sensible moves.

    Attributes:
        scorer: None: all moves alike, that is random play.
        encoder: what the scorer sees.
        temperature: 0: the best.
        epsilon: chance of a random move.
        learns: whether its decisions are to be learned from.
        raw: record the softmax of all scores, illegal moves included, instead of the policy that
            was played. That is a mistake, to be measured.
        symmetries: show the scorer each position under a random symmetry of the board, and
            record which.
    """

    scorer: Scorer | None = None
    encoder: Encoder | None = None
    temperature: float = 1.0
    epsilon: float = 0.0
    learns: bool = False
    raw: bool = False
    symmetries: bool = False


RANDOM = Side()


class RuntimeScorer:
    """A network as a `Scorer`: its policy, or its values of actions."""

    def __init__(self, runtime: NetworkRuntime | KerasNetwork) -> None:
        self._runtime = runtime
        self._head = score_head(runtime.heads)

    def score(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        answers = self._runtime.evaluate(planes)
        values = answers["value"][:, 0] if "value" in answers else np.zeros(len(planes), np.float32)
        return answers[self._head], values


def network_side(model: str, game: GameSpec, kind: str, like: Side | None = None) -> Side:
    """A model as it plays.

    Args:
        model: by name or folder. kind: of the runtime.
        like: temperature and so on; by default moves are drawn from the network's policy.

    Raises:
        ModelError: if the model is not there, or not for the game.
    """
    runtime = load_runtime(model, kind)
    return replace(
        like or Side(), scorer=RuntimeScorer(runtime), encoder=encoder_of(runtime.card, game)
    )


class PolicyGames:
    """Plays games of one game between sides.

    Args:
        game: what is played.
        rows: how many games are played at once, at most.
        max_plies: a game of this length ends without a result; by default `longest_game`.
    """

    def __init__(self, game: GameSpec, rows: int, max_plies: int | None = None) -> None:
        self._game, self._rows, self._max_plies = game, rows, max_plies
        self._symmetries = symmetries(game)

    def play(
        self, sides: Sequence[Side], schedule: Schedule,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> Experience:
        """Play all games of a schedule, as `steps` does.

        Args:
            progress: called with the number of games that have ended, and of how many.
        """
        steps, done = self.steps(sides, schedule), 0
        while True:
            try:
                done += next(steps).items
            except StopIteration as end:
                return end.value
            progress(done, len(schedule))

    def steps(
        self, sides: Sequence[Side], schedule: Schedule
    ) -> Generator[Amount, None, Experience]:
        """Play all games of a schedule; after each step, yield how many games it has ended.

        Args:
            sides: those that the schedule numbers.
            schedule: a game depends on its row in it, on the sides, and on nothing else but
                rounding: a network's last digits may depend on the size of its batch.

        Returns:
            The games with the decisions of the sides that learn; without returns.
        """
        games = len(schedule)
        encoders = [side.encoder for side in sides if side.encoder]
        env = VectorEnv(
            self._game, max(1, min(self._rows, games)), None, max_plies=self._max_plies,
            autoreset=False, search=True,
            history=max((encoder.history for encoder in encoders), default=0),
        )
        step, shape = env.time_step, (games, env.max_plies)
        actions, flags = np.zeros(shape, np.int32), np.zeros(shape, np.uint8)
        probabilities, values = np.ones(shape, np.float32), np.zeros(shape, np.float32)
        plies, results = np.zeros(games, np.int64), np.full(games, NO_RESULT, np.int8)
        numbers = np.full(len(env), _IDLE)  # the game on each board
        moves = Moves(
            np.zeros((len(env), 2), np.uint64), env.legal, env.counts, step.players,
            np.zeros(len(env), np.int64), np.zeros(len(env)), np.zeros(len(env), np.int64),
            np.empty(env.num_actions),
        )
        begun = done = 0
        while True:
            free = np.flatnonzero(numbers == _IDLE)[: games - begun]
            if len(free):
                numbers[free] = np.arange(begun, begun + len(free))
                begun += len(free)
                seeds = schedule.seeds[numbers]
                moves.generators[free] = seeds[free, :2]
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
                draw_symmetries(moves, boards, len(self._symmetries) if side.symmetries else 0)
                scores, expected = self._scored(side, env, boards, moves.symmetries[boards])
                draw_moves(moves, Policy(side.temperature, side.epsilon, side.raw), boards, scores)
                at = numbers[boards], env.plies[boards]
                flags[at] = step.players[boards] * PLAYER_1
                if side.learns:
                    flags[at] |= (LEARNED | moves.symmetries[boards] << SYMMETRY_SHIFT
                                  ).astype(np.uint8)
                    probabilities[at], values[at] = moves.probabilities[boards], expected
                env.step(moves.actions, _mask(env, boards))
                ended = boards[step.ended[boards]]
                which = numbers[ended]
                actions[which], plies[which] = env.actions[ended], env.plies[ended]
                results[which] = np.where(step.truncated[ended], NO_RESULT, step.rewards[ended, 0])
                numbers[ended] = _IDLE
            yield Amount(begun - ongoing - done)
            done = begun - ongoing
        yield Amount(games - done)
        kept = np.arange(env.max_plies) < plies[:, None]
        encoder = next((side.encoder.name for side in sides if side.learns and side.encoder), "")
        return Experience(
            self._game, encoder, plies, results, actions[kept], flags[kept], probabilities[kept],
            values[kept], np.zeros(int(plies.sum()), np.float32),
        )

    def _scored(
        self, side: Side, env: VectorEnv, boards: np.ndarray, shown: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores in the game's order of actions, and values, of the positions on these boards.

        Args:
            shown: int64[n], the symmetry under which the scorer sees each.
        """
        n = len(boards)
        if side.scorer is None or side.encoder is None:
            return np.zeros((n, self._game.num_actions), np.float32), np.zeros(n, np.float32)
        planes = np.empty((n, *side.encoder.shape), np.float32)
        env.observe(side.encoder, boards, planes)
        group = self._symmetries
        images = [(k, np.flatnonzero(shown == k)) for k in np.unique(shown[shown > 0])]
        for k, which in images:
            planes[which] = group.planes(k, planes[which])
        scores, values = side.scorer.score(planes)
        scores = np.array(scores)  # a framework's own memory may not be written to
        for k, which in images:
            scores[which] = group.policy(int(group.inverse[k]), scores[which])
        return side.encoder.as_seen(scores, env.time_step.players[boards]), values


def _mask(env: VectorEnv, boards: np.ndarray) -> np.ndarray:
    mask = np.zeros(len(env), bool)
    mask[boards] = True
    return mask


class Moves(NamedTuple):
    """What moves are drawn from on each board, and the moves.

    generators: uint64[n, 2], of player 0 and of player 1;
    legal, counts, players: see `VectorEnv`;
    actions: int64[n]. probabilities: float64[n], of the actions;
    symmetries: int64[n], under which the scorer sees the position;
    shares: float64[num_actions], scratch.
    """

    generators: np.ndarray
    legal: np.ndarray
    counts: np.ndarray
    players: np.ndarray
    actions: np.ndarray
    probabilities: np.ndarray
    symmetries: np.ndarray
    shares: np.ndarray


class Policy(NamedTuple):
    """How moves are drawn from scores; see `Side`."""

    temperature: float
    epsilon: float
    raw: bool


@kernel
def draw_symmetries(moves, boards, count):
    """Draw one of `count` symmetries for each of these boards; 0: none, nothing is drawn."""
    for i in boards:
        player = moves.players[i]
        moves.symmetries[i] = 0
        if count:
            moves.symmetries[i] = below(moves.generators[i, player : player + 1], count)


@kernel
def draw_moves(moves, policy, boards, scores):
    """Draw a move on each of these boards.

    Args:
        scores: float32[len(boards), num_actions], by the game's actions.
    """
    shares = moves.shares
    for k in range(len(boards)):
        i = boards[k]
        player, n, legal = moves.players[i], moves.counts[i], moves.legal[i]
        fill_shares(scores[k], legal, n, policy, shares)
        drawn = uniform(moves.generators[i, player : player + 1])
        chosen = 0
        while chosen < n - 1 and drawn >= shares[chosen]:
            drawn -= shares[chosen]
            chosen += 1
        while shares[chosen] <= 0.0:  # rounding has led to the end of the list
            chosen -= 1
        share = shares[chosen]
        if policy.raw:
            share = raw_share(scores[k], legal[chosen])
        moves.actions[i] = legal[chosen]
        moves.probabilities[i] = min(max(share, 1e-30), 1.0)


@kernel
def fill_shares(scores, actions, n, policy, shares):
    """The policy over `actions[:n]`; shares[:n] sum to 1."""
    best = 0
    for j in range(1, n):
        if scores[actions[j]] > scores[actions[best]]:
            best = j
    total = 0.0
    for j in range(n):
        if policy.temperature > 0.0:
            shares[j] = np.exp((scores[actions[j]] - scores[actions[best]]) / policy.temperature)
        else:
            shares[j] = 1.0 if j == best else 0.0
        total += shares[j]
    for j in range(n):
        shares[j] = (1.0 - policy.epsilon) * shares[j] / total + policy.epsilon / n


@kernel
def raw_share(scores, action):
    """The softmax of all scores at an action, whether they are legal or not."""
    most = scores[0]
    for j in range(1, len(scores)):
        most = max(most, scores[j])
    total = 0.0
    for j in range(len(scores)):
        total += np.exp(np.float64(scores[j] - most))
    return np.exp(np.float64(scores[action] - most)) / total
