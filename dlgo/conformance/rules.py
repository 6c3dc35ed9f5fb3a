"""Conformance rules of the game itself: turns, legal actions, the end, moves, and the board."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move, Player, Point
from dlgo.conformance import kit, playing
from dlgo.conformance.broken import Kind, broken
from dlgo.display import board_text
from dlgo.errors import DlgoError, IllegalMoveError, NotationError
from dlgo.rng import make_rng
from dlgo.text import number_of

# Successors of a position whose boards are compared.
COMPARED_BOARDS = 24
# Values that are not moves of any game.
NON_MOVES = (
    Move("dance"), Move.play(None), Move.play("nonsense"), Move.play(-1), Move.play(10**9),
    Move.play(1.5), Move.play(()), Move.play((1, 2, 3)), Move.play((0, 10**9)),
    Move.play(Point(0, 0)), Move.play(Point(-1, 1)), Move.play(Point(10**9, 1)),
)
# Random games that are looked at in compiled code: as many as take about these microseconds.
MANY_US, MANY_GAMES = 1e6, (100, 50_000)
# A player may type anything: it is read as a move, legal or not, or rejected in one line.
ODD_TEXTS = (
    "", " ", "?", "-", "0", "-1", "1.5", "nan", "zz99", "9" * 40, "a" * 400, "A0", "A²", "１",
    "pass the salt", "\x00", "1-1-1-1", "🙂",
)


def spec(sample: kit.Sample) -> kit.Findings:
    """The specification: names, symbols, and the pass as an action like any other."""
    game = sample.game
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        yield f"name {game.name!r} is not lower-case letters, digits, underscores", None
    if len({symbol.lower() for symbol in game.symbols}) != 2:
        yield f"symbols {game.symbols} do not tell the players apart", None
    if type(game)(**{k: v for k, v in game.settings.items() if v is not None}) != game:
        yield "a game built from the settings of another is not equal to it", None
    action = game.action_of(Move.pass_turn())
    if action != (game.pass_action if game.pass_action >= 0 else None):
        yield f"action_of(pass) is {action}, pass_action {game.pass_action}", None
    if game.pass_action >= 0 and not game.move_of(game.pass_action).is_pass:
        yield f"move_of(pass_action) is {game.move_of(game.pass_action)}", None


def turn(sample: kit.Sample) -> kit.Findings:
    """Player 0 begins; `to_move` is 0 or 1."""
    for line in sample.lines:
        if line.views[0].to_move != 0:
            yield "player 0 moves first in every game", line.states[0]
        for state, view in zip(line.states, line.views, strict=True):
            if view.to_move not in (0, 1):
                yield f"to_move is {view.to_move}, neither 0 nor 1", state


@kit.at(40)
def legality(state: GameState) -> Iterator[str]:
    """`is_legal` agrees with `legal_actions`; `search_actions` are some of them."""
    legal = set(kit.listed(state, "legal_actions"))
    if extra := set(kit.listed(state, "search_actions")) - legal:
        yield f"search_actions lists illegal {kit.few(extra)}"
    for action in {*kit.some_actions(state.game), *legal}:
        if bool(kernels.is_legal(state.kernel_state, action)) != (action in legal):
            lists = "lists" if action in legal else "does not list"
            yield f"legal_actions {lists} action {action}, is_legal says otherwise"


def many_games(sample: kit.Sample) -> kit.Findings:
    """Thousands of random games, in compiled code, list legal actions until they end."""
    game, start = sample.game, GameState.new_game(sample.game)
    plies = max(1, max(len(line.actions) for line in sample.lines))
    n = int(np.clip(MANY_US / (plies * (0.3 + game.num_actions / 1000)), *MANY_GAMES))
    position = kit.clone(start, room=kit.LONGEST_GAME)
    actions = np.empty(game.num_actions, np.int64)
    for seed in range(n):
        kernels.copy_into(position, start.kernel_state)
        if playing.random_game(position, make_rng(seed), seed % 2 > 0, actions) in (-1, 0, 1):
            continue
        line = playing.sound_line(game, playing.choices_of(make_rng(seed)), seed % 2 > 0)
        if not line.over:
            text = f"a random game of {game} has not ended after {kit.LONGEST_GAME} plies"
            raise broken("end", text, kind=Kind.LENGTH)
        for text, state in result(kit.Sample(game, (line,))):
            raise broken("result", text, state)
    return iter(())


@kit.at(100)
def forced(state: GameState) -> Iterator[str]:
    """`forced_actions` keeps immediate wins, and actions that do not lose at once."""
    sensible = kit.listed(state, "search_actions")
    listed = set(kit.listed(state, "forced_actions"))
    if extra := listed - set(sensible):
        yield f"forced_actions lists {kit.few(extra)}, search_actions does not"
    if listed == set(sensible):
        return
    verdicts = {action: _verdict(state, action) for action in sensible}
    wins = {action for action in sensible if verdicts[action] > 0}
    if wins and not wins & listed:
        yield f"forced_actions leaves out the wins {kit.few(wins)}"
    lacking = {action for action in sensible if verdicts[action] == 0} - listed
    if lacking and not wins:
        yield f"forced_actions leaves out {kit.few(lacking)}, which do not lose at once"


def _verdict(state: GameState, action: int) -> int:
    """1 if an action wins at once, -1 if the opponent can then win at once, else 0."""
    mover = 1 - 2 * int(kernels.to_move(state.kernel_state))
    successor, reply = kit.clone(state), kit.clone(state, room=2)
    kernels.play(successor, action)
    if kernels.terminal(successor):
        return mover * int(kernels.result(successor))
    if (1 - 2 * kernels.to_move(successor)) == mover:
        return 0
    for answer in kit.listed(state, "legal_actions", successor):
        kernels.copy_into(reply, successor)
        kernels.play(reply, answer)
        if kernels.terminal(reply) and kernels.result(reply) == -mover:
            return -1
    return 0


def _moves_of(state: GameState) -> Iterator[tuple[int, Move]]:
    """Actions of the game with their moves, without those that `move_of` rejects."""
    for action in sorted({*kit.some_actions(state.game), *state.legal_actions().tolist()}):
        try:
            yield action, state.game.move_of(action)
        except (LookupError, ValueError):
            continue


def moves(sample: kit.Sample) -> kit.Findings:
    """Actions and moves translate both ways; other values are rejected without a crash."""
    game = sample.game
    table = dict(itertools.chain.from_iterable(map(_moves_of, sample.states(40))))
    for action, move in table.items():
        back = game.action_of(move)
        if back != action or not isinstance(back, (int, np.integer)):
            yield f"action {action} is {move}, and that is action {back!r}", None
    for state in sample.states(40):
        view = kit.look(state)
        if unknown := set(view.legal_actions) - set(table):
            yield f"move_of refuses legal {sorted(unknown)}", state
        for action in kit.listed(state, "legal_actions")[::4]:
            successor, arrays = state.apply_move(table[action]), kit.clone(state)
            kernels.play(arrays, action)
            if wrong := kit.difference(kit.look(successor), kit.look(successor, arrays)):
                yield f"apply_move and play lead to different positions: {wrong}", successor
        if kit.look(state) != view:
            yield "apply_move changed the state it was called on", state
        illegal = [table[action] for action in sorted(set(table) - set(view.legal_actions))]
        for move in illegal[:: max(1, len(illegal) // 8)]:
            yield from _must_refuse(state, move)
    strange = [*NON_MOVES, *([] if game.pass_action >= 0 else [Move.pass_turn()])]
    for move in set(strange) - set(table.values()):
        if (number := game.action_of(move)) is not None:
            yield f"{move} is not a move, but action_of says {number}", None
        for state in sample.states(3):
            yield from _must_refuse(state, move)


def _must_refuse(state: GameState, move: Move, reason: str = "") -> kit.Findings:
    if state.is_valid_move(move):
        yield f"is_valid_move allows {move}, which is illegal", state
    try:
        state.apply_move(move)
    except IllegalMoveError as error:
        if not error.reason.strip() or "\n" in error.reason or reason not in error.reason:
            yield f"{move} is refused without a reason in one line: {error}", state
    else:
        yield f"apply_move plays {move}, which is illegal", state


def notation(sample: kit.Sample) -> kit.Findings:
    """`parse_move` reads what `move_text` writes, in upper and lower case, and rejects other texts
    in one line."""
    game = sample.game
    for state in sample.states(40):
        texts: dict[str, Move] = {}
        for move in state.legal_moves():
            text = game.move_text(move)
            if texts.setdefault(text, move) != move:
                yield f"{text!r} stands for two legal moves", state
            for spelling in (text, text.lower(), f" {text} "):
                try:
                    read = game.parse_move(state, spelling)
                except NotationError as error:
                    yield f"parse_move refuses {spelling!r}, which move_text wrote: {error}", state
                else:
                    if read != move:
                        yield f"{spelling!r} is read as {read}, not {move}", state
    for state, text in itertools.product(sample.states(2), ODD_TEXTS):
        try:
            state.is_valid_move(game.parse_move(state, text))
        except NotationError as error:
            if "\n" in str(error) or not str(error).strip():
                yield f"{text!r} is not refused in one line", None
        except Exception as error:
            yield f"{text!r} raises {type(error).__name__}, not NotationError", None


def result(sample: kit.Sample) -> kit.Findings:
    """A finished game is +1, 0 or -1 for player 0; margin and examples agree with it."""
    for state in sample.states(100, finished=True):
        arrays = state.kernel_state
        value = kernels.result(arrays)
        if not isinstance(value, (int, np.integer)) or value not in (-1, 0, 1):
            yield f"result is {value!r}, not -1, 0 or 1", state
        rolled = kernels.rollout(kit.clone(state), np.zeros(1, np.uint64))
        if rolled != value:
            yield f"result is {value}, but a rollout from this finished game returns {rolled}", \
                state
        if kernels.offers(arrays, "margin") and np.sign(kernels.margin(arrays)) != value:
            yield f"margin is {kernels.margin(arrays):g}, but the result {value}", state
        if kernels.offers(arrays, "ownership"):
            owners = np.full((state.game.board_rows, state.game.board_cols), 9, np.int8)
            kernels.ownership(arrays, owners)
            if np.abs(owners).max() > 1:
                yield "ownership: some cells are not written, or not 1, 0 or -1", state
    for moves, expected in sample.game.examples.items():
        state = GameState.new_game(sample.game)
        try:
            state = state.play(*moves.split())
        except DlgoError as error:
            yield f"in the example {moves!r}: {error}", None
        else:
            if not state.is_over():
                yield "this example should be a finished game", state
            elif state.result() != expected:
                yield f"this example's result is {state.result()} and should be {expected}", state


def end(sample: kit.Sample) -> kit.Findings:
    """After the end nothing can be played, and the result has a text."""
    for state in sample.states(20, finished=True):
        if not state.game.result_text(state).strip():
            yield "result_text says nothing", state
        for _, move in itertools.islice(_moves_of(state), 50):
            yield from _must_refuse(state, move, reason="over")


def perft(sample: kit.Sample) -> kit.Findings:
    """Kernels and `GameState` count the same number of sequences of moves."""
    for state in sample.states(4):
        depth, expected = 1, _count(state, 1)
        while expected < 300 and depth < 5:
            depth += 1
            expected = _count(state, depth)
        count = state.game.count_sequences(state.kernel_state, depth)
        if count != expected:
            yield f"{count} sequences of {number_of(depth, 'ply', 'plies')}, not {expected}", state


def _count(state: GameState, depth: int) -> int:
    moves = state.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(_count(state.apply_move(move), depth - 1) for move in moves)


@kit.at(30, finished=4)
def render(state: GameState) -> Iterator[str]:
    """Positions with other pieces look different; the usual board marks the last play."""
    game, text, unmarked = state.game, str(state), _unmarked(state)
    if not text.strip() or text != "\n".join(line.rstrip() for line in text.splitlines()):
        yield "an empty board, or lines that end in blanks"
    positions = {unmarked: ("before", _pieces_of(state))}
    for move in state.legal_moves()[:COMPARED_BOARDS]:
        child, name = state.apply_move(move), game.move_text(move)
        other, pieces = positions.setdefault(
            _unmarked(child), (f"after {name}", _pieces_of(child)))
        if pieces != _pieces_of(child):
            yield f"looks the same {other} and after {name}, though other pieces are there:\n" \
                f"{_unmarked(child)}\n"
    # A finished game may be marked in another way, for example the stones that won.
    usual = board_text(GameState(game, state.kernel_state)) in unmarked and not state.is_over()
    if usual and state.last_move is not None and state.last_move.is_play and text == unmarked:
        yield f"does not mark the last play:\n{text}\n"


def _unmarked(state: GameState) -> str:
    return state.game.render(GameState(state.game, state.kernel_state))


def _pieces_of(state: GameState) -> list[int]:
    cells = range(state.game.board_rows * state.game.board_cols)
    return [int(kernels.piece(state.kernel_state, cell)) for cell in cells]


@kit.at(20, finished=4)
def pieces(state: GameState) -> Iterator[str]:
    """`piece` is NOBODY, or a player and one of the kinds; `cell` agrees with it."""
    game, last = state.game, 2 * len(state.game.piece_kinds) - 1
    for cell, piece in enumerate(_pieces_of(state)):
        if not kernels.NOBODY <= piece <= last:
            yield f"piece of cell {cell} is {piece}, not -1 or 0 to {last}"
        owner = game.cell(state, cell // game.board_cols + 1, cell % game.board_cols + 1)
        if owner is not (None if piece < 0 else Player.from_index(piece % 2)):
            yield f"cell {cell}: piece is {piece}, cell {owner}"


def colours(sample: kit.Sample) -> kit.Findings:
    """A piece that a player puts on an empty cell is their own."""
    n_own, foreign = 0, []
    for line, ply in sample.places(60):
        state, successor = line.states[ply], line.states[ply + 1]
        mover = kernels.to_move(state.kernel_state)
        for old, new in zip(_pieces_of(state), _pieces_of(successor), strict=True):
            if old == kernels.NOBODY and new >= 0 and new % 2 == mover:
                n_own += 1
            elif old == kernels.NOBODY and new >= 0:
                foreign.append(successor)
    if not n_own and len(foreign) >= 5:
        yield "a piece that a player puts down is shown as the other player's", foreign[0]
