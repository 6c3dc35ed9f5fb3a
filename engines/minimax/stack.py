"""The memory of one alpha-beta search, its scores, and the techniques that can be switched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# A score beyond PROVEN in size means a forced win or loss: WIN - plies to the end. Smaller ones
# come from the game's `evaluate`, or are a draw (0).
WIN = 30_000
PROVEN = 20_000
INFINITE = 32_000
MAX_PLY = 128
# Limit of plies of captures beyond the depth. No capture in draughts is this long.
QUIET_PLIES = 24
HISTORY_LIMIT = 1 << 40

# The techniques in the order of the ladder in docs/engines/alphabeta.md, with their help texts.
# Bit i of `info[TECHNIQUES]` switches number i.
TECHNIQUE_HELP = {
    "cuts": "alpha-beta cuts; no: plain minimax",
    "deepening": "iterative deepening: search to depth 1, 2, 3, ...; no: the full depth at once",
    "hash_move": "try the best move of the shallower search first",
    "table": "reuse results of positions reached by another order of moves",
    "killers": "try moves that refuted a sibling early",
    "history": "order the other moves by how often they were best",
    "pvs": "principal variation search: search only the first move with the full window",
    "aspiration": "start with a narrow window around the previous score",
    "quiescence": "search captures beyond the depth before estimating",
    "forced": "search only forced moves, in games that know them",
}
CUTS, DEEPENING, HASH_MOVE, TABLE, KILLERS, HISTORY, PVS, ASPIRATION, QUIESCENCE, FORCED = (
    1 << i for i in range(len(TECHNIQUE_HELP)))

# Indices into `Stack.info`: nodes visited, their limit, the ply that is reached next, the age of
# new entries, the techniques in use (bits), whether leaves are valued in Python, such a value.
NODES, NODE_LIMIT, PLY, AGE, TECHNIQUES, ASK, ANSWER = range(7)
# Of `deepening.py`: whether only win, draw or loss is asked for; number of moves of the root; the
# depth limit; whether a search has begun; its window; the score of the last complete search, and of
# the one before it.
SOLVE, COUNT, DEEPEST, BEGUN, ALPHA, BETA, LAST, BEFORE_LAST = range(7, 15)
# The result so far: the move, its score, plies searched, whether the score holds at any depth.
MOVE, SCORE, DEPTH, SOLVED = range(15, 19)
# Of `info[ASK]`: leaves are valued in Python; one waits; its answer is in `info[ANSWER]`.
WANTED, WAITING, ANSWERED = 1, 2, 3


class Stack(NamedTuple):
    """A search in progress; row i belongs to the node at ply i."""

    actions: np.ndarray  # int64[plies, num_actions], the moves
    order: np.ndarray  # the same, their ordering scores
    counts: np.ndarray  # int64[plies], as all until `killer`: moves there are
    next_index: np.ndarray  # of the next move to try
    alpha: np.ndarray
    beta: np.ndarray
    alpha_0: np.ndarray  # alpha on arrival
    best: np.ndarray
    best_action: np.ndarray
    mover: np.ndarray
    depth: np.ndarray
    key: np.ndarray
    killer: np.ndarray  # the last move that refuted a sibling
    solved: np.ndarray  # int8[plies], whether no estimate was used
    narrow: np.ndarray  # int8[plies], whether the current search has a null window
    history: np.ndarray  # int64[2, num_actions], how often a move was best, by player
    root: np.ndarray  # int64[num_actions], moves of the root, the most promising first
    line: np.ndarray  # int64[plies], the principal variation
    info: np.ndarray  # int64[19], see above


def new_stack(plies: int, num_actions: int) -> Stack:
    """Arrays for searches that reach ply `plies - 1`, without techniques."""
    moves = [np.zeros((plies, num_actions), np.int64) for _ in range(2)]
    numbers = [np.zeros(plies, np.int64) for _ in range(11)]
    flags = [np.zeros(plies, np.int8) for _ in range(2)]
    shapes = (2, num_actions), num_actions, plies, SOLVED + 1
    return Stack._make([*moves, *numbers, *flags, *(np.zeros(n, np.int64) for n in shapes)])
