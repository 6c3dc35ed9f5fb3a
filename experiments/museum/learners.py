"""Properties of the parts of a learner: targets, symmetries, noise, losses, data.

Each part is asked with numbers whose answer can be computed by hand.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import GameSpec, GameState, Move
from dlgo.games.draughts.state import Draughts
from dlgo.symmetry import symmetries
from experiments.museum.subject import Findings, Subject, WrongAnswer

_DRAWS = 2000  # of random answers
_LOGITS = np.array([[2.0, 0.5, -1.0, 0.0], [-0.5, 1.0, 0.3, 0.2], [0.1, 0.2, 0.3, 2.5]])
_POLICIES = np.array([[0.7, 0.2, 0.1, 0.0], [0.1, 0.6, 0.2, 0.1], [0.0, 0.5, 0.0, 0.5]])
_VALUES, _RESULTS = np.array([0.4, -0.3, 0.1]), np.array([1.0, -1.0, 0.0])


class PlayedGame(NamedTuple):
    """A finished game, as `targets` gets it.

    Attributes:
        states, moves: the positions in which moves were made, and these moves.
        visits: of each position, {move: visits} of its search. policies: their shares,
            float64[positions, num_actions].
        final: the last position. result: 1, 0 or -1, as black sees it.
    """

    game: GameSpec
    states: list[GameState]
    moves: list[Move]
    visits: list[dict[Move, int]]
    policies: np.ndarray
    final: GameState
    result: int


def played(start: GameState, seed: int) -> PlayedGame:
    """A random game with random visits, all different."""
    rng, state, states, moves, visits = np.random.default_rng(seed), start, [], [], []
    while not state.is_over():
        legal = state.sensible_moves()
        counts = {move: int(rng.integers(1, 50)) for move in legal}
        states.append(state)
        visits.append(counts)
        moves.append(legal[rng.integers(len(legal))])
        state = state.apply_move(moves[-1])
    policies = np.zeros((len(states), start.game.num_actions))
    for row, counts in zip(policies, visits, strict=True):
        for move, count in counts.items():
            row[start.game.action_of(move)] = count / sum(counts.values())
    return PlayedGame(start.game, states, moves, visits, policies, state, state.result())


def _games(subject: Subject, alternating: bool) -> Iterator[PlayedGame]:
    """Games with each result; in draughts, some in which a player moves twice."""
    if alternating:
        start, wanted = GameState.new_game(subject.game), {1: 2, 0: 1, -1: 2}
    else:
        start, wanted = Draughts.from_fen("B:W6,15,30:B1"), {1: 3, -1: 1}
    for seed in range(200):
        game = played(start, seed)
        if wanted.get(game.result, 0):
            wanted[game.result] -= 1
            yield game


def _check_targets(subject: Subject, alternating: bool) -> Findings:
    for game in _games(subject, alternating):
        examples = list(subject.call("targets", game))
        text = f"a game of {game.game.name} with result {game.result:+d} for black"
        if len(examples) != len(game.states):
            yield "number", f"{text} has {len(game.states)} positions and {len(examples)} examples"
            continue
        mine = [1 - 2 * state.next_player.index for state in game.states]
        values = [float(np.ravel(example[-1])[0]) for example in examples]
        wrong = [ply for ply, value in enumerate(values)
                 if abs(value - mine[ply] * game.result) > 1e-6]
        if wrong:
            players = {game.states[ply].next_player.name for ply in wrong}
            who = players.pop() if len(players) == 1 and len(wrong) > 1 else "both"
            yield f"value, {who}", (
                f"{text}: at ply {wrong[0]} {game.states[wrong[0]].next_player.name} is to move, "
                f"and the target of the value is {values[wrong[0]]:+g} ({len(wrong)} of "
                f"{len(values)} are wrong)")
        policies = [example[-2] for example in examples]
        if any(policy is None for policy in policies):
            return
        shares = np.array([np.ravel(policy) for policy in policies], float)
        if shares.shape != game.policies.shape:
            yield "shape", f"{text}: policies have the shape {shares.shape[1:]}"
        elif np.abs(shares.sum(axis=1) - 1).max() > 1e-4:
            yield "sum", f"{text}: a policy sums to {shares.sum(axis=1)[0]:g}"
        elif np.abs(shares - game.policies).max() > 0.02:
            bad = int(np.abs(shares - game.policies).max(axis=1).argmax())
            other = [ply for ply in range(len(shares))
                     if np.abs(shares[bad] - game.policies[ply]).max() < 0.02]
            yield "other" if other else "shares", (
                f"{text}: the policy at ply {bad} is " + (
                    f"that of ply {other[0]}" if other else
                    f"{_short(shares[bad])}, and the shares of the visits are "
                    f"{_short(game.policies[bad])}"))


def _short(row: np.ndarray) -> str:
    return "[" + " ".join(f"{one:.2f}" for one in row[row > 0][:9]) + "]"


def targets(subject: Subject, part: str) -> Findings:
    """One example a position: the result for the player to move, and the search's policy."""
    yield from _check_targets(subject, alternating=True)


