"""Games by policies alone, a thousand at once: drawn, played and recorded in compiled code.

A learner that plays without search needs one evaluation of its network for a move, and those of
all games in one call. So every row of a batch plays a game; in each step both sides answer for the
rows in which they are to move, and compiled code masks, draws, records and plays. A row whose game
is over begins the next one.

Both games of a pair (2k and 2k + 1) draw the same random numbers for the same colour. So a network
that plays against itself scores exactly one half, if the sides of the games of a pair are swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.encoders.base import Encoder, encode
from dlgo.jit import kernel
from dlgo.rng import below, uniform
from dlgo.symmetry import symmetries
from engines.jobs import Amount
from engines.learning.data.experience import LEARNED, PLAYER_1, SIDE_SHIFT, Experience
from engines.learning.data.records import NO_RESULT
from engines.learning.selfplay.lockstep import longest_game
from engines.learning.selfplay.schedule import Schedule

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
        turned: show the scorer each position from a random side of the board, and record which.
    """

    scorer: Scorer | None = None
    encoder: Encoder | None = None
    temperature: float = 1.0
    epsilon: float = 0.0
    learns: bool = False
    raw: bool = False
    turned: bool = False


RANDOM = Side()
# The arrays of a schedule.
class PolicyGames:
    """Plays games of one game between sides.

    Args:
        game: what is played.
        rows: how many games are played at once, at most.
        max_plies: after so many a game ends without a result; by default those of `longest_game`.
    """

    def __init__(self, game: GameSpec, rows: int, max_plies: int | None = None) -> None:
        self._game = game
        self._max_plies = max_plies or longest_game(game)
        self._start = game.new_kernel_state()
        like = game.scratch_state(self._start, self._max_plies)
        # One more than rows, as scratch for openings.
        self._states = kernels.make_batch(like, rows + 1)
        self._numbers = np.full(rows, _IDLE)
        self._listed, self._movers = np.empty(rows, np.int64), np.empty(rows, np.int8)
        self._planes: dict[tuple[int, ...], np.ndarray] = {}
        self._actions = np.empty(game.num_actions, np.int64)
        self._shares = np.empty(game.num_actions)
        self._symmetries = symmetries(game)
        self._sides = np.zeros(rows, np.int64)

    def play(
        self, sides: Sequence[Side], schedule: Schedule,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> Experience:
        """Play all games of a schedule.

        Args:
            sides, schedule: see `steps`.
            progress: called with the number of games that have ended, and of how many.

        Returns:
            See `steps`.
        """
        steps = self.steps(sides, schedule)
        while True:
            try:
                done = next(steps)
            except StopIteration as end:
                return end.value
            progress(done, len(schedule))

    def steps(
        self, sides: Sequence[Side], schedule: Schedule
    ) -> Generator[int, None, Experience]:
        """Play all games of a schedule; after each step, yield how many games have ended.

        Args:
            sides: those that the schedule numbers.
            schedule: a game depends on its row in it, on the sides, and on nothing else but
                rounding: a network's last digits may depend on the size of its batch.

        Returns:
            The games with the decisions of the sides that learn; without returns.
        """
        games = len(schedule)
        seeds = schedule.seeds.copy()  # used up
        actions = np.zeros((games, self._max_plies), np.int32)
        flags = np.zeros((games, self._max_plies), np.uint8)
        probabilities = np.ones((games, self._max_plies), np.float32)
        values = np.zeros((games, self._max_plies), np.float32)
        plies = np.zeros(games, np.int64)
        results = np.full(games, NO_RESULT, np.int8)
        self._numbers[:] = _IDLE
        begun = 0
        while True:
            begun = start_rows(
                self._states, self._numbers, self._start, begun, schedule.openings, seeds,
                actions, plies, self._actions,
            )
            ongoing = int((self._numbers >= 0).sum())
            if not ongoing:
                break
            for index, side in enumerate(sides):
                n = list_rows(self._states, self._numbers, schedule.sides, schedule.relay, plies,
                              index, self._listed, self._movers)
                if n == 0:
                    continue
                listed, turns = self._listed[:n], self._sides[:n]
                turns[:] = 0
                if side.turned:
                    draw_sides(listed, self._numbers, self._movers, seeds, len(self._symmetries),
                               turns)
                scores, expected = self._scored(side, listed, self._movers[:n], turns)
                play_rows(
                    self._states, listed, self._numbers, scores, expected, side.temperature,
                    side.epsilon, side.learns, side.raw, turns, seeds, actions, flags,
                    probabilities, values, plies, results, self._max_plies, self._actions,
                    self._shares,
                )
            yield begun - ongoing
        yield games
        kept = np.arange(self._max_plies) < plies[:, None]
        encoder = next((side.encoder.name for side in sides if side.learns and side.encoder), "")
        return Experience(
            self._game, encoder, plies, results, actions[kept], flags[kept], probabilities[kept],
            values[kept], np.zeros(int(plies.sum()), np.float32),
        )

    def _scored(
        self, side: Side, listed: np.ndarray, movers: np.ndarray, turns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores in the game's order of actions, and values, of the states in these rows.

        Args:
            turns: int64[n], the symmetry under which the scorer sees each.
        """
        n = len(listed)
        if side.scorer is None or side.encoder is None:
            return np.zeros((n, self._game.num_actions), np.float32), np.zeros(n, np.float32)
        shape = side.encoder.shape
        if shape not in self._planes:
            self._planes[shape] = np.empty((len(self._numbers), *shape), np.float32)
        planes = self._planes[shape][:n]
        encode_rows(side.encoder.kernel, self._states, listed, planes)
        board = self._symmetries
        turned = [(k, np.flatnonzero(turns == k)) for k in range(1, len(board))]
        for k, which in turned:
            planes[which] = board.planes(k, planes[which])
        scores, values = side.scorer.score(planes)
        scores = np.array(scores)  # a framework's own memory may not be written to
        for k, which in turned:
            scores[which] = board.policy(int(board.inverse[k]), scores[which])
        return side.encoder.as_seen(scores, movers), values


def counted(steps: Generator[int, None, Experience]) -> Generator[Amount, None, Experience]:
    """The steps of games as progress of a portion of work."""
    done = 0
    while True:
        try:
            ended = next(steps)
        except StopIteration as end:
            return end.value
        yield Amount(ended - done)
        done = ended


@kernel
def start_rows(states, numbers, start, begun, openings, seeds, actions, plies, scratch):
    """Start the next game in every row without one; returns how many games have begun.

    Args:
        states: batch of rows + 1 states, the last one scratch.
        numbers: int64[rows], the game in each row, or -1.
        start: the first position of a game.
        begun: how many games have begun before.
        openings, seeds: of a `Schedule`.
        actions: int32[games, most], plies: int64[games]: the random plies are recorded.
        scratch: int64[num_actions].
    """
    for i in range(len(numbers)):
        if numbers[i] >= 0 or begun >= len(openings):
            continue
        numbers[i] = begun
        state, after = kernels.row(states, i), kernels.row(states, len(numbers))
        kernels.copy_into(state, start)
        for _ in range(openings[begun]):
            n = kernels.search_actions(state, scratch)
            action = scratch[below(seeds[begun, 2:3], n)]
            kernels.copy_into(after, state)
            kernels.play(after, action)
            if kernels.terminal(after):  # no game is won by chance
                break
            kernels.copy_into(state, after)
            actions[begun, plies[begun]] = action
            plies[begun] += 1
        begun += 1
    return begun


@kernel
def list_rows(states, numbers, sides, relay, plies, index, listed, movers):
    """List the rows in which side `index` is to move; returns how many.

    Args:
        sides, relay: of the schedule. plies: int64[games], how many have been played.
        listed, movers: int64[rows], int8[rows], out: the rows, and who is to move there: 0 or 1.
    """
    n = 0
    for i in range(len(numbers)):
        if numbers[i] < 0:
            continue
        mover = kernels.to_move(kernels.row(states, i))
        side = sides[numbers[i], mover]
        for k in range(relay.shape[1]):
            if plies[numbers[i]] >= relay[numbers[i], k]:
                side = k
        # The other side of this step may have moved a moment ago: it has a step of its own.
        if side == index:
            listed[n] = i
            movers[n] = mover
            n += 1
    return n


@kernel
def encode_rows(encoder, states, listed, planes):
    """Write the planes of the states in these rows."""
    for k in range(len(listed)):
        encode(encoder, kernels.rows(states, listed[k], listed[k] + 1), 1, planes[k])


@kernel
def draw_sides(listed, numbers, movers, seeds, count, turns):
    """Draw one of `count` symmetries for each of these rows; turns: int64[n], out."""
    for k in range(len(listed)):
        mover = movers[k]
        turns[k] = below(seeds[numbers[listed[k]], mover : mover + 1], count)


@kernel
def play_rows(
    states, listed, numbers, scores, expected, temperature, epsilon, learned, raw, turns, seeds,
    actions, flags, probabilities, values, plies, results, max_plies, scratch, shares,
):
    """Draw and play a move in each of these rows, and record it.

    Args:
        scores: float32[n, num_actions], by the game's actions. expected: float32[n].
        temperature, epsilon, learned, raw: see `Side`.
        turns: int64[n], the symmetry under which each was scored.
        seeds: generators, a row a game. results: written for games that end.
        actions, flags, probabilities, values: [games, max_plies]; plies: int64[games].
        scratch: int64[num_actions]. shares: float64[num_actions].
    """
    for k in range(len(listed)):
        state, game = kernels.row(states, listed[k]), numbers[listed[k]]
        mover = kernels.to_move(state)
        n = kernels.search_actions(state, scratch)
        fill_shares(scores[k], scratch, n, temperature, epsilon, shares)
        drawn = uniform(seeds[game, mover : mover + 1])
        chosen = 0
        while chosen < n - 1 and drawn >= shares[chosen]:
            drawn -= shares[chosen]
            chosen += 1
        while shares[chosen] <= 0.0:  # rounding has led to the end of the list
            chosen -= 1
        ply = plies[game]
        actions[game, ply] = scratch[chosen]
        flags[game, ply] = PLAYER_1 if mover == 1 else 0
        if learned:
            share = shares[chosen]
            if raw:
                share = raw_share(scores[k], scratch[chosen])
            probabilities[game, ply] = min(max(share, 1e-30), 1.0)
            values[game, ply] = expected[k]
            flags[game, ply] |= LEARNED | turns[k] << SIDE_SHIFT
        kernels.play(state, scratch[chosen])
        plies[game] += 1
        if kernels.terminal(state):
            results[game] = kernels.result(state)
            numbers[listed[k]] = _IDLE
        elif plies[game] >= max_plies:
            numbers[listed[k]] = _IDLE


@kernel
def fill_shares(scores, actions, n, temperature, epsilon, shares):
    """The policy over `actions[:n]`: see `Side`; shares[:n] sum to 1."""
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
