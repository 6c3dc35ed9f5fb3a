"""Crafted games: a tree, written as text, is a game with compiled rules.

    game = tree_game("x(.02:+1 .98:o=.5(-1 x~.3))")

    x(...) o(...)   a position, x (black) or o (white) to move; in brackets, its moves A, B, ...
    +1 0 -1         the end: x has won, a draw, x has lost
    o~.3            a position, o to move, worth .3 for x: so do a long tree below it, its random
                    games, and the evaluator say
    x?7             a bushy tree of thousands of positions, each with a value of its own, by seed 7;
                    x?-7: the same with opposite values
    .02:            the prior of a move; the rest is divided equally
    o=.5            what the evaluator says here, as x sees it; 0 if it is not given
    _               a move that is illegal here
    &x(...)         a tree in which equal subtrees are the same position

All numbers are those of x. The same player may move twice.
"""

from __future__ import annotations

import functools
import math
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move
from dlgo.jit import kernel
from dlgo.readers import read_toml
from dlgo.rng import below
from dlgo.specs import Option
from dlgo.zobrist import zobrist_table

# The trees that searches and solvers are asked about.
TREES = read_toml(Path(__file__).with_name("trees.toml"))
# A move: its prior; that it is illegal, a result, or a position with the value of all below it or
# with moves; or the end of a list of moves.
_MOVE = re.compile(r"""\s* (?: (?:([\d.]+):)? (?: (_) | ([+-]?[01])
    | ([xo]) (?: ~([+-]?[\d.]+) | (?:=([+-]?[\d.]+))? (\() ) ) | \) ) \s*""", re.X)
# Plies of a `~` tree, out of reach of a search; its last position has this number of ends.
_CLOUD_PLIES, _ENDS = 16, 20
_BUSH_PLIES, _CHAIN_PLIES = 5, 40
UNFINISHED = 2
# Columns of a table; then a child for each action, -1 where it is illegal.
MOVER, RESULT, ESTIMATE, APART, FIRST = range(5)
KEYS = zobrist_table(1 << 14, stream="tree nodes")
_SPREAD = 0x1E3779B97F4A7C15  # odd: products of different ways differ


def mirrored(text: str) -> str:
    """The same tree with the players exchanged."""
    signed = re.sub(r"(?<=[=~?])(?=[\d.]*[1-9])", "+", text)
    return signed.translate(str.maketrans("xo+-", "ox-+"))


def ended(text: str) -> str:
    """The same tree with a result in the place of each long one: who is much better there has won;
    if nobody is, a draw comes after one more move."""
    return re.sub(r"([xo])~([+-]?[\d.]+)", lambda form: (f"{form[1]}(0 0)", "+1", "-1")[
        int(float(form[2]) / 0.25) and int(np.sign(float(form[2])))], text)


@dataclass
class Node:
    """A position of a tree. Parent and children are numbers of a list; values are those of x."""

    parent: int  # -1 for the first position
    mover: int  # 0 or 1; after the end, whose turn it would be
    value: float = 0.0  # what the evaluator says
    result: int = UNFINISHED
    children: list[int] = field(default_factory=list)  # of each action; -1 where it is illegal
    priors: list[float] = field(default_factory=list)


def parse(text: str) -> list[Node]:
    """The positions of a tree, the first one first. Raises ValueError, which names the place."""
    text, merges = re.sub(r"([xo])\?([+-]?\d+)", _bush, text.removeprefix("&")), text[:1] == "&"
    nodes: list[Any] = []
    place, parent = 0, -1
    while place < len(text) or parent >= 0 or not nodes:
        part = _MOVE.match(text, place)
        prior, illegal, result, mover, cloud, value, opens = part.groups() if part else [None] * 7
        if part is None or parent < 0 and (nodes or not mover):
            raise ValueError(f"the tree {text[:200]!r} is wrong at {text[place : place + 20]!r}")
        place = part.end()
        if not (illegal or result or mover):
            node = nodes[parent]
            remainder = 1 - sum(weight or 0 for weight in node.priors)
            share = remainder / max(node.priors.count(None), 1)
            node.priors = [share if weight is None else weight for weight in node.priors]
            parent = node.parent
            continue
        number = -1 if illegal else len(nodes)
        if parent >= 0:
            nodes[parent].children.append(number)
            nodes[parent].priors.append(0.0 if illegal else prior and float(prior))
        if result:
            nodes.append(_end(nodes, parent, int(result)))
        elif mover:
            nodes.append(Node(parent, "xo".index(mover), float(cloud or value or 0)))
            if cloud:
                _grow_cloud(nodes, number)
        parent = number if opens else parent
    if merges:
        _merge(nodes)
    return nodes