def targets_after_double_moves(subject: Subject, part: str) -> Findings:
    """The same where a player moves twice."""
    if not hasattr(subject.module, "GAME"):
        yield from _check_targets(subject, alternating=False)


def _start_positions(subject: Subject) -> list[GameState]:
    states = []
    for seed in range(4):
        states += played(GameState.new_game(subject.game), seed).states
    return states


def planes_tell_positions_apart(subject: Subject, part: str) -> Findings:
    """Different positions are shown differently; the same one always in the same way."""
    seen: dict[bytes, GameState] = {}
    for state in _start_positions(subject):
        planes = np.asarray(subject.call("encode", state), float)
        if not np.isfinite(planes).all():
            yield "finite", f"planes of {_text(state)} hold {planes[~np.isfinite(planes)][0]}"
            return
        again = np.asarray(subject.call("encode", state), float)
        if not np.array_equal(planes, again):
            yield "again", f"{_text(state)} is shown differently the second time"
            return
        other = seen.setdefault((planes + 0.0).tobytes(), state)  # -0.0 is 0.0
        if _relative(other) != _relative(state):
            yield "same", f"{_text(state)} and {_text(other)} look alike"
            return


def _relative(state: GameState) -> list[tuple[str, bool]]:
    """The stones as the player to move sees them: an encoder may exchange the colours."""
    return sorted((str(point), player is state.next_player)
                  for point, player in state.game.stones(state).items())


def _text(state: GameState) -> str:
    moves = " ".join(state.game.move_text(move) for move in state.moves())
    return f"the position after {moves}" if moves else "the first position"


def every_stone_is_seen(subject: Subject, part: str) -> Findings:
    """A stone more of either player changes the planes."""
    for state in _start_positions(subject)[:12]:
        before = np.asarray(subject.call("encode", state), float)
        for move in state.legal_moves()[:3]:
            after = np.asarray(subject.call("encode", state.apply_move(move)), float)
            if after.shape == before.shape and np.array_equal(before, after):
                yield "", f"{_text(state)} looks as after one move more"
                return


def images_agree(subject: Subject, part: str) -> Findings:
    """Planes and policy are turned alike, and only in ways that the rules allow."""
    game = subject.game
    board, cells = symmetries(game), game.board_rows * game.board_cols
    planes = np.arange(1.0, cells + 1).reshape(game.board_rows, game.board_cols, 1)
    policy = np.arange(1.0, game.num_actions + 1)
    policy /= policy.sum()
    allowed = {tuple(board.planes(k, planes).ravel()): board.policy(k, policy)
               for k in range(len(board))}
    found = set()
    for _ in range(60):
        answer = subject.call("augment", planes.copy(), policy.copy())
        images = [answer] if isinstance(answer, tuple) else list(answer)
        for turned, policies in ((np.asarray(a, float), np.asarray(b, float)) for a, b in images):
            key = tuple(turned.ravel())
            if key not in allowed:
                yield "planes", f"an image of the board is none of the {len(board)} of {game.name}"
                return
            found.add(key)
            if np.abs(policies.ravel() - allowed[key]).max() > 1e-6:
                name = board.names[list(allowed).index(key)]
                yield "policy", f"with {name}, the policy is not turned like the board"
                return
    if len(board) > 1 and len(found) < len(board):
        yield "number", f"of {len(board)} images of {game.name}, {len(found)} were seen"


