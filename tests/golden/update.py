"""Golden games: a whole random game of each game, as text, for people and tests to read.

    python -m tests.golden.update             write all of them anew
    python -m tests.golden.update draughts    write those of one game

`tests/golden/<slug>.txt` shows each ply of one game: the move, the key, the number of legal
moves, whose turn it is, the board. `test_golden.py` plays the moves again and compares, so any
change of rules, keys, notation or drawing shows as a difference that a person can judge. After
a change that is meant, run this and read the difference (`git diff tests/golden`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from dlgo import GameSpec, GameState, Move, game_names, get_game, kernels
from dlgo.rng import below, make_rng

FOLDER = Path(__file__).resolve().parent
# With this seed each game shows what is special in it: captures, a king, a swap.
SEED = 90
SEEDS = {"othello": 100}  # with passes of both players

# Games whose default is too long to read, or shows too little of the rules.
SPECS = {
    "go": ("go:size=5",),
    "connectn": ("connectn:cols=5,rows=4,n=3,gravity=no,pie=yes",),
    "hex": ("hex:size=4,swap=yes",),
    "othello": ("othello:size=4",),
    "breakthrough": ("breakthrough:rows=5,cols=4",),
}


def golden_games() -> list[GameSpec]:
    """The games that have a golden one: every registered game, with its usual options or not."""
    return [get_game(spec) for name in game_names() for spec in SPECS.get(name, (name,))]


def path_of(game: GameSpec) -> Path:
    """Where the golden game is kept."""
    return FOLDER / f"{game.slug}.txt"


def random_moves(game: GameSpec) -> list[Move]:
    """A random game that leaves out senseless moves, so that it ends."""
    rng, state = make_rng(SEEDS.get(game.name, SEED)), GameState.new_game(game)
    while not state.is_over():
        actions = state.legal_actions()
        n = kernels.search_actions(state.kernel_state, actions)
        state = state.apply_move(game.move_of(actions[below(rng, n)]))
    return state.moves()


def play_through(game: GameSpec, moves: Iterable[Move]) -> str:
    """The text of a game: what anybody can see at each ply."""
    state = GameState.new_game(game)
    parts = [f"{game.title}, {game}\n", _ply(0, "the start", state)]
    for ply, move in enumerate(moves, 1):
        mover = state.next_player.name
        state = state.apply_move(move)
        parts.append(_ply(ply, f"{mover} plays {game.move_text(move)}", state))
    if state.is_over():
        parts.append(f"result {state.result():+d}: {game.result_text(state)}\n")
    return "\n".join(parts)


def _ply(ply: int, event: str, state: GameState) -> str:
    key = f"{state.key() % 2**64:016x}"
    turn = "over" if state.is_over() else f"{state.next_player.name} to move"
    n = len(state.legal_actions())
    return f"ply {ply}: {event}\nkey {key}, {n} legal, {turn}\n{state}\n"


def moves_in(text: str, game: GameSpec) -> list[Move]:
    """The moves that a golden text names."""
    moves, state = [], GameState.new_game(game)
    for word in re.findall(r"^ply \d+: \w+ plays (.+)$", text, re.MULTILINE):
        moves.append(game.parse_move(state, word))
        state = state.apply_move(moves[-1])
    return moves


def main(names: list[str]) -> None:
    """Write the golden games, or those of the games called `names`."""
    if unknown := set(names) - set(game_names()):
        known = ", ".join(game_names())
        sys.exit(f"unknown games: {', '.join(sorted(unknown))}; there are {known}")
    for game in golden_games():
        if not names or game.name in names:
            path_of(game).write_text(play_through(game, random_moves(game)))
            print(f"{path_of(game)}: written")


if __name__ == "__main__":
    main(sys.argv[1:])