def _merge(nodes: list[Node]) -> None:
    """Make equal subtrees the same position: the last one."""
    same = list(range(len(nodes)))
    numbers: dict[tuple[float, ...], int] = {}
    for number, node in reversed([*enumerate(nodes)]):
        node.children = [child if child < 0 else same[child] for child in node.children]
        form = (node.mover, node.value, node.result, *node.children, *node.priors)
        same[number] = numbers.setdefault(form, number)


def _end(nodes: list[Node], parent: int, result: int) -> Node:
    """The evaluator says the opposite of the result: a network has not learned finished games."""
    return Node(parent, 1 - nodes[parent].mover, -0.9 * result, result)


def _grow_cloud(nodes: list[Node], node: int) -> None:
    """Below a position: a deep tree in which all positions have its value. A row of the table
    stands for all positions of a ply."""
    value, decided = nodes[node].value, round(abs(nodes[node].value) * _ENDS)
    for _ in range(_CLOUD_PLIES):
        nodes[node].children, nodes[node].priors = [node + 1] * 2, [0.5] * 2
        nodes.append(Node(node, 1 - nodes[node].mover, value))
        node += 1
    nodes[-1].children = list(range(len(nodes), len(nodes) + _ENDS))
    nodes[-1].priors = [1 / _ENDS] * _ENDS
    nodes += [_end(nodes, node, int(np.sign(value)) * (number < decided))
              for number in range(_ENDS)]


def random_tree(
    rng: np.random.Generator, plies: int, mover: int = 0, value: float = 0.0, chain: int = 0,
    results: tuple[str, ...] = ("0",), double: float = 0.25, early: float = 0.0,
) -> str:
    """The text of a random tree, in which each position has a value near that of the one before.

    Args:
        plies, chain: number of plies with two or three moves, and of those with one move below.
        results: of the ends, drawn with equal chances.
        double, early: the probabilities that the same player moves again, and of an early end.
    """
    weights = rng.permutation(9)[: rng.integers(2, 4) if plies > 0 else 1] + 1
    moves = []
    for weight in weights:
        if plies + chain == 1 or rng.random() < early:
            subtree = str(rng.choice(results))
        else:
            next_mover = mover if rng.random() < double else 1 - mover
            near = np.clip(0.7 * value + rng.normal(0, 0.35), -0.95, 0.95)
            subtree = random_tree(rng, plies - 1, next_mover, near, chain, results, double, early)
        moves.append(f"{weight / weights.sum():.2f}:{subtree}")
    moves[-1] = moves[-1].partition(":")[2]  # the rest
    return f"{'xo'[mover]}={value:.2f}({' '.join(moves)})"


def random_graph(rng: np.random.Generator, plies: int, mover: int, results: list[str]) -> str:
    """The text of a random tree in which positions are reached in several ways; the players
    alternate."""
    row = list(results)
    for ply in range(plies, 0, -1):
        player = "xo"[mover ^ (ply - 1) % 2]
        row = [f"{player}={rng.uniform(-0.95, 0.95):.2f}"
               f"({' '.join(rng.choice(row, rng.integers(2, 4), replace=False))})"
               for _ in range(4)]
    return f"&{row[0]}"


def _bush(form: re.Match[str]) -> str:
    swap = form[2].startswith("-")
    rng = np.random.default_rng(abs(int(form[2])))
    text = random_tree(rng, _BUSH_PLIES, "xo".index(form[1]) ^ swap, chain=_CHAIN_PLIES)
    return mirrored(text) if swap else text


def best(nodes: list[Node], depth: int = 999, start: int = 0) -> float:
    """The value of best play for x, with estimates after `depth` plies."""
    node = nodes[start]
    if node.result != UNFINISHED:
        return node.result
    if depth == 0:
        return node.value
    values = [best(nodes, depth - 1, child) for child in node.children if child >= 0]
    return min(values) if node.mover else max(values)


