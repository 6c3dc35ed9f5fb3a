"""Crafted games: a tree, written as text, is a game with compiled rules.

    game = TreeGame(tree="x(.02:+1 .98:o=.5(-1 x~.3))")

    x(...) o(...)   a position, x (black) or o (white) to move; in brackets, its moves A, B, ...
    +1 0 -1         the end: x has won, a draw, x has lost
    o~.3            a position, o to move, worth .3 for x: so do a long tree below it, its random
                    games, and the evaluator say
    x?7             a bushy tree of thousands of positions, each with a value of its own, by seed 7;
                    x?-7: the same with opposite values
    .02:            the prior of a move; the rest is divided equally
    o=.5            what the evaluator says here, as x sees it; 0 if it is not given
    _               a move that is illegal here

All numbers are those of x, so `mirrored` is the same tree with the players exchanged. The same
player may move twice.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import COLUMN_LETTERS, GameSpec, GameState, Move
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.specs import Option
from dlgo.zobrist import zobrist_table

_TOKEN = re.compile(r"\s*([xo](?:[=~?]-?[\d.]+)?|[()_]|[\d.]+:|[+-]?[\d.]+)")
# Plies of a `~` tree, out of reach of a search; its last position has this number of ends.
_CLOUD_PLIES, _ENDS = 16, 20
_BUSH_PLIES, _CHAIN_PLIES = 5, 40
_UNFINISHED = 2
MOVER, RESULT, FIRST = range(3)  # columns of a table: then a child for each action, or -1
KEYS = zobrist_table(1 << 14, stream="tree nodes")


@dataclass(frozen=True)
class Node:
    """A position of a tree; values and results are those of x."""

    mover: int
    value: float = 0.0
    children: tuple[Node | None, ...] = ()
    priors: tuple[float, ...] = ()
    result: int | None = None
    form: str = ""  # "~0.3" or "?7": the tree below is made

    def mirrored(self) -> Node:
        """The same tree with the players exchanged."""
        swap = tuple(child and child.mirrored() for child in self.children)
        form = self.form and f"{self.form[0]}{-float(self.form[1:]) + 0.0:g}"
        return replace(self, mover=1 - self.mover, value=0.0 - self.value, children=swap, form=form,
                       result=None if self.result is None else -self.result)

    def best(self, depth: int = 999) -> float:
        """The value of best play for x, with estimates after `depth` plies; made trees have their
        `value`."""
        if self.result is not None:
            return float(self.result)
        if not self.children or depth == 0:
            return self.value
        values = [child.best(depth - 1) for child in self.children if child is not None]
        return max(values) if self.mover == 0 else min(values)

    def __str__(self) -> str:
        if self.result is not None:
            return f"{self.result:+d}" if self.result else "0"
        head = "xo"[self.mover] + self.form
        if self.form:
            return head
        value = f"={self.value:g}" if self.value else ""
        return f"{head}{value}({' '.join(self._moves())})"

    def _moves(self) -> Iterator[str]:
        for child, prior in zip(self.children, self.priors, strict=True):
            yield "_" if child is None else f"{prior:.4g}:{child}"


def parse(text: str) -> Node:
    """The tree of a text. Raises ValueError, which names the place."""
    tokens, place = [], 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"the tree has {text[place : place + 9]!r}, which is no part of one")
        tokens.append(match[1])
        place = match.end()
    try:
        node = _read(tokens)
    except IndexError:
        raise ValueError(f"the tree {text!r} ends too early: close its brackets") from None
    if tokens:
        raise ValueError(f"the tree has {tokens[0]!r} after its end")
    return node


def _read(tokens: list[str]) -> Node:
    token = tokens.pop(0)
    if token[0] not in "xo":
        return Node(0, result=int(token))
    mover, form = "xo".index(token[0]), token[1:]
    if form[:1] in ("~", "?"):
        number = float(form[1:])
        return Node(mover, number if form[0] == "~" else 0.0, form=f"{form[0]}{number:g}")
    if tokens.pop(0) != "(":
        raise ValueError(f"{token} has no moves: write {token}(...)")
    children, given = [], []
    while tokens[0] != ")":
        given.append(float(tokens.pop(0)[:-1]) if tokens[0].endswith(":") else None)
        children.append(_read(tokens) if tokens[0] != "_" else tokens.pop(0) and None)
    tokens.pop(0)
    open_moves = [prior is None and child is not None
                  for prior, child in zip(given, children, strict=True)]
    rest = (1 - sum(prior or 0.0 for prior in given)) / max(sum(open_moves), 1)
    priors = tuple(rest if is_open else prior or 0.0
                   for is_open, prior in zip(open_moves, given, strict=True))
    return Node(mover, float(form[1:] or 0), tuple(children), priors)


class TreeState(NamedTuple):
    """words: int64[1], the node. table: int64[nodes, FIRST + actions]. values: int64[nodes], for
    the player to move, as `kernels.evaluate` has them."""

    words: np.ndarray
    table: np.ndarray
    values: np.ndarray

    shared_fields = ("table", "values")


@kernel
def reset(state):
    state.words[0] = 0


@kernel
def copy_into(target, source):
    target.words[0] = source.words[0]


@kernel
def to_move(state):
    return state.table[state.words[0], MOVER]


@kernel
def is_legal(state, action):
    return state.table[state.words[0], FIRST + action] >= 0


@kernel
def legal_actions(state, out):
    n = 0
    for action in range(state.table.shape[1] - FIRST):
        if is_legal(state, action):
            out[n] = action
            n += 1
    return n


@kernel
def play(state, action):
    state.words[0] = state.table[state.words[0], FIRST + action]


@kernel
def terminal(state):
    return state.table[state.words[0], RESULT] != _UNFINISHED


@kernel
def result(state):
    return state.table[state.words[0], RESULT]


@kernel
def key(state):
    return KEYS[state.words[0]]


@kernel
def piece(state, cell):
    return kernels.NOBODY


@kernel
def rollout(state, rng):
    while not terminal(state):
        n = 0
        for action in range(state.table.shape[1] - FIRST):
            n += is_legal(state, action)
        choice = below(rng, n)
        action = 0
        while choice > 0 or not is_legal(state, action):
            choice -= is_legal(state, action)
            action += 1
        play(state, action)
    return result(state)


@kernel
def evaluate(state):
    return state.values[state.words[0]]


kernels.implement(
    TreeState, reset=reset, copy_into=copy_into, to_move=to_move, legal_actions=legal_actions,
    is_legal=is_legal, play=play, terminal=terminal, result=result, key=key, piece=piece,
    rollout=rollout, evaluate=evaluate,
)


class _Table:
    """The nodes of a tree as arrays."""

    def __init__(self, root: Node) -> None:
        self.rows: list[tuple[int, int, list[int]]] = []
        self.values: list[float] = []  # as x sees them
        self.priors: list[tuple[float, ...]] = []
        self.parents: list[int] = []
        self._clouds: dict[tuple[int, float], int] = {}
        self._add(root, -1)

    def _new(self, mover: int, value: float, parent: int, result: int = _UNFINISHED) -> int:
        self.rows.append((mover, result, []))
        self.values.append(value)
        self.priors.append(())
        self.parents.append(parent)
        return len(self.rows) - 1

    def _add(self, node: Node, parent: int) -> int:
        if node.form.startswith("~"):
            return self._cloud(node.mover, node.value, parent)
        if node.form:
            seed = int(node.form[1:])
            self._sign = -1 if seed < 0 else 1
            return self._bush(node.mover, np.random.default_rng(abs(seed)), parent)
        if node.result is not None:
            # Whose turn it would be: not the player's who has moved last.
            mover = 0 if parent < 0 else 1 - self.rows[parent][0]
            return self._new(mover, 0.0, parent, node.result)
        number = self._new(node.mover, node.value, parent)
        self.priors[number] = node.priors
        self.rows[number][2].extend(
            -1 if child is None else self._add(child, number) for child in node.children)
        return number

    def _cloud(self, mover: int, value: float, parent: int, plies: int = _CLOUD_PLIES) -> int:
        """A deep tree in which all positions have this value. Its layers are shared."""
        number = self._new(mover, value, parent)
        if plies == 0:
            decided = round(abs(value) * _ENDS)  # the other games are drawn
            self.rows[number][2].extend(
                self._new(1 - mover, 0.0, number, int(np.sign(value)) if end < decided else 0)
                for end in range(_ENDS))
        else:
            below_it = (1 - mover, value, plies)
            if below_it not in self._clouds:
                self._clouds[below_it] = self._cloud(1 - mover, value, number, plies - 1)
            self.rows[number][2].extend([self._clouds[below_it]] * 2)
        self.priors[number] = (1 / len(self.rows[number][2]),) * len(self.rows[number][2])
        return number

    def _bush(
        self, mover: int, rng: np.random.Generator, parent: int, value: float = 0.0, ply: int = 0
    ) -> int:
        """Each position has a value of its own, near that of the position before."""
        if ply == _BUSH_PLIES + _CHAIN_PLIES:
            return self._new(mover, 0.0, parent, 0)
        number = self._new(mover, self._sign * value, parent)
        moves = int(rng.integers(2, 4)) if ply < _BUSH_PLIES else 1
        self.priors[number] = tuple(rng.dirichlet(np.full(moves, 2.0)).tolist())
        for _ in range(moves):
            then = mover if rng.random() < 0.25 else 1 - mover
            near = float(np.clip(0.7 * value + rng.normal(0, 0.35), -0.95, 0.95))
            self.rows[number][2].append(self._bush(then, rng, number, near, ply + 1))
        return number


class TreeGame(GameSpec):
    """A game given by its tree."""

    name = "tree"
    title = "A tree"
    options = (Option("tree", "x(+1 0 -1)", "the tree; see experiments/museum/tree_game.py"),)
    opening_plies = 0
    board_rows = 1

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.root = parse(self.settings["tree"])
        made = _Table(self.root)
        self.num_actions = self.board_cols = max(len(row[2]) for row in made.rows) or 1
        self._table = np.full((len(made.rows), FIRST + self.num_actions), -1, np.int64)
        for row, (mover, ended, children) in zip(self._table, made.rows, strict=True):
            row[MOVER], row[RESULT] = mover, ended
            row[FIRST : FIRST + len(children)] = children
        signs = 1 - 2 * self._table[:, MOVER]
        self._values = np.array([
            round(500 * math.atanh(sign * max(-0.99, min(value, 0.99))))
            for sign, value in zip(signs, made.values, strict=True)], np.int64)
        self.values, self.priors, self.parents = made.values, made.priors, made.parents

    def new_kernel_state(self) -> TreeState:
        return TreeState(np.zeros(1, np.int64), self._table, self._values)

    def scratch_state(self, like: Any, room: int = 1) -> Any:
        return like._replace(words=like.words.copy())

    def move_text(self, move: Move) -> str:
        return COLUMN_LETTERS[self.action_of(move) or 0]

    def parse_move(self, state: GameState, text: str) -> Move:
        return super().parse_move(state, f"{text.strip()}1")

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "the tree has no such move here"

    def mover(self, node: int) -> int:
        """The player to move at a node."""
        return int(self._table[node, MOVER])

    def ended(self, node: int) -> bool:
        """Whether the game is over at a node."""
        return bool(self._table[node, RESULT] != _UNFINISHED)

    def children(self, node: int) -> list[int]:
        """The node of each action, -1 where it is illegal."""
        return self._table[node, FIRST:].tolist()


@functools.lru_cache(maxsize=256)
def tree_game(tree: str) -> TreeGame:
    """The game of a tree."""
    return TreeGame(tree=tree)


def node_of(state: GameState) -> int:
    """The node of a position of a `TreeGame`."""
    return int(state.kernel_state.words[0])


class Script:
    """The evaluator: it says of each position what the tree says, and keeps what it was asked.

    Of a finished game it says the opposite of the result: a network has not learned those.
    """

    def __init__(self, game: TreeGame) -> None:
        self.game = game
        self.asked: list[int] = []  # nodes

    def __call__(self, state: GameState) -> tuple[dict[Move, float], float]:
        """A prior for each legal move, and the value for the player to move."""
        game, node = self.game, node_of(state)
        self.asked.append(node)
        sign = 1 - 2 * game.mover(node)
        if state.is_over():
            return {}, -sign * 0.9 * state.result()
        shares = game.priors[node]
        priors = {game.moves_by_action[action]: shares[action]
                  for action, child in enumerate(game.children(node)) if child >= 0}
        return priors, sign * game.values[node]
