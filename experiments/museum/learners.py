"""Properties of a learner's parts: each is called with numbers for which the answer is known.

A part has one property, the function of its name; `compare` says where an answer differs.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import softmax

from dlgo.api import GameState
from dlgo.games.draughts.state import Draughts
from dlgo.symmetry import symmetries
from experiments.museum.subject import AuditError, Findings, Subject, numbers, random_game

_GAMES, _DRAWS = 12, 2000
_LOGITS = np.array([[2.0, 0.5, -1.0, 0.0], [-0.5, 1.0, 0.3, 0.2], [0.1, 0.2, 0.3, 2.5]])
_POLICIES = np.array([[0.7, 0.2, 0.1, 0.0], [0.1, 0.6, 0.2, 0.1], [0.0, 0.5, 0.0, 0.5]])
_VALUES, _RESULTS = np.array([0.4, -0.3, 0.1]), np.array([1.0, -1.0, 0.0])
_STEP = 0.01  # of finite differences: a loss may have 32 bits


def compare(tag: str, label: str, answer: Any, right: Any, tolerance: float = 1e-3) -> Findings:
    """A finding if an answer, a number or an array, differs from the right one; zeros are exact."""
    answer, right = numbers(label, answer).ravel(), np.ravel(right).astype(float)
    if len(answer) != len(right) or (
        np.abs(answer - right) > np.where(right == 0, 1e-3, tolerance)
    ).any():
        yield tag, f"{label}: {_short(answer)}; it should be {_short(right)}"


def _short(array: np.ndarray) -> str:
    return " ".join(f"{number:.3g}" for number in array[:12]) + (" ..." if len(array) > 12 else "")


def targets(subject: Subject, part: str) -> Findings:
    """One example a position: the result for the player to move, and the shares of the visits."""
    yield from _targets_in(subject, part, subject.game.start())
    if subject.names_game:
        return
    with contextlib.suppress(Exception):  # of what is written for tic-tac-toe
        yield from [*_targets_in(subject, part, Draughts.from_fen("B:W6,15,30:B1"))]


def _targets_in(subject: Subject, part: str, start: GameState) -> Findings:
    for seed in range(_GAMES):
        rng = np.random.default_rng(seed)
        *states, last = random_game(start, rng)
        visits, result = np.zeros((len(states), start.game.num_actions), int), last.result()
        for state, row in zip(states, visits, strict=True):
            row[state.legal_actions()] = rng.integers(1, 50, len(state.legal_actions()))
        moves = last.moves()[-len(states):]
        examples = list(subject.call(part, states, moves, visits, result))
        where = f"{start.game.name}, result {result:+d} for black"
        if start.game != subject.game:
            where += " (a player may move twice; set GAME if it is for one game only)"
        yield from compare("number", f"{where}, number of examples", len(examples), len(states))
        if len(examples) > 2 and len({str(example[-2]) for example in examples}) == 1 and (
            examples[0][-2] is not None
        ):
            yield "one policy", f"{where}: all examples have the same policy, perhaps one array"
        for ply, (state, counts, example) in enumerate(zip(states, visits, examples, strict=False)):
            player, policy = state.next_player, example[-2]
            place = f"{where}, ply {ply}, {player.name} to move, target of the"
            yield from compare(f"{start.game.name}, value, {player.name}", f"{place} value",
                               example[-1], result * (1 - 2 * player.index))
            if policy is not None:
                if start.game != subject.game and np.size(policy) != counts.size:
                    raise AuditError("its policies are those of one game")
                wrong = [list(compare(f"{start.game.name}, policy", f"{place} policy", policy,
                                      right / right.sum(), 0.02))
                         for right in (_proven(state, counts), counts)]
                yield from wrong[1] if wrong[0] else ()


def _proven(state: GameState, visits: np.ndarray) -> np.ndarray:
    """What counts for a search that knows which moves end the game: all that win, equally; if there
    are none, the visits without moves that lose; if all end the game, the best, equally."""
    values = np.full(len(visits), -2)  # for who moves; 2: the game goes on
    for move in state.legal_moves():
        successor, sign = state.apply_move(move), 1 - 2 * state.next_player.index
        values[state.game.action_of(move)] = sign * successor.result() if successor.is_over() else 2
    if 1 in values or 2 not in values:
        return values == max(values[values < 2])
    return visits * (values > -1)


def encode(subject: Subject, part: str) -> Findings:
    """Different positions are shown differently, and the same one always in the same way."""
    states: dict[bytes, GameState] = {}
    positions = sorted(_positions(subject.game.start()), key=lambda state: len(state.moves()))
    for state in positions:  # those after few moves first: they are short in the report
        planes, again = (numbers("the planes of a position", subject.call(part, state))
                         for _ in range(2))
        earlier = states.setdefault((planes + 0.0).tobytes(), state)  # -0.0 is 0.0
        moves, earlier_moves = (
            " ".join(map(position.game.move_text, position.moves())) or "no move"
            for position in (state, earlier))
        if not np.array_equal(planes, again):
            yield "again", f"the position after {moves} looks different the second time"
        elif earlier.key() != state.key():
            yield "same", f"the positions after {moves} and after {earlier_moves} look alike"


def _positions(start: GameState) -> Iterator[GameState]:
    """Random games, and their first moves in any order: many positions differ in colours only."""
    for seed in range(12):
        moves = random_game(start, np.random.default_rng(seed))[-1].moves()
        for order in (moves[:-1], *itertools.permutations(moves[:4])):
            state = start
            for move in order:
                if state.is_valid_move(move):
                    state = state.apply_move(move)
                    yield state


def augment(subject: Subject, part: str) -> Findings:
    """Planes and policy are turned alike: in all ways that the rules allow, and in no others."""
    game, board, indices = subject.game, symmetries(subject.game), set()
    cells = np.arange(1.0, game.board_rows * game.board_cols + 1)
    planes = cells.reshape(game.board_rows, game.board_cols, 1)
    policy = np.arange(1.0, game.num_actions + 1) / 100
    images = {board.planes(k, planes).tobytes(): k for k in range(len(board))}
    for _ in range(60):
        answer = subject.call(part, planes.copy(), policy.copy())
        for image, turned in [answer] if isinstance(answer, tuple) else answer:
            k = images.get(numbers("an image of the planes", image).tobytes())
            if k is None:
                yield "planes", (f"an image of planes {planes.shape} is none of the {len(board)} "
                                 f"that {game.name} allows")
                return
            indices.add(k)
            yield from compare("policy", f"{board.names[k]} of the policy {_short(policy)}",
                               turned, board.policy(k, policy))
    yield from compare("number", f"different images of {game.name}", len(indices), len(board))


def priors(subject: Subject, part: str) -> Findings:
    """Illegal actions have no probability, legal ones the softmax of their logits."""
    legal = np.array([0, 1, 0, 1, 1, 0, 0, 0, 1], bool)
    for logits in (np.array([3.0, 1.0, 0.5, -1, 0, 0, 0, 0, 0]), np.linspace(800, -800, 9)):
        yield from compare("", f"logits {_short(logits)}, of which 1 3 4 8 are legal: priors",
                           subject.call(part, logits.copy(), legal.copy()),
                           softmax(np.where(legal, logits, -np.inf)))


def noise(subject: Subject, part: str) -> Findings:
    """Noise differs from move to move and from call to call, and keeps the sum and most of a prior;
    below the root there is none. A prior of 0 is that of an illegal move, and remains 0."""
    whole, illegal = np.array([0.5, 0.3, 0, 0.2]), 2
    samples = np.array([numbers("priors with noise", subject.call(part, whole.copy(), True)).ravel()
                        for _ in range(300)])
    sums = samples.sum(axis=1)
    yield from compare("sum", "sums of priors with noise", [sums.min(), sums.max()], [1, 1])
    yield from compare("illegal", f"with noise, the prior 0 of an illegal move in {_short(whole)}",
                       samples[:, illegal].max(), 0)
    prior, samples = np.delete(whole, illegal), np.delete(samples, illegal, axis=1)
    changes = np.ptp(samples - prior, axis=1)
    if changes.mean() < 0.05 or samples.std(axis=0).max() < 1e-3 or (
        np.corrcoef(samples.T)[0, 1] > 0.9
    ):
        yield "alike", "the noise is nearly the same each time or for all moves, or there is none"
    if (least_share := (samples / prior).min()) < 0.4:
        yield "share", f"noise leaves {least_share:.0%} of a prior; the papers leave 75%"
    yield from compare("below", "priors below the root, where there is no noise",
                       subject.call(part, whole.copy(), False), whole)


def pick(subject: Subject, part: str) -> Findings:
    """Moves are drawn with chances visits^(1/T): by their shares for T = 1, the first for T = 0."""
    for visits, temperature, right in (
        ([10, 30, 0, 60], 1.0, [0.1, 0.3, 0, 0.6]), ([10, 30, 0, 60], 0.0, [0, 0, 0, 1]),
        ([1, 0, 2, 0], 0.5, [0.2, 0, 0.8, 0]), ([400, 0, 800, 0], 0.05, [0, 0, 1, 0]),
    ):
        samples = [int(subject.call(part, np.array(visits), temperature)) for _ in range(_DRAWS)]
        yield from compare(
            f"T={temperature:g}", f"visits {visits}, temperature {temperature:g}: shares of moves",
            np.bincount(samples, minlength=len(visits)) / _DRAWS, right, 0.06)  # 5 deviations


def _loss(
    subject: Subject, policy: Any = 0.0, value: Any = 0.0, rows: slice = slice(None)
) -> float:
    """The loss of a few rows; `policy` and `value` are added to the predictions."""
    arrays = (_LOGITS + policy, _VALUES + value, _POLICIES, _RESULTS)
    return float(numbers("the loss", subject.call("loss", *(array[rows] for array in arrays))))


def loss(subject: Subject, part: str) -> Findings:
    """The mean of the losses of the rows; in each row, it falls when a prediction comes nearer to
    its target."""
    rows = np.array([_loss(subject, rows=slice(row, row + 1)) for row in range(len(_VALUES))])
    whole = _loss(subject)
    for unit in np.eye(len(_VALUES)):
        yield from compare("shift", "its change when all logits of a row grow alike",
                           _loss(subject, unit[:, None]) - whole, 0)
    yield from compare("mean", f"rows with the losses {_short(rows)}, together", whole, rows.mean())
    for row, unit in enumerate(np.eye(len(_VALUES))):
        step = _STEP * unit
        nearer = {"policy": _loss(subject, step[:, None] * (_POLICIES - softmax(_LOGITS, axis=1))),
                  "value": _loss(subject, value=step * (_RESULTS - _VALUES))}
        for name in (name for name, less in nearer.items() if not less < whole):
            yield name, f"it does not fall when the {name} of row {row} nears its target"


def gradient(subject: Subject, part: str) -> Findings:
    """The gradient by logits and values is that of finite differences of `loss`."""
    answer = subject.call(part, _LOGITS, _VALUES, _POLICIES, _RESULTS)
    for name, base, derivative in zip(("policy", "value"), (_LOGITS, _VALUES), answer, strict=True):
        steps = _STEP * np.eye(base.size).reshape(-1, *base.shape)
        slopes = np.array([_loss(subject, **{name: step}) - _loss(subject, **{name: -step})
                           for step in steps]) / (2 * _STEP)
        factors = numbers(f"the gradient of the {name}", derivative).ravel() / slopes
        tag = "factor" if np.ptp(factors) < 0.02 else "form"
        yield from compare(f"{name}, {tag}", f"the gradient of the {name}", derivative, slopes)


def batches(subject: Subject, part: str) -> Findings:
    """An epoch has each example once, whatever the size of a batch."""
    for count, size in ((10, 4), (8, 4), (3, 1), (5, 8)):
        examples = itertools.chain(*subject.call(part, list(range(count)), size))
        yield from compare("", f"an epoch of {count} examples in batches of {size}",
                           sorted(int(np.ravel(example)[0]) for example in examples), range(count))


def epoch_loss(subject: Subject, part: str) -> Findings:
    """The loss of an epoch is the mean of those of its examples."""
    for losses, size in (([1.0, 2.0, 6.0, 3.0], 2), ([0.5, 0.5, 2.0], 1), ([4.0, 5.0], 2),
                         ([1.0, 2.0, 6.0], 2)):
        tag = "last batch" if len(losses) % size else ""
        yield from compare(tag, f"losses {losses}, in batches of {size}, together",
                           subject.call(part, losses, size), np.mean(losses))


def window(subject: Subject, part: str) -> Findings:
    """A full window drops the oldest examples, and keeps the new ones."""
    yield from compare("", "a window of 4 with 1 2 3, to which 4 5 are added",
                       sorted(subject.call(part, [1, 2, 3], [4, 5], 4)), [2, 3, 4, 5])


def match(subject: Subject, part: str) -> Findings:
    """A match counts draws as half, and gives both players the first move equally often."""
    for results, right in (([1] * 8, 1.0), ([0] * 8, 0.5), ([-1] * 8, 0.0), ([1, 0] * 4, 0.75)):
        firsts: list[bool] = []

        def play(first: bool, results: list[int] = results, firsts: list[bool] = firsts) -> int:
            firsts.append(bool(first))
            return results[len(firsts) % 8]

        score = subject.call(part, play, 8)
        yield from compare("draws" if 0 in results else "score",
                           f"score of a match with the results {results}", score, right)
        yield from compare("first", "games of 8 in which it moves first", sum(firsts), 4)


PROPERTIES = {function.__name__: {function.__name__: function} for function in (
    targets, encode, augment, priors, noise, pick, loss, gradient, batches,
    epoch_loss, window, match)}