def masked(subject: Subject, part: str) -> Findings:
    """Illegal actions have no probability, legal ones sum to 1 and keep the order of logits."""
    for logits in (np.array([3.0, 1.0, 0.5, -1, 0, 0, 0, 0, 0]), np.linspace(800, -800, 9)):
        legal = np.array([False, True, False, True, True, False, False, False, True])
        shares = np.ravel(np.asarray(subject.call("priors", logits.copy(), legal.copy()), float))
        if len(shares) != 9 or not np.isfinite(shares).all():
            yield "finite", f"priors of logits up to {logits.max():g} are {shares}"
        elif shares[~legal].max() > 1e-6:
            yield "illegal", f"an illegal action has the prior {shares[~legal].max():.3f}"
        elif abs(shares[legal].sum() - 1) > 1e-4:
            yield "sum", f"the priors of the legal actions sum to {shares[legal].sum():.3f}"
        elif np.abs(shares[legal] - _softmax(logits[legal])).max() > 1e-4:
            yield "softmax", f"priors {_short(shares)} are not the softmax of the legal logits"


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def root_noise(subject: Subject, part: str) -> Findings:
    """Noise differs from move to move and from call to call, keeps the sum, and most of a prior."""
    priors = np.array([0.5, 0.3, 0.2])
    drawn = np.array([np.ravel(subject.call("noise", priors.copy(), True)) for _ in range(300)])
    if np.abs(drawn.sum(axis=1) - 1).max() > 1e-4 or drawn.min() < 0:
        yield "sum", f"priors with noise are {_short(drawn[0])}, with the sum {drawn[0].sum():.3f}"
    if drawn.std(axis=0).max() < 1e-3:
        yield "none", "the noise is the same each time, or there is none"
    changes = drawn - priors
    if np.abs(changes).max() > 1e-3 and (
        np.abs(changes - changes.mean(axis=1, keepdims=True)).max(axis=1).mean() < 0.03
        or np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1] > 0.9
    ):
        yield "alike", "the noise is nearly the same for all moves: it changes no choice"
    kept = float((drawn.min(axis=0) / priors).min())
    if kept < 0.4:
        yield "share", f"noise leaves {kept:.0%} of a prior; the papers leave 75%"


def no_noise_below_the_root(subject: Subject, part: str) -> Findings:
    """Below the root, priors stay as they are."""
    if len(inspect.signature(subject.functions["noise"]).parameters) > 1:
        priors = np.array([0.5, 0.3, 0.2])
        drawn = np.ravel(subject.call("noise", priors.copy(), False))
        if np.abs(drawn - priors).max() > 1e-6:
            yield "", f"priors below the root become {_short(drawn)}"


def _picks(subject: Subject, visits: list[int], temperature: float) -> np.ndarray:
    """The share of each action in many choices."""
    counts = Counter(int(subject.call("pick", np.array(visits), temperature))
                     for _ in range(_DRAWS))
    if set(counts) - set(range(len(visits))):
        raise WrongAnswer("range", f"pick returns {max(counts)} for {len(visits)} actions")
    return np.array([counts[action] for action in range(len(visits))]) / _DRAWS


def temperature(subject: Subject, part: str) -> Findings:
    """Moves are drawn with chances visits^(1/T): the most visited one for T = 0, shares for T = 1.
    """
    for visits, value in (([10, 30, 0, 60], 1.0), ([10, 30, 0, 60], 0.0), ([1, 0, 2, 0], 0.5),
                          ([400, 0, 800, 0], 0.05)):
        powers = np.array(visits, float) / max(visits)
        right = powers ** (1 / value) if value else (powers == 1).astype(float)
        right /= right.sum()
        shares = _picks(subject, visits, value)
        if shares[np.array(visits) == 0].max() > 0:
            yield "unvisited", f"with visits {visits}, a move without visits is played"
        elif np.abs(shares - right).max() > 5 * math.sqrt(0.25 / _DRAWS) + 1e-9:
            yield f"T={value:g}", (f"with visits {visits} and temperature {value:g}, moves are "
                                   f"played with {_short(shares)}; it should be {_short(right)}")


def loss_falls_towards_the_targets(subject: Subject, part: str) -> Findings:
    """Each part of the loss falls when its prediction comes nearer to the target, in each row."""
    def loss(logits: np.ndarray = _LOGITS, values: np.ndarray = _VALUES) -> float:
        return float(subject.call("loss", logits, values, _POLICIES, _RESULTS))

    base = loss()
    if not math.isfinite(base):
        yield "finite", f"the loss is {base}"
        return
    for row, result in enumerate(_RESULTS):
        nearer = _VALUES.copy()
        nearer[row] += 0.2 * np.sign(result - nearer[row]) * (1 if result else 0.4)
        if loss(values=nearer) >= base:
            yield "value", (f"a value of {_VALUES[row]:g} with the result {result:g}: the loss "
                            f"does not fall when the value becomes {nearer[row]:g}")
            break
    for row in range(len(_LOGITS)):
        step = _LOGITS.copy()
        step[row] += 0.2 * (_POLICIES[row] - _softmax(_LOGITS[row]))
        if loss(logits=step) >= base:
            yield "policy", "the loss does not fall when a policy comes nearer to its target"
            break
    if abs(loss(logits=_LOGITS + 3) - base) > 1e-6:
        yield "shift", "adding a number to all logits of a row changes the loss"


