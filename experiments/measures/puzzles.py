"""Puzzles: positions in which only one turn keeps the best exact result.

    dlgo puzzles connect4 --count 60 --out my_puzzles.json

Connect Four and small boards are solved, draughts endings are looked up in tables, endings of other
games are proved by alpha-beta. Positions come from games that an engine plays with many random
moves (draughts: from the tables), without symmetric copies. Wins at once, and threats that only one
move stops, are left out as too easy. The level says how many simulations plain MCTS needs to find
the turn every time.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
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
# In games whose endings are solved it also ends after this many games for each puzzle wanted.
_MOST_GAMES = 30
# Plies within which a win, or the loss after any other turn, must come: people see this far.
_MOST_PLIES = 13
# Moves before a position, fewer of which take the solver seconds.
_FEWEST = {"connect4": 12}
# Turns to the end of a draughts game that no rule about progress (80 plies) can cut short.
_MOST_TURNS = 60
# Endings: most nodes of a proof while a person waits (3 s), and here; and plies before the end of a
# game from which positions are taken.
_PATIENCE, _NODES, _LAST_PLIES = 3_000_000, 100_000, 12
# Themes of which there are enough, and others by facts about the right turn.
_LESS = ("capture", "double threat", "ending")
_SUBJECTS = {"fork": "double threat", "captures": "capture"}
# Wins of more plies are not played out: the first turn is enough.
SHORT = 7

@dataclass(frozen=True)
class Puzzle:
    """A position in which only one turn is right."""

    position: str  # the moves from the start of the game, or the position in draughts' notation
    solution: str
    value: int  # 1: it wins, and all others do not; 0: it draws, and all others lose
    plies: int | None  # to the end after perfect play, of a win; in draughts, turns
    sims: int | None  # with which MCTS always finds it; None if the largest number does not do
    outcomes: Mapping[str, int]  # the exact result of each turn for the player to move
    subject: str = ""  # the theme, if it is another one than how the puzzle ends

    @property
    def theme(self) -> str:
        """What it is about, in a word or two."""
        if self.subject or not self.value:
            return self.subject or "only draw"
        return f"win in {self.plies}" if (self.plies or math.inf) <= SHORT else "long win"

    @property
    def rating(self) -> int:
        """Elo of a player who solves it half of the time: 1000 if MCTS needs 10 simulations, and
        400 more for each ten times as many."""
        return round(600 + 400 * math.log10(self.sims or 3 * _LADDER[-1]))

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


def is_solved(game: GameSpec) -> bool:
    """Whether a solver knows the result of any position of a puzzle, and not of endings only."""
    return game.name == "draughts" or exact_engine(game) is not None


def solver_of(game: GameSpec, nodes: int = _PATIENCE) -> str:
    """The engine that proves results of puzzles; of endings with at most that many nodes.

    Raises DlgoError if no engine does.
    """
    spec = "solver" if game.name == "draughts" else exact_engine(game)
    if spec is not None:
        return spec.replace(",solve=yes", "")  # which says nothing of the plies to the end
    if game.history_matters:
        raise DlgoError(f"{game} has no exact values, which puzzles need, because results depend "
                        "on earlier positions; choose another game, such as connect4 or hex:size=6")
    return f"alphabeta:depth=100,nodes={nodes}"


def exact_result(game: GameSpec, decision: Decision) -> tuple[int, int | None]:
    """What a solver has found: the result for the player to move, and plies to the end.

    Raises DlgoError if it has found none.
    """
    plies = decision.plies_to_end or decision.depth
    if decision.proven is not None:
        return decision.proven, plies
    if is_solved(game) and decision.value in (-1.0, 0.0, 1.0):  # by tables
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
    solver = EngineSpec.parse(solver_of(game, _NODES)).build(game, seed)
    search = EngineSpec.parse("mcts").build(game, seed)
    quota = -(-count // (len(LEVELS) + 1))
    levels: dict[str, list[Puzzle]] = {name: [] for name, _ in (*LEVELS, (HARDEST, 0))}
    keys: set[tuple[int, ...]] = set()
    looks = n_puzzles = 0
    most_games = math.inf if is_solved(game) else _MOST_GAMES * count
    for n_games, states in enumerate(_positions(game, search, seed), 1):
        looks += 1
        for state in states:
            key = _key(state)
            puzzle = None if key in keys else _puzzle(state, solver, search)
            keys.add(key)
            if puzzle is not None:
                levels[puzzle.level].append(puzzle)
                looks, n_puzzles = 0, n_puzzles + 1
                break
        full = all(len(puzzles) >= quota for puzzles in levels.values())
        if full or looks > _MOST_LOOKS or n_puzzles >= _ENOUGH * count or n_games >= most_games:
            break
    if not is_solved(game):
        for puzzles in levels.values():
            puzzles.sort(key=lambda puzzle: puzzle.subject in _LESS)
    selection = [puzzle for puzzles in levels.values() for puzzle in puzzles[:quota]]
    spare = [puzzle for puzzles in levels.values() for puzzle in puzzles[quota:]]
    return sorted([*selection, *spare][:count], key=lambda puzzle: (
        puzzle.sims or 2 * _LADDER[-1], puzzle.plies or 0, puzzle.position))


def _positions(game: GameSpec, search: Engine, seed: int) -> Iterator[Iterable[GameState]]:
    """Positions of a game or an ending, of which one may become a puzzle."""
    rng = np.random.default_rng(derive_seed(seed, "puzzles", str(game)) % 2**63)
    if game.name == "draughts":
        endings = [random_endings(pieces, rng) for pieces in (3, 4)]
        while True:
            yield from ([next(ending)] for ending in endings)
    while True:
        states = [game.start()]
        search.new_game(int(rng.integers(2**31)))
        while not states[-1].is_over():
            state = states[-1]
            if rng.random() < _RANDOM:
                actions = state.legal_actions()
                plays = actions[actions != game.pass_action]
                move = game.move_of(int(rng.choice(plays if len(plays) else actions)))
            else:
                move = search.select_move(state, Budget(sims=_SIMS)).move
            states.append(state.apply_move(move))
        if not is_solved(game):
            last = states[-1 - _LAST_PLIES:-1]
            yield [last[i] for i in rng.permutation(len(last))]
        elif len(states) > (first := _FEWEST.get(game.name, 0)) + 1:
            yield [states[int(rng.integers(first, len(states) - 1))]]


def _key(state: GameState) -> tuple[int, ...]:
    """The same for positions that are symmetric to each other."""
    cells = np.array(position_info(state)["cells"])
    images = [tuple(cells[image].tolist()) for image in symmetries(state.game).cells]
    return (state.next_player.index, *min(images))


def _puzzle(state: GameState, solver: Engine, search: Engine) -> Puzzle | None:
    """The puzzle of a position, if it is one."""
    game, turns = state.game, dict(turns_of(state))
    results: dict[str, tuple[int, int | None]] = {}
    with suppress(DlgoError):  # it is not solved
        best, _ = exact_result(game, solver.analyse(state))
        for text, successor in turns.items():
            if successor.is_over():
                sign = 1 if state.next_player is Player.black else -1
                results[text] = successor.result() * sign, 0
            else:
                value, plies = exact_result(game, solver.analyse(successor))
                results[text] = -value, plies
            right = [turn for turn, (value, _) in results.items() if value == best]
            if best < 0 or len(right) > 1:
                return None
    if len(results) < max(2, len(turns)) or not _is_visible(game, results, best):
        return None
    moves = game.parse_moves(state, right[0])
    kinds = {fact.kind for fact in explain(state, moves)}
    if kinds & {"wins", "stops"}:
        return None
    plies = results[right[0]][1]
    position = game.fen(state) if isinstance(game, Draughts) else " ".join(
        game.move_text(move) for move in state.moves())
    return Puzzle(
        position, right[0], best, plies + 1 if best and plies is not None else None,
        _simulations(state, moves[0], search),
        {text: value for text, (value, _) in results.items()},
        _subject(state, right[0], turns[right[0]], kinds),
    )


def _is_visible(
    game: GameSpec, results: Mapping[str, tuple[int, int | None]], best: int
) -> bool:
    """Whether the ends that decide are near, and no rule about progress changes any."""
    for value, plies in results.values():
        if plies is None or is_solved(game) and (
                value == 1 or best == 0 > value) and plies >= _MOST_PLIES:
            return False
        if game.name == "draughts" and value and plies > _MOST_TURNS:
            return False
    return True


def _subject(state: GameState, right: str, after: GameState, kinds: Collection[str]) -> str:
    """The theme of a puzzle by facts about its right turn; "" if there are none."""
    game = state.game
    if game.name == "othello":
        rows, cols = ({1, game.board_rows}, {1, game.board_cols})
        point = state.read_move(right).point
        if point is not None and point.row in rows and point.col in cols:
            return "corner"
        return "forced pass" if after.legal_moves()[0].is_pass else "ending"
    return next((theme for kind, theme in _SUBJECTS.items() if kind in kinds), "")


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
