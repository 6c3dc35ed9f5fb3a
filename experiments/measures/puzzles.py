"""Puzzles: positions in which only one turn keeps the best exact result.

    dlgo puzzles connect4 --count 60 --out my_puzzles.json

Connect Four and small boards are solved, draughts endings are looked up in tables. Positions come
from games that an engine plays with many random moves (draughts: from the tables), without
symmetric copies. Wins at once, and threats that only one move stops, are left out as too easy. The
level says how many simulations plain MCTS needs to find the turn every time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from dlgo import DlgoError, GameSpec, GameState, Move, Player
from dlgo.display import position_info
from dlgo.errors import ForeignFileError, FormatError
from dlgo.files import write_file
from dlgo.games import recorded_game
from dlgo.games.draughts.state import Draughts
from dlgo.readers import read_json, reading
from dlgo.rng import derive_seed
from dlgo.symmetry import symmetries
from engines.base import Budget, Decision, Engine
from engines.registry import EngineSpec
from experiments.measures.draughts import random_endings
from experiments.review.facts import explain, turns_of
from experiments.review.game_review import exact_engine

_FOLDER = Path(__file__).parent
# By number of simulations of MCTS; above the last one it is `very hard`.
LEVELS = (("easy", 30), ("medium", 300), ("hard", 3000))
HARDEST = "very hard"
_LADDER = (10, 30, 100, 300, 1000, 3000, 10_000)
_SEEDS = (1, 2, 3)
# In games for positions: simulations of a move, and the share of random moves.
_SIMS, _RANDOM = 60, 0.4
# The search for puzzles ends after this many positions without one, or with this many times the
# puzzles wanted.
_MOST_LOOKS, _ENOUGH = 2000, 4
# Plies within which a win, or the loss after any other turn, must come: people see this far.
_MOST_PLIES = 13
# Moves before a position, fewer of which take the solver seconds.
_FEWEST = {"connect4": 12}
# Turns to the end of a draughts game that no rule about progress (80 plies) can cut short.
_MOST_TURNS = 60


@dataclass(frozen=True)
class Puzzle:
    """A position in which only one turn is right."""

    position: str  # the moves from the start of the game, or the position in draughts' notation
    solution: str
    value: int  # 1: it wins, and all others do not; 0: it draws, and all others lose
    plies: int | None  # to the end after perfect play, of a win; in draughts, turns
    sims: int | None  # with which MCTS always finds it; None if the largest number does not do
    outcomes: Mapping[str, int]  # the exact result of each turn for the player to move

    @property
    def level(self) -> str:
        """How hard it is for a search."""
        sims = self.sims or _LADDER[-1]
        return next((name for name, most in LEVELS if sims <= most), HARDEST)

    def state(self, game: GameSpec) -> GameState:
        """The position. Raises DlgoError if the game does not know it."""
        if game.name == "draughts":
            return Draughts.from_fen(self.position)
        return game.start().play(*self.position.split())


@dataclass(frozen=True)
class PuzzleSet:
    """Puzzles of one game."""

    game: GameSpec
    puzzles: tuple[Puzzle, ...]
    command: str = ""  # that made them


def solver_of(game: GameSpec) -> str:
    """The engine that knows exact results of puzzles. Raises DlgoError if no engine does."""
    spec = "solver" if game.name == "draughts" else exact_engine(game)
    if spec is None:
        raise DlgoError(
            f"{game} has no exact values, which puzzles need; they exist for connect4, draughts, "
            "tictactoe, and connectn, hex and othello with at most 16 cells"
        )
    return spec.replace(",solve=yes", "")  # which says nothing of the plies to the end


def exact_result(decision: Decision) -> tuple[int, int | None]:
    """What a solver has found: the result for the player to move, and plies to the end.

    Raises DlgoError if it has found none.
    """
    plies = decision.plies_to_end or decision.depth
    if decision.proven is not None:
        return decision.proven, plies
    if decision.value in (-1.0, 0.0, 1.0):  # by tables
        return int(decision.value), plies
    raise DlgoError("the solver did not solve the position")


def shipped_sets() -> list[PuzzleSet]:
    """The puzzles that come with the project."""
    return [read_puzzles(path) for path in sorted(_FOLDER.glob("puzzles_*.json"))]


def read_puzzles(path: Path) -> PuzzleSet:
    """The puzzles of a file. Raises DlgoError if it is none."""
    with reading(path, "file of puzzles", restore="make it again with `dlgo puzzles`"):
        data = read_json(path, "it")
        if not (isinstance(data, dict) and {"game", "puzzles"} <= data.keys()):
            raise ForeignFileError("it has no game and puzzles")
        game = recorded_game(data["game"])
        puzzles = tuple(Puzzle(**entry) for entry in data["puzzles"])
        for puzzle in puzzles:
            if puzzle.state(game).is_over() or puzzle.outcomes[puzzle.solution] != puzzle.value:
                raise FormatError(f"{puzzle.position!r} is not a puzzle")
        return PuzzleSet(game, puzzles, str(data["command"]))


def write_puzzles(path: Path, puzzles: PuzzleSet) -> None:
    """Write a file that `read_puzzles` reads."""
    rows = ",\n".join(json.dumps(asdict(puzzle)) for puzzle in puzzles.puzzles)
    head = f'"game": {json.dumps(str(puzzles.game))}, "command": {json.dumps(puzzles.command)}'
    write_file(path, f'{{{head}, "puzzles": [\n{rows}\n]}}\n')


def make_puzzles(game: GameSpec, count: int, seed: int) -> list[Puzzle]:
    """`count` puzzles, as many of each level as can be found. Raises DlgoError as `solver_of`."""
    solver = EngineSpec.parse(solver_of(game)).build(game, seed)
    search = EngineSpec.parse("mcts").build(game, seed)
    quota = -(-count // (len(LEVELS) + 1))
    levels: dict[str, list[Puzzle]] = {name: [] for name, _ in (*LEVELS, (HARDEST, 0))}
    keys: set[tuple[int, ...]] = set()
    looks = n_puzzles = 0
    for state in _positions(game, search, seed):
        key, looks = _key(state), looks + 1
        puzzle = None if key in keys else _puzzle(state, solver, search)
        keys.add(key)
        if puzzle is not None:
            levels[puzzle.level].append(puzzle)
            looks, n_puzzles = 0, n_puzzles + 1
        full = all(len(puzzles) >= quota for puzzles in levels.values())
        if full or looks > _MOST_LOOKS or n_puzzles >= _ENOUGH * count:
            break
    selection = [puzzle for puzzles in levels.values() for puzzle in puzzles[:quota]]
    spare = [puzzle for puzzles in levels.values() for puzzle in puzzles[quota:]]
    return sorted([*selection, *spare][:count], key=lambda puzzle: (
        puzzle.sims or 2 * _LADDER[-1], puzzle.plies or 0, puzzle.position))


def _positions(game: GameSpec, search: Engine, seed: int) -> Iterator[GameState]:
    rng = np.random.default_rng(derive_seed(seed, "puzzles", str(game)) % 2**63)
    if game.name == "draughts":
        endings = [random_endings(pieces, rng) for pieces in (3, 4)]
        while True:
            yield from (next(ending) for ending in endings)
    while True:
        states = [game.start()]
        search.new_game(int(rng.integers(2**31)))
        while not states[-1].is_over():
            state = states[-1]
            if rng.random() < _RANDOM:
                move = game.move_of(int(rng.choice(state.legal_actions())))
            else:
                move = search.select_move(state, Budget(sims=_SIMS)).move
            states.append(state.apply_move(move))
        first = _FEWEST.get(game.name, 0)
        if len(states) > first + 1:
            yield states[int(rng.integers(first, len(states) - 1))]


def _key(state: GameState) -> tuple[int, ...]:
    """The same for positions that are symmetric to each other."""
    cells = np.array(position_info(state)["cells"])
    images = [tuple(cells[image].tolist()) for image in symmetries(state.game).cells]
    return (state.next_player.index, *min(images))


def _puzzle(state: GameState, solver: Engine, search: Engine) -> Puzzle | None:
    """The puzzle of a position, if it is one."""
    turns = dict(turns_of(state))
    if len(turns) < 2:
        return None
    results: dict[str, tuple[int, int | None]] = {}
    for text, successor in turns.items():
        if successor.is_over():
            results[text] = successor.result() * (1 if state.next_player is Player.black else -1), 0
        else:
            value, plies = exact_result(solver.analyse(successor))
            results[text] = -value, plies
    outcomes = {text: value for text, (value, _) in results.items()}
    best = max(outcomes.values())
    right = [text for text, value in outcomes.items() if value == best]
    if best < 0 or len(right) > 1 or not _is_visible(state.game, results, best):
        return None
    moves = state.game.parse_moves(state, right[0])
    if {fact.kind for fact in explain(state, moves)} & {"wins", "stops"}:
        return None
    plies = results[right[0]][1]
    game = state.game
    position = game.fen(state) if isinstance(game, Draughts) else " ".join(
        game.move_text(move) for move in state.moves())
    return Puzzle(
        position, right[0], best, plies + 1 if best and plies is not None else None,
        _simulations(state, moves[0], search), outcomes,
    )


def _is_visible(
    game: GameSpec, results: Mapping[str, tuple[int, int | None]], best: int
) -> bool:
    """Whether the ends that decide are near, and no rule about progress changes any."""
    for value, plies in results.values():
        if plies is None or (value == 1 or best == 0 > value) and plies >= _MOST_PLIES:
            return False
        if game.name == "draughts" and value and plies > _MOST_TURNS:
            return False
    return True


def _simulations(state: GameState, move: Move, search: Engine) -> int | None:
    """The least simulations from which on MCTS finds a move with every seed; None if too many."""
    enough = None
    for sims in reversed(_LADDER):
        for seed in _SEEDS:
            search.new_game(seed)
            if search.select_move(state, Budget(sims=sims)).move != move:
                return enough
        enough = sims
    return enough