def loss_is_a_mean(subject: Subject, part: str) -> Findings:
    """The loss of a batch is the mean of its rows: a larger batch has no larger loss."""
    rows = [float(subject.call("loss", _LOGITS[i : i + 1], _VALUES[i : i + 1],
                               _POLICIES[i : i + 1], _RESULTS[i : i + 1])) for i in range(3)]
    whole = float(subject.call("loss", _LOGITS, _VALUES, _POLICIES, _RESULTS))
    if abs(whole - np.mean(rows)) > 1e-6:
        how = "sum" if abs(whole - np.sum(rows)) < 1e-6 else "mixed"
        yield how, (f"three rows have the losses {', '.join(f'{row:.3f}' for row in rows)}; "
                    f"together they have {whole:.3f}, which is not the mean")


def gradient_is_that_of_the_loss(subject: Subject, part: str) -> Findings:
    """The gradient by logits and values is that of finite differences."""
    if "loss" not in subject.functions:
        return
    given = subject.call("gradient", _LOGITS, _VALUES, _POLICIES, _RESULTS)
    for name, gradient, base in zip(("policy", "value"), given, (_LOGITS, _VALUES), strict=True):
        slopes, step = np.zeros_like(base), 1e-5
        for place in np.ndindex(base.shape):
            ends = []
            for sign in (1, -1):
                moved = base.copy()
                moved[place] += sign * step
                pair = (moved, _VALUES) if name == "policy" else (_LOGITS, moved)
                ends.append(float(subject.call("loss", *pair, _POLICIES, _RESULTS)))
            slopes[place] = (ends[0] - ends[1]) / (2 * step)
        gradient = np.asarray(gradient, float).reshape(base.shape)
        if np.abs(gradient - slopes).max() > 1e-4:
            ratio = float((gradient * slopes).sum() / max((slopes**2).sum(), 1e-12))
            whole = np.abs(gradient - ratio * slopes).max() < 1e-4
            yield f"{name}, {'factor' if whole else 'form'}", (
                f"the gradient of the {name} is not that of the loss" +
                (f": it is {ratio:.2f} times as large" if whole else ""))


def each_example_once(subject: Subject, part: str) -> Findings:
    """An epoch has each example once, whatever the size of a batch."""
    for count, size in ((10, 4), (8, 4), (3, 1), (5, 8)):
        taken = Counter(int(np.ravel(one)[0]) for batch in subject.call(
            "batches", list(range(count)), size) for one in batch)
        missing = [number for number in range(count) if taken[number] != 1]
        if missing:
            yield "", (f"{count} examples in batches of {size}: {len(missing)} are missing or "
                       "come twice")
            return


def newest_are_kept(subject: Subject, part: str) -> Findings:
    """A full window drops the oldest examples, and keeps the new ones."""
    left = list(map(int, subject.call("window", [1, 2, 3], [4, 5], 4)))
    if sorted(left) != [2, 3, 4, 5]:
        yield "", f"a window of 4 with 1, 2, 3, to which 4, 5 are added, holds {left}"


def match_counts(subject: Subject, part: str) -> Findings:
    """A match counts draws as half, and gives both players the first move equally often."""
    for results, right in (([1] * 8, 1.0), ([0] * 8, 0.5), ([-1] * 8, 0.0), ([1, 0] * 4, 0.75)):
        firsts, left = [], list(results)

        def play(first: bool, firsts: list[bool] = firsts, left: list[int] = left) -> int:
            firsts.append(bool(first))
            return left.pop()

        score = float(subject.call("match", play, 8))
        if abs(score - right) > 1e-6:
            yield "draws" if 0 in results else "score", (
                f"a match with the results {results} has the score {score:g}, not {right:g}")
        if sum(firsts) * 2 != len(firsts):
            yield "first", f"it moves first in {sum(firsts)} of {len(firsts)} games"
            return


_PARTS: dict[str, tuple[Callable[[Subject, str], Findings], ...]] = {
    "targets": (targets, targets_after_double_moves),
    "encode": (planes_tell_positions_apart, every_stone_is_seen),
    "augment": (images_agree,),
    "priors": (masked,),
    "noise": (root_noise, no_noise_below_the_root),
    "pick": (temperature,),
    "loss": (loss_falls_towards_the_targets, loss_is_a_mean),
    "gradient": (gradient_is_that_of_the_loss,),
    "batches": (each_example_once,),
    "window": (newest_are_kept,),
    "match": (match_counts,),
}
KINDS = {
    "targets": "target value, target policy", "targets after double moves": "double move",
    "planes tell positions apart": "encoding", "every stone is seen": "encoding",
    "images agree": "symmetry", "masked": "prior", "root noise": "prior",
    "no noise below the root": "prior", "temperature": "temperature",
    "loss falls towards the targets": "loss", "loss is a mean": "loss",
    "gradient is that of the loss": "loss", "each example once": "data", "newest are kept": "data",
    "match counts": "evaluation",
}
PROPERTIES: dict[str, dict[str, Any]] = {
    part: {one.__name__.replace("_", " "): one for one in functions}
    for part, functions in _PARTS.items()
}