class _Arrays(NamedTuple):
    words: np.ndarray
    table: np.ndarray


class TreeState(_Arrays):
    """words: int64[2], the node, and the way to it, which tells positions of one node apart (unless
    APART is 0): searches may merge equal ones. table: int64[nodes, FIRST + actions]; its estimates
    are as `kernels.evaluate` gives them."""

    shared_fields = ("table",)


@kernel
def reset(state):
    state.words[0] = state.words[1] = 0


@kernel
def copy_into(target, source):
    target.words[0] = source.words[0]
    target.words[1] = source.words[1]


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
        out[n] = action  # the next one overwrites it unless it is legal
        n += is_legal(state, action)
    return n


@kernel
def play(state, action):
    state.words[0] = state.table[state.words[0], FIRST + action]
    state.words[1] = (2 * state.words[1] + action) * state.table[state.words[0], APART]


@kernel
def terminal(state):
    return result(state) != UNFINISHED


@kernel
def result(state):
    return state.table[state.words[0], RESULT]


@kernel
def evaluate(state):
    return state.table[state.words[0], ESTIMATE]


@kernel
def key(state):
    return KEYS[state.words[0]] ^ _SPREAD * state.words[1]


@kernel
def piece(state, cell):
    return kernels.NOBODY


@kernel
def rollout(state, rng):
    while not terminal(state):
        action = below(rng, state.table.shape[1] - FIRST)
        if is_legal(state, action):
            play(state, action)
    return result(state)


kernels.implement(TreeState, **{function.__name__: function for function in (
    reset, copy_into, to_move, is_legal, legal_actions, play, terminal, result, evaluate, key,
    piece, rollout)})


class TreeGame(GameSpec):
    """A game given by its tree; `nodes` are its positions."""

    name = "tree"
    title = "A tree"
    options = (Option("tree", "x(+1 0 -1)", "the tree; see experiments/museum/tree_game.py"),)
    opening_plies = 0
    board_rows = 1

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.nodes = parse(self.settings["tree"])
        self.num_actions = self.board_cols = max(len(node.children) for node in self.nodes)
        self._table = np.full((len(self.nodes), FIRST + self.num_actions), -1, np.int64)
        apart = not self.settings["tree"].startswith("&")
        for row, node in zip(self._table, self.nodes, strict=True):
            estimate = 500 * math.atanh((1 - 2 * node.mover) * max(-0.99, min(node.value, 0.99)))
            row[: FIRST + len(node.children)] = (
                node.mover, node.result, round(estimate), apart, *node.children)

    def new_kernel_state(self) -> TreeState:
        return TreeState(np.zeros(2, np.int64), self._table)

    def scratch_state(self, like: Any, room: int = 1) -> Any:
        return like._replace(words=like.words.copy())

    def render(self, state: GameState) -> str:
        return f"{super().render(state)}\nposition {state.kernel_state.words}"

    def parse_move(self, state: GameState, text: str) -> Move:
        return super().parse_move(state, f"{text.strip().removesuffix('1')}1")

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "the tree has no such move here"


@functools.lru_cache(maxsize=256)
def tree_game(tree: str) -> TreeGame:
    """The game of a tree."""
    return TreeGame(tree=tree)


class Script:
    """The evaluator: it says of each position what the tree says.

    Attributes:
        calls: the nodes that each call was about.
        threaded: whether another thread than that of its maker has called.
    """

    def __init__(self, game: TreeGame) -> None:
        self.game = game
        self.calls: list[Any] = []
        self.threaded, self._thread = False, threading.get_ident()

    def __call__(self, state: Any) -> Any:
        """A prior for each legal move, and the value for the player to move; several positions have
        a list of such answers."""
        if isinstance(state, GameState):
            return self([state])[0]
        self.threaded |= threading.get_ident() != self._thread
        self.calls.append([int(item.kernel_state.words[0]) for item in state])
        move, nodes = self.game.moves_by_action, [self.game.nodes[item] for item in self.calls[-1]]
        return [({move[action]: node.priors[action] for action, child in enumerate(node.children)
                  if child >= 0}, (1 - 2 * node.mover) * node.value) for node in nodes]
